/// Makes of gains of frequencies a filter of 255 taps, so that sound is late by 127 samples (2.6 ms), not by a frame, and
/// goes over from the gains of one block to those of the next within the block.
struct GainFilter: ~Copyable {
    /// Samples by which the output is late.
    static var delay: Int {
        @_noLocks @_noAllocation get { 127 }
    }

    private let rows: FloatRows
    private let shaped: UnsafeMutablePointer<Float>
    private let response: UnsafeMutablePointer<Float>
    private let before: UnsafeMutablePointer<Float>
    private let after: UnsafeMutablePointer<Float>
    private let applied: UnsafeMutablePointer<Float>
    private let formerApplied: UnsafeMutablePointer<Float>

    init() {
        var rows = FloatRows(6, of: Block.spectrum + 3 * Block.transform + 2 * Block.imaginary)
        shaped = rows.next(Block.spectrum)
        response = rows.next(Block.transform)
        before = rows.next(Block.transform)
        after = rows.next(Block.transform)
        applied = rows.next(Block.imaginary, filledWith: 1)
        formerApplied = rows.next(Block.imaginary, filledWith: 1)
        self.rows = rows
    }

    /// Gives the last block but `delay` samples of `spectrum`, with the former gains at its beginning and `gains` at its end.
    @_noLocks @_noAllocation
    func apply(
        _ gains: UnsafePointer<Float>, to spectrum: UnsafePointer<Float>, using fft: borrowing RealFFT,
        into output: UnsafeMutablePointer<Float>
    ) {
        SpectralMath.copy(applied, to: formerApplied, Block.imaginary)
        design(gains, fft)
        filter(spectrum, UnsafePointer(formerApplied), fft, into: before)
        filter(spectrum, UnsafePointer(applied), fft, into: after)
        let start = Block.transform &- Block.samples &- Self.delay
        var index = 0
        while index < Block.samples {
            let share = Float(index &+ 1) / 240
            output[index] = before[start &+ index] + share * (after[start &+ index] - before[start &+ index])
            index &+= 1
        }
    }

    /// Smooths the gains so far that their filter is as long as a block allows.
    @_noLocks @_noAllocation
    private func design(_ gains: UnsafePointer<Float>, _ fft: borrowing RealFFT) {
        SpectralMath.copy(gains, to: shaped, Block.bins)
        SpectralMath.fill(shaped + Block.imaginary, Block.imaginary)
        fft.inverse(shaped, into: response)
        var tap = 1
        while tap < 256 {
            // A window of the second order: 1 at the middle, 0 from 128 on.
            let distance = Float(tap) / 128
            let window = tap < 128 ? (1 - distance * distance) * (1 - distance * distance) : 0
            response[tap] *= window
            response[Block.transform &- tap] *= window
            tap &+= 1
        }
        response[256] = 0
        fft.forward(response, into: shaped)
        SpectralMath.copy(shaped, to: applied, Block.imaginary)
    }

    @_noLocks @_noAllocation
    private func filter(
        _ spectrum: UnsafePointer<Float>, _ gains: UnsafePointer<Float>, _ fft: borrowing RealFFT,
        into samples: UnsafeMutablePointer<Float>
    ) {
        let imaginary = Block.imaginary
        var bin = 0
        while bin < imaginary {
            shaped[bin] = spectrum[bin] * gains[bin]
            shaped[imaginary &+ bin] = spectrum[imaginary &+ bin] * gains[bin]
            bin &+= 1
        }
        fft.inverse(shaped, into: samples)
    }
}
