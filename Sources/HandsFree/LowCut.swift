internal import Glibc

/// Takes out what nobody hears (below 12 Hz, 24 dB an octave): the offset of a converter, and the slow swell of a closed room, in which no
/// echo path as long as a filter is told apart.
struct LowCut: BitwiseCopyable {
    /// A second-order section of a Butterworth high-pass; its numerator is `level` times 1, -2, 1.
    private struct Section: BitwiseCopyable {
        let level: Double
        let first: Double
        let second: Double
        var one = 0.0
        var two = 0.0

        /// - Parameter damping: 1/Q.
        init(damping: Double) {
            let turn = tan(Double.pi * 12 / 48_000)
            let norm = 1 / (1 + damping * turn + turn * turn)
            level = norm
            first = 2 * (turn * turn - 1) * norm
            second = (1 - damping * turn + turn * turn) * norm
        }

        @_noLocks @_noAllocation @inline(__always)
        mutating func process(_ sample: Double) -> Double {
            let scaled = level * sample
            let result = scaled + one
            one = two - 2 * scaled - first * result
            two = scaled - second * result
            return result
        }
    }

    private var sections = (Section(damping: 0.765_366_865), Section(damping: 1.847_759_065))

    init() {}

    /// Filters in place.
    @_noLocks @_noAllocation
    mutating func process(_ samples: UnsafeMutablePointer<Float>, _ count: Int) {
        var (a, b) = sections
        var index = 0
        while index < count {
            samples[index] = Float(b.process(a.process(Double(samples[index]))))
            index &+= 1
        }
        sections = (a, b)
    }
}
