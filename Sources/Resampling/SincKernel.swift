internal import Glibc
internal import Realtime

/// The sound between the samples: a windowed sinc of 32 taps, interpolated between 128 phases. At a sample it is that sample,
/// bit by bit.
public struct SincKernel: ~Copyable, Sendable {
    static var taps: Int {
        @_noLocks @_noAllocation get { 32 }
    }
    /// Samples that precede the place.
    public static var before: Int {
        @_noLocks @_noAllocation get { 15 }
    }
    /// Samples that follow it.
    public static var after: Int {
        @_noLocks @_noAllocation get { 16 }
    }
    private static var phases: Int {
        @_noLocks @_noAllocation get { 128 }
    }

    private let memory: Memory

    /// `@unchecked`: written by `init` only.
    private struct Memory: ~Copyable, @unchecked Sendable {
        let buffer: LockedBuffer
        /// `phases + 1` rows of `taps`: the last is the first, one sample on.
        let rows: UnsafeMutablePointer<Float>

        init() {
            let count = (phases + 1) * taps
            buffer = LockedBuffer(byteCount: count * MemoryLayout<Float>.stride)
            rows = buffer.base.bindMemory(to: Float.self, capacity: count)
        }
    }

    public init() {
        memory = Memory()
        for phase in 0...Self.phases {
            for tap in 0..<Self.taps {
                let distance = Double(tap - Self.before) - Double(phase) / Double(Self.phases)
                memory.rows[phase * Self.taps + tap] = Float(Self.weight(at: distance))
            }
        }
    }

    /// A sinc in a Kaiser window (β = 9) that is 0 from 16 samples on.
    private static func weight(at distance: Double) -> Double {
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

    /// The sound at `place` of `samples`, which has `before` samples before that and `after` behind it.
    @_noLocks @_noAllocation
    func sample(_ samples: UnsafePointer<Float>, at place: Double) -> Int16 {
        let (whole, phase, share) = Self.split(place)
        let low = memory.rows + phase * Self.taps
        let high = low + Self.taps
        let sound = samples + (whole - Self.before)
        var sums = SIMD8<Float>(repeating: 0)
        var index = 0
        while index < Self.taps {
            let x = UnsafeRawPointer(sound + index).loadUnaligned(as: SIMD8<Float>.self)
            sums += Self.weights(low + index, high + index, share) * x
            index += 8
        }
        return Self.clamped(sums.sum())
    }

    /// The same of 16-bit samples.
    @_noLocks @_noAllocation
    public func sample(_ samples: UnsafePointer<Int16>, at place: Double) -> Int16 {
        let (whole, phase, share) = Self.split(place)
        let low = memory.rows + phase * Self.taps
        let high = low + Self.taps
        let sound = samples + (whole - Self.before)
        var sums = SIMD8<Float>(repeating: 0)
        var index = 0
        while index < Self.taps {
            let x = SIMD8<Float>(UnsafeRawPointer(sound + index).loadUnaligned(as: SIMD8<Int16>.self))
            sums += Self.weights(low + index, high + index, share) * x
            index += 8
        }
        return Self.clamped(sums.sum())
    }

    @_noLocks @_noAllocation @inline(__always)
    private static func split(_ place: Double) -> (whole: Int, phase: Int, share: Float) {
        let whole = Int(place)
        let fine = (place - Double(whole)) * Double(phases)
        let phase = min(Int(fine), phases - 1)
        return (whole, phase, Float(fine - Double(phase)))
    }

    @_noLocks @_noAllocation @inline(__always)
    private static func weights(
        _ low: UnsafePointer<Float>, _ high: UnsafePointer<Float>, _ share: Float
    ) -> SIMD8<Float> {
        let a = UnsafeRawPointer(low).loadUnaligned(as: SIMD8<Float>.self)
        let b = UnsafeRawPointer(high).loadUnaligned(as: SIMD8<Float>.self)
        return a + (b - a) * share
    }

    @_noLocks @_noAllocation @inline(__always)
    private static func clamped(_ sum: Float) -> Int16 {
        let value = min(max(sum, -32_768), 32_767)
        return Int16(value < 0 ? value - 0.5 : value + 0.5)
    }
}
