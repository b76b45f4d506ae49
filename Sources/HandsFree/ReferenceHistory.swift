/// What the loudspeaker played of late, as spectra of the last `Block.transform` samples, one a block.
struct ReferenceHistory: ~Copyable {
    /// Spectra that are kept.
    let length: Int

    private let rows: FloatRows
    /// A ring; the newest at `newest`.
    private let spectra: UnsafeMutablePointer<Float>
    private let window: UnsafeMutablePointer<Float>
    private var newest = 0
    /// Blocks in a row in which it was silent.
    private(set) var silentBlocks = 1 << 20
    /// Blocks in which it was not, of all.
    private(set) var soundingBlocks = 0

    /// - Parameter length: spectra that are kept.
    init(length: Int) {
        self.length = length
        var rows = FloatRows(2, of: length * Block.spectrum + Block.transform)
        spectra = rows.next(length * Block.spectrum)
        window = rows.next(Block.transform)
        self.rows = rows
    }

    /// A block below this energy (2 units of 16-bit sound) is silence.
    static var silence: Float {
        @_noLocks @_noAllocation get { 4 * 240 }
    }

    /// Adds a block.
    @_noLocks @_noAllocation
    mutating func take(_ samples: UnsafePointer<Float>, using fft: borrowing RealFFT) {
        SpectralMath.advance(window, by: samples)
        newest &+= 1
        if newest == length { newest = 0 }
        if SpectralMath.energy(samples, Block.samples) < Self.silence {
            silentBlocks = min(silentBlocks &+ 1, 1 << 20)
        } else {
            silentBlocks = 0
            soundingBlocks = min(soundingBlocks &+ 1, 1 << 20)
        }
        let place = spectra + newest &* Block.spectrum
        if silentBlocks > 3 {
            SpectralMath.fill(place, Block.spectrum)
        } else {
            fft.forward(window, into: place)
        }
    }

    /// The spectrum of so many blocks ago, less than `length`.
    @_noLocks @_noAllocation @inline(__always)
    func spectrum(_ blocksAgo: Int) -> UnsafePointer<Float> {
        var place = newest &- blocksAgo
        if place < 0 { place &+= length }
        return UnsafePointer(spectra + place &* Block.spectrum)
    }
}
