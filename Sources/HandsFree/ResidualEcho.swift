internal import Realtime

/// The power at each frequency of the echo that the filter leaves.
///
/// It is told from who speaks here by what the filter took out: where the two rise and fall together, it is echo (after
/// Valin 2007, here for bands); the filter's own doubt is the least that is assumed, and what the room still sounds of what
/// was played before the filter's length is added.
struct ResidualEcho: ~Copyable {
    private static var bands: Int {
        @_noLocks @_noAllocation get { 24 }
    }

    private let rows: FloatRows
    private let leak: UnsafeMutablePointer<Float>
    private let errorMeans: UnsafeMutablePointer<Float>
    private let echoMeans: UnsafeMutablePointer<Float>
    private let products: UnsafeMutablePointer<Float>
    private let squares: UnsafeMutablePointer<Float>
    /// The power of each frequency, through a Hann window.
    let power: UnsafeMutablePointer<Float>
    private let edges: LockedBuffer

    init() {
        var rows = FloatRows(6, of: 5 * Self.bands + Block.imaginary)
        leak = rows.next(Self.bands, filledWith: 1)
        errorMeans = rows.next(Self.bands)
        echoMeans = rows.next(Self.bands)
        products = rows.next(Self.bands)
        squares = rows.next(Self.bands)
        power = rows.next(Block.imaginary)
        self.rows = rows
        edges = LockedBuffer(byteCount: (Self.bands + 1) * MemoryLayout<Int>.stride)
        layOut()
    }

    /// The first frequency of each band, and the end of the last.
    private var bandEdges: UnsafePointer<Int> {
        @_noLocks @_noAllocation get { UnsafePointer(edges.base.assumingMemoryBound(to: Int.self)) }
    }

    /// Bands of three bins at first (280 Hz), then each a fifth of its frequency wide.
    private func layOut() {
        let edges = edges.base.bindMemory(to: Int.self, capacity: Self.bands + 1)
        var edge = 0
        for band in 0..<Self.bands {
            edges[band] = min(edge, Block.bins)
            edge += max(3, edge * 6 / 25)
        }
        edges[Self.bands] = Block.bins
    }

    /// What the filter took out is a way that it has just begun to learn.
    @_noLocks @_noAllocation
    func doubt() { SpectralMath.fill(leak, Self.bands, with: 1) }

    /// There is none.
    @_noLocks @_noAllocation
    func clear() { SpectralMath.fill(power, Block.imaginary) }

    /// Takes the powers of what the filter left and took out in a block.
    ///
    /// - Parameters:
    ///   - expected: the power of each frequency that the filter doubts.
    ///   - late: the power that is beyond the filter's reach.
    ///   - isOverdriven: the microphone was cut off, of late: a tenth and more of the echo is left.
    @_noLocks @_noAllocation
    func estimate(
        left: UnsafePointer<Float>, taken: UnsafePointer<Float>, expected: UnsafePointer<Float>,
        late: UnsafePointer<Float>, isOverdriven: Bool
    ) {
        let edges = bandEdges
        var band = 0
        while band < Self.bands {
            let (low, high) = (edges[band], edges[band &+ 1])
            learnLeak(band, Self.sum(left, low, high), Self.sum(taken, low, high))
            let leak = isOverdriven ? max(leak[band], 0.15) : leak[band]
            var bin = low
            while bin < high {
                // Not all is believed: the filter doubts more than it need.
                let doubted = min(expected[bin] * 0.6, left[bin])
                // A transform's power through the Hann window.
                let reverberant = min(0.7 * 0.375 * late[bin], left[bin])
                let heard = 0.7 * leak * taken[bin] + reverberant
                power[bin] = max(max(heard, 0.8 * power[bin]), doubted)
                bin &+= 1
            }
            band &+= 1
        }
    }

    @_noLocks @_noAllocation
    private static func sum(_ power: UnsafePointer<Float>, _ low: Int, _ high: Int) -> Float {
        var sum: Float = 0
        var bin = low
        while bin < high {
            sum += power[bin]
            bin &+= 1
        }
        return sum
    }

    /// How much of what was taken out of a band is left: where both rise and fall together, the one is of the other.
    @_noLocks @_noAllocation
    private func learnLeak(_ band: Int, _ left: Float, _ taken: Float) {
        errorMeans[band] += 0.02 * (left - errorMeans[band])
        echoMeans[band] += 0.02 * (taken - echoMeans[band])
        let (rise, of) = (left - errorMeans[band], taken - echoMeans[band])
        // The louder the echo is in a block, the more that block says.
        let loudness = taken / (taken + echoMeans[band] + 1)
        let speed = 0.012 * loudness
        products[band] += speed * (rise * of - products[band])
        squares[band] += speed * (of * of - squares[band])
        let ratio = products[band] / (squares[band] + 1e6)
        leak[band] += 0.05 * (min(max(ratio, 0.0003), 1) - leak[band])
    }
}
