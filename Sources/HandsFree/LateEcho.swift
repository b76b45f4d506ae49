internal import Glibc

/// What a room still sounds of what was played before the echo filter's length: it dies away as the filter does.
struct LateEcho: ~Copyable {
    private let rows: FloatRows
    /// The power of each frequency of a transform.
    let power: UnsafeMutablePointer<Float>
    /// The power of the filter's end.
    private let ending: UnsafeMutablePointer<Float>
    /// By how much the room's sound falls within a block, as a ratio of powers.
    private var decay: Float = 0.85

    init() {
        var rows = FloatRows(2, of: 2 * Block.imaginary)
        power = rows.next(Block.imaginary)
        ending = rows.next(Block.imaginary)
        self.rows = rows
    }

    /// Nothing sounds any more.
    @_noLocks @_noAllocation
    func clear() { SpectralMath.fill(power, Block.imaginary) }

    /// Learns from a filter how the room dies away.
    @_noLocks @_noAllocation
    mutating func measure(_ path: borrowing EchoPath) {
        let blocks = path.length
        let (quarter, half) = (blocks / 4, blocks / 2)
        let early = path.energy(quarter, half)
        let end = path.energy(blocks &- quarter, blocks)
        if early > 0 && end > 0 {
            let exponent = 1 / Float(half)
            // Bounded: arithmetic.
            let fall = _unsafePerformance { powf(end / early, exponent) }
            decay += 0.3 * (min(max(fall, 0.7), 0.94) - decay)
        }
        SpectralMath.fill(ending, Block.imaginary)
        var block = blocks &- 4
        while block < blocks {
            let w = UnsafePointer(path.part(block))
            var index = 0
            while index < Block.imaginary {
                ending[index] += 0.25 * SpectralMath.power(w, index)
                index &+= 1
            }
            block &+= 1
        }
    }

    /// Goes on by a block; `x` is the spectrum of the reference that leaves the filter.
    @_noLocks @_noAllocation
    func advance(_ x: UnsafePointer<Float>) {
        let (power, ending, decay) = (self.power, UnsafePointer(self.ending), self.decay)
        var index = 0
        while index < Block.imaginary {
            power[index] = decay * (power[index] + SpectralMath.power(x, index) * ending[index])
            index &+= 1
        }
    }
}
