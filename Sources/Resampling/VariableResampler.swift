internal import Glibc
internal import Realtime

/// Makes slightly more or fewer samples of mono 16-bit sound, by any fraction of one, without a click when it begins or ends
/// to do so: `pass` hands sound on as it is, and costs next to nothing.
///
/// A windowed sinc of 32 taps, interpolated between 128 phases. At phase 0 it is the sound itself, bit by bit. While it works,
/// 16 samples (0.33 ms) wait in it.
public struct VariableResampler: ~Copyable, Sendable {
    private static var taps: Int {
        @_noLocks @_noAllocation get { 32 }
    }
    private static var before: Int {
        @_noLocks @_noAllocation get { 15 }
    }
    /// Samples that follow the one to be made.
    private static var after: Int {
        @_noLocks @_noAllocation get { 16 }
    }
    private static var phases: Int {
        @_noLocks @_noAllocation get { 128 }
    }

    private let memory: Memory
    /// Samples that `line` holds: at least as many as there are taps.
    private var filled = 32
    /// Where in `line` the next sample is made; nil while sound is handed on as it is.
    private var position: Double?
    private let longest: Int

    /// `@unchecked`: its owner alone touches it.
    private struct Memory: ~Copyable, @unchecked Sendable {
        let buffer: LockedBuffer
        /// `phases + 1` rows of `taps`: the last is the first, one sample on.
        let kernel: UnsafeMutablePointer<Float>
        /// What was given and may still be needed, oldest first.
        let line: UnsafeMutablePointer<Float>

        init(longest: Int) {
            let rows = (phases + 1) * taps
            buffer = LockedBuffer(byteCount: (rows + longest + 2 * taps) * MemoryLayout<Float>.stride)
            kernel = buffer.base.bindMemory(to: Float.self, capacity: rows + longest + 2 * taps)
            line = kernel + rows
        }
    }

    /// - Parameter longest: samples that are given at once, at most.
    public init(longest: Int) {
        self.longest = max(longest, 1)
        memory = Memory(longest: self.longest)
        for phase in 0...Self.phases {
            for tap in 0..<Self.taps {
                let distance = Double(tap - Self.before) - Double(phase) / Double(Self.phases)
                memory.kernel[phase * Self.taps + tap] = Float(Self.kernel(at: distance))
            }
        }
    }

    /// A sinc in a Kaiser window (β = 9) that is 0 from 16 samples on.
    private static func kernel(at distance: Double) -> Double {
        guard distance != 0 else { return 1 }
        // Exactly 0 at the other samples, whatever the library's sine of a multiple of π is.
        guard distance != distance.rounded() else { return 0 }
        let edge = distance / Double(after)
        guard abs(edge) < 1 else { return 0 }
        let window = bessel(9 * (1 - edge * edge).squareRoot()) / bessel(9)
        return sin(.pi * distance) / (.pi * distance) * window
    }

    /// The modified Bessel function of the first kind and order 0.
    private static func bessel(_ x: Double) -> Double {
        var (sum, term) = (1.0, 1.0)
        for k in 1..<60 {
            term *= (x / 2 / Double(k)) * (x / 2 / Double(k))
            sum += term
        }
        return sum
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
            output[made] = sample(at: place)
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
            output[made] = sample(at: place)
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

    @_noLocks @_noAllocation
    private func sample(at place: Double) -> Int16 {
        let whole = Int(place)
        let fine = (place - Double(whole)) * Double(Self.phases)
        let phase = min(Int(fine), Self.phases - 1)
        let share = Float(fine - Double(phase))
        let low = memory.kernel + phase * Self.taps
        let high = low + Self.taps
        let sound = memory.line + (whole - Self.before)
        var sums = SIMD8<Float>(repeating: 0)
        var index = 0
        while index < Self.taps {
            let a = UnsafeRawPointer(low + index).loadUnaligned(as: SIMD8<Float>.self)
            let b = UnsafeRawPointer(high + index).loadUnaligned(as: SIMD8<Float>.self)
            let x = UnsafeRawPointer(sound + index).loadUnaligned(as: SIMD8<Float>.self)
            sums += (a + (b - a) * share) * x
            index += 8
        }
        let value = min(max(sums.sum(), -32_768), 32_767)
        return Int16(value < 0 ? value - 0.5 : value + 0.5)
    }
}
