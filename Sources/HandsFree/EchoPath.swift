/// A way from the loudspeaker to the microphone: a filter in the frequency domain, in parts as long as a block.
struct EchoPath: ~Copyable {
    /// Parts, of a block each.
    let length: Int

    private let rows: FloatRows
    private let weights: UnsafeMutablePointer<Float>
    private let sum: UnsafeMutablePointer<Float>
    private let time: UnsafeMutablePointer<Float>

    init(length: Int) {
        self.length = length
        var rows = FloatRows(3, of: (length + 1) * Block.spectrum + Block.transform)
        weights = rows.next(length * Block.spectrum)
        sum = rows.next(Block.spectrum)
        time = rows.next(Block.transform)
        self.rows = rows
    }

    /// The spectrum of a part.
    @_noLocks @_noAllocation @inline(__always)
    func part(_ index: Int) -> UnsafeMutablePointer<Float> { weights + index &* Block.spectrum }

    /// Nothing comes this way.
    @_noLocks @_noAllocation
    func clear() { SpectralMath.fill(weights, length &* Block.spectrum) }

    /// Takes over the beginning of another.
    @_noLocks @_noAllocation
    func copy(_ other: borrowing EchoPath) {
        SpectralMath.copy(other.weights, to: weights, min(length, other.length) &* Block.spectrum)
    }

    /// What of the reference comes this way, in the last block, and what is left of the microphone's block without it.
    ///
    /// - Parameter offset: blocks that the beginning of the way lies behind the reference.
    @_noLocks @_noAllocation
    func takeOut(
        of microphone: UnsafePointer<Float>, reference: borrowing ReferenceHistory, offset: Int,
        using fft: borrowing RealFFT, error: UnsafeMutablePointer<Float>, echo: UnsafeMutablePointer<Float>
    ) {
        SpectralMath.fill(sum, Block.spectrum)
        var index = 0
        while index < length {
            SpectralMath.multiplyAdd(reference.spectrum(offset &+ index), UnsafePointer(part(index)), to: sum)
            index &+= 1
        }
        fft.inverse(sum, into: time)
        let last = time + (Block.transform &- Block.samples)
        index = 0
        while index < Block.samples {
            echo[index] = last[index]
            error[index] = microphone[index] - last[index]
            index &+= 1
        }
    }

    /// A part is as many samples as a block of sound: what the spectrum says beyond is let go.
    @_noLocks @_noAllocation
    func constrain(_ index: Int, using fft: borrowing RealFFT) {
        let w = part(index)
        fft.inverse(w, into: time)
        SpectralMath.fill(time + Block.samples, Block.transform &- Block.samples)
        fft.forward(time, into: w)
    }

    /// The way begins `blocks` later from now on; what was learned stays where it is.
    @_noLocks @_noAllocation
    func move(by blocks: Int) { SpectralMath.slide(weights, Block.spectrum, length, by: blocks, fillingWith: 0) }

    /// The energy of some parts.
    @_noLocks @_noAllocation
    func energy(_ first: Int, _ end: Int) -> Float {
        SpectralMath.energy(part(first), (end &- first) &* Block.spectrum)
    }

    /// The part that is loudest.
    @_noLocks @_noAllocation
    func loudest() -> Int {
        var (best, most): (Int, Float) = (0, 0)
        var index = 0
        while index < length {
            let energy = energy(index, index &+ 1)
            if energy > most { (best, most) = (index, energy) }
            index &+= 1
        }
        return best
    }
}
