/// Learns an echo path by weighing, for every part and frequency of it, how unsure it still is against how much else the
/// microphone hears: a Kalman filter with diagonal covariances (Enzner and Vary 2006), so that who speaks here spoils nothing.
struct KalmanLearner: ~Copyable {
    private let length: Int
    private let rows: FloatRows
    /// How unsure each weight is: the expected square of its error.
    private let doubt: UnsafeMutablePointer<Float>
    /// What the path is expected to leave over: the power of each frequency of a block.
    let expected: UnsafeMutablePointer<Float>
    /// The power of what it left over, smoothed.
    private let remainder: UnsafeMutablePointer<Float>
    private let step: UnsafeMutablePointer<Float>
    private var turn = 0

    /// How much of its certainty a weight keeps over a block, and how much of its square becomes doubt.
    private static var kept: Float {
        @_noLocks @_noAllocation get { 0.9995 }
    }
    /// Rooms die away by 60 dB in half a second: by so much in a block, as a ratio of powers.
    private static var decay: Float {
        @_noLocks @_noAllocation get { 0.87 }
    }

    /// - Parameter length: parts of the path.
    init(length: Int) {
        self.length = length
        let bins = Block.imaginary
        var rows = FloatRows(4, of: (length + 3) * bins)
        doubt = rows.next(length * bins)
        expected = rows.next(bins)
        remainder = rows.next(bins)
        step = rows.next(bins)
        self.rows = rows
        forget()
    }

    /// Nothing is known any more: a loudspeaker is expected to be heard nearly as loud as it is.
    @_noLocks @_noAllocation
    func forget() {
        SpectralMath.fill(doubt, length &* Block.imaginary)
        doubtAtLeast(0.1)
    }

    /// Parts are no surer than this at the beginning, and than rooms are likely to be later on.
    @_noLocks @_noAllocation
    private func doubtAtLeast(_ beginning: Float) {
        var expectation = beginning
        var part = 0
        while part < length {
            let p = doubt + part &* Block.imaginary
            var bin = 0
            while bin < Block.imaginary {
                p[bin] = max(p[bin], expectation)
                bin &+= 1
            }
            expectation *= Self.decay
            part &+= 1
        }
    }

    /// The path has changed: what is left over now is what is not known of it.
    @_noLocks @_noAllocation
    func doubtWhatIsLeft(reference: borrowing ReferenceHistory, offset: Int) {
        var (expectation, played, left): (Float, Float, Float) = (1, 0, 0)
        var part = 0
        while part < length {
            played += expectation * SpectralMath.energy(reference.spectrum(offset &+ part), Block.spectrum)
            expectation *= Self.decay
            part &+= 1
        }
        var bin = 0
        while bin < Block.bins {
            left += remainder[bin]
            bin &+= 1
        }
        doubtAtLeast(min(max(2 * left / (Block.share * played + 1), 0.001), 1))
    }

    /// As `EchoPath.move`; what is the beginning now is as unsure as one can be.
    @_noLocks @_noAllocation
    func move(by blocks: Int) {
        SpectralMath.slide(doubt, Block.imaginary, length, by: blocks, fillingWith: 0.05)
        doubtAtLeast(0.3)
    }

    /// Nothing is played.
    @_noLocks @_noAllocation
    func rest() { SpectralMath.fill(expected, Block.imaginary) }

    /// A step, from the spectrum of what the path left over.
    @_noLocks @_noAllocation
    mutating func learn(
        _ path: borrowing EchoPath, from error: UnsafePointer<Float>, reference: borrowing ReferenceHistory,
        offset: Int, using fft: borrowing RealFFT
    ) {
        expect(reference, offset)
        let (expected, remainder, step) = (self.expected, self.remainder, self.step)
        var bin = 0
        while bin < Block.imaginary {
            remainder[bin] += 0.25 * (SpectralMath.power(error, bin) - remainder[bin])
            expected[bin] *= Block.share
            step[bin] = 1 / (expected[bin] + remainder[bin] + 1_000)
            bin &+= 1
        }
        var part = 0
        while part < length {
            update(path.part(part), doubt + part &* Block.imaginary, reference.spectrum(offset &+ part), error)
            part &+= 1
        }
        path.constrain(turn % length, using: fft)
        path.constrain((turn &+ length / 2) % length, using: fft)
        if turn % length != 0 { path.constrain(turn % 2, using: fft) }
        turn &+= 1
    }

    @_noLocks @_noAllocation
    private func expect(_ reference: borrowing ReferenceHistory, _ offset: Int) {
        let expected = self.expected
        SpectralMath.fill(expected, Block.imaginary)
        var part = 0
        while part < length {
            let (x, p) = (reference.spectrum(offset &+ part), UnsafePointer(doubt + part &* Block.imaginary))
            var bin = 0
            while bin < Block.imaginary {
                expected[bin] += p[bin] * SpectralMath.power(x, bin)
                bin &+= 1
            }
            part &+= 1
        }
    }

    @_noLocks @_noAllocation @inline(__always)
    private func update(
        _ w: UnsafeMutablePointer<Float>, _ p: UnsafeMutablePointer<Float>, _ x: UnsafePointer<Float>,
        _ error: UnsafePointer<Float>
    ) {
        let imaginary = Block.imaginary
        let step = UnsafePointer(self.step)
        let (share, kept) = (Block.share, Self.kept)
        var bin = 0
        while bin < imaginary {
            let (xr, xi) = (x[bin], x[imaginary &+ bin])
            let (er, ei) = (error[bin], error[imaginary &+ bin])
            let gain = p[bin] * step[bin]
            let wr = w[bin] + gain * (xr * er + xi * ei)
            let wi = w[imaginary &+ bin] + gain * (xr * ei - xi * er)
            w[bin] = wr
            w[imaginary &+ bin] = wi
            let sure = 1 - share * gain * (xr * xr + xi * xi)
            p[bin] = kept * sure * p[bin] + (1 - kept) * (wr * wr + wi * wi)
            bin &+= 1
        }
    }
}
