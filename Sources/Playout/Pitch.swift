/// How well a sound repeats itself, and after how long.
struct Pitch: BitwiseCopyable {
    /// In samples at 48 kHz, `shortestLag`...`longestLag`.
    var lag: Int
    /// The normalised correlation of the two periods, squared; 0 where it is negative.
    var similarity: Float

    static var shortestLag: Int {
        @_noLocks @_noAllocation get { 120 }
    }
    /// 15 ms: a voice of 67 Hz.
    static var longestLag: Int {
        @_noLocks @_noAllocation get { 720 }
    }
    /// What a coarse search leaves out between two samples.
    private static var stride: Int {
        @_noLocks @_noAllocation get { 4 }
    }

    /// Finds the lag, up to `longest`, at which the `window` samples from `sound` on are most like those that lie the lag
    /// later, or earlier where `isBackward`. Returns nil where there is no room.
    @_noLocks @_noAllocation
    static func find(
        _ sound: UnsafePointer<Int16>, window: Int, longest: Int, isBackward: Bool
    ) -> Pitch? {
        let most = min(longest, longestLag)
        guard window >= 120, window <= 720, most >= shortestLag else { return nil }
        // First on every fourth sample, each the sum of four: what is left out has passed no filter otherwise.
        let direction = isBackward ? -1 : 1
        let first = isBackward ? -(most / stride) : 0
        var coarse = Coarse(
            reference: coarse(sound, window / stride, from: 0),
            field: coarse(sound, (window + most) / stride, from: first))
        var best = Pitch(lag: shortestLag, similarity: -1)
        for lag in (shortestLag / stride)...(most / stride) {
            let similarity = coarse.likeness(at: direction * lag - first, window / stride)
            if similarity > best.similarity { best = Pitch(lag: lag * stride, similarity: similarity) }
        }
        // Then every sample around it.
        let around = max(best.lag - stride + 1, shortestLag)...min(best.lag + stride - 1, most)
        best.similarity = -1
        for lag in around {
            let similarity = likeness(sound, sound + direction * lag, window)
            if similarity > best.similarity { best = Pitch(lag: lag, similarity: similarity) }
        }
        return best
    }

    /// The normalised correlation of two sounds, squared; 0 where it is negative.
    @_noLocks @_noAllocation
    static func likeness(_ first: UnsafePointer<Int16>, _ second: UnsafePointer<Int16>, _ count: Int) -> Float {
        var correlation = Correlation()
        for index in 0..<max(count, 0) { correlation.add(Float(first[index]), Float(second[index])) }
        return correlation.likeness
    }

    /// What two sounds have in common, sample by sample.
    private struct Correlation: BitwiseCopyable {
        private var product: Float = 0
        // Two silences are not alike.
        private var energies: (Float, Float) = (1, 1)

        @_noLocks @_noAllocation
        init() {}

        @_noLocks @_noAllocation @inline(__always)
        mutating func add(_ first: Float, _ second: Float) {
            product += first * second
            energies.0 += first * first
            energies.1 += second * second
        }

        var likeness: Float {
            @_noLocks @_noAllocation @inline(__always) get {
                product > 0 ? product * product / (energies.1 * energies.0) : 0
            }
        }
    }

    /// A window of the sound, and what it may be like, every fourth sample of both.
    private struct Coarse: BitwiseCopyable {
        var reference: InlineArray<360, Float>
        var field: InlineArray<360, Float>

        /// `Pitch.likeness` of the window and what lies at `offset`. Changes nothing, but is `mutating`: elsewhere the compiler
        /// copies all of an array whenever it looks at an element.
        @_noLocks @_noAllocation
        mutating func likeness(at offset: Int, _ count: Int) -> Float {
            var correlation = Correlation()
            for index in 0..<count { correlation.add(reference[index], field[index + offset]) }
            return correlation.likeness
        }
    }

    @_noLocks @_noAllocation
    private static func coarse(
        _ sound: UnsafePointer<Int16>, _ count: Int, from first: Int
    ) -> InlineArray<360, Float> {
        var result = InlineArray<360, Float>(repeating: 0)
        for index in 0..<min(max(count, 0), 360) {
            let place = sound + (first + index) * stride
            let pair = Int(place[0]) + Int(place[1])
            result[index] = Float(pair + Int(place[2]) + Int(place[3]))
        }
        return result
    }
}
