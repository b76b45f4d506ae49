internal import Realtime

/// Makes slightly more or fewer samples of mono 16-bit sound, by any fraction of one, without a click when it begins or ends
/// to do so: `pass` hands sound on as it is, and costs next to nothing.
///
/// It sees the sound through `SincKernel`. While it works, 16 samples (0.33 ms) wait in it.
public struct VariableResampler: ~Copyable, Sendable {
    private static var taps: Int {
        @_noLocks @_noAllocation get { SincKernel.taps }
    }
    /// Samples that follow the one to be made.
    private static var after: Int {
        @_noLocks @_noAllocation get { SincKernel.after }
    }

    private let kernel = SincKernel()
    private let memory: Memory
    /// Samples that `line` holds: at least as many as there are taps.
    private var filled = 32
    /// Where in `line` the next sample is made; nil while sound is handed on as it is.
    private var position: Double?
    private let longest: Int

    /// `@unchecked`: its owner alone touches it.
    private struct Memory: ~Copyable, @unchecked Sendable {
        let buffer: LockedBuffer
        /// What was given and may still be needed, oldest first.
        let line: UnsafeMutablePointer<Float>

        init(longest: Int) {
            buffer = LockedBuffer(byteCount: (longest + 2 * taps) * MemoryLayout<Float>.stride)
            line = buffer.base.bindMemory(to: Float.self, capacity: longest + 2 * taps)
        }
    }

    /// - Parameter longest: samples that are given at once, at most.
    public init(longest: Int) {
        self.longest = max(longest, 1)
        memory = Memory(longest: self.longest)
    }

    /// Samples that wait in it while it works.
    public static var latency: Int {
        @_noLocks @_noAllocation get { after }
    }

    /// Whether it works: `process` does more than hand on.
    public var isActive: Bool {
        @_noLocks @_noAllocation get { position != nil }
    }

    /// The most samples that `process` and `release` make of `count`.
    @_noLocks @_noAllocation
    public static func mostProduced(of count: Int) -> Int { count + count / 64 + 2 * after }

    /// Hands nothing on, but remembers the end of `input` (which goes to the card as it is), so that `process` may follow it
    /// without a click. Only while `isActive` is false.
    @_noLocks @_noAllocation
    public mutating func pass(_ input: UnsafePointer<Int16>, _ count: Int) {
        guard position == nil else { return }
        let line = memory.line
        let new = min(count, Self.taps)
        for index in 0..<Self.taps - new { line[index] = line[index + new] }
        for index in 0..<new { line[Self.taps - new + index] = Float(input[count - new + index]) }
        filled = Self.taps
    }

    /// Makes about `count - fewer` samples of `count`, at most `longest`, and returns how many: over time exactly so many.
    ///
    /// - Parameters:
    ///   - fewer: a fraction of a sample, negative for more; at most a sixty-fourth of `count`.
    ///   - output: room for `mostProduced(of: count)`.
    @_noLocks @_noAllocation
    public mutating func process(
        _ input: UnsafePointer<Int16>, _ count: Int, fewer: Double, into output: UnsafeMutablePointer<Int16>
    ) -> Int {
        let count = min(max(count, 1), longest)
        append(input, count)
        let bound = Double(count) / 64
        let step = Double(count) / (Double(count) - min(max(fewer, -bound), bound))
        var place = position ?? Double(filled - count)
        var made = 0
        let most = Self.mostProduced(of: count)
        while Int(place) + Self.after < filled && made < most {
            output[made] = kernel.sample(memory.line, at: place)
            made += 1
            place += step
        }
        forget(upTo: &place)
        position = place
        return made
    }

    /// The last turn of work: as `process`, but everything comes out, and from then on sound is handed on as it is.
    @_noLocks @_noAllocation
    public mutating func release(
        _ input: UnsafePointer<Int16>, _ count: Int, into output: UnsafeMutablePointer<Int16>
    ) -> Int {
        let count = min(max(count, 1), longest)
        guard var place = position else {
            for index in 0..<count { output[index] = input[index] }
            pass(input, count)
            return count
        }
        append(input, count)
        // Where the filter can see no further, the phase is to be 0: the rest is then the sound itself.
        let turning = filled - Self.after
        let way = Double(turning) - place
        let steps = max(Int(way + 0.5), 1)
        let step = way / Double(steps)
        var made = 0
        while made < steps {
            output[made] = kernel.sample(memory.line, at: place)
            made += 1
            place += step
        }
        for index in turning..<filled {
            output[made] = Int16(memory.line[index])
            made += 1
        }
        var end = Double(filled)
        forget(upTo: &end)
        position = nil
        return made
    }

    /// Forgets what it was given: the next sound follows silence.
    @_noLocks @_noAllocation
    public mutating func reset() {
        position = nil
        filled = Self.taps
        for index in 0..<Self.taps { memory.line[index] = 0 }
    }

    @_noLocks @_noAllocation
    private mutating func append(_ input: UnsafePointer<Int16>, _ count: Int) {
        let tail = memory.line + filled
        for index in 0..<count { tail[index] = Float(input[index]) }
        filled += count
    }

    /// Keeps as many samples as there are taps.
    @_noLocks @_noAllocation
    private mutating func forget(upTo place: inout Double) {
        let gone = filled - Self.taps
        guard gone > 0 else { return }
        let line = memory.line
        for index in 0..<Self.taps { line[index] = line[index + gone] }
        filled = Self.taps
        place -= Double(gone)
    }
}
