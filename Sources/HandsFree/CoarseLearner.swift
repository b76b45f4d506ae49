/// Learns an echo path by normalised steps, each as long as the last: it is never sure, and follows every change.
struct CoarseLearner: ~Copyable {
    private let length: Int
    private let rows: FloatRows
    private let power: UnsafeMutablePointer<Float>
    private let step: UnsafeMutablePointer<Float>
    private var turn = 0

    /// - Parameter length: parts of the path.
    init(length: Int) {
        self.length = length
        var rows = FloatRows(2, of: 2 * Block.imaginary)
        power = rows.next(Block.imaginary)
        step = rows.next(Block.imaginary)
        self.rows = rows
    }

    /// A step, from the spectrum of what the path left over.
    @_noLocks @_noAllocation
    mutating func learn(
        _ path: borrowing EchoPath, from error: UnsafePointer<Float>, reference: borrowing ReferenceHistory,
        offset: Int, using fft: borrowing RealFFT
    ) {
        let imaginary = Block.imaginary
        let (power, step) = (self.power, self.step)
        SpectralMath.fill(power, imaginary)
        var part = 0
        while part < length {
            SpectralMath.addPower(reference.spectrum(offset &+ part), to: power)
            part &+= 1
        }
        var bin = 0
        while bin < imaginary {
            step[bin] = 0.6 / (power[bin] * Block.share + 2_000)
            bin &+= 1
        }
        part = 0
        while part < length {
            let (x, w) = (reference.spectrum(offset &+ part), path.part(part))
            bin = 0
            while bin < imaginary {
                let (xr, xi) = (x[bin], x[imaginary &+ bin])
                let (er, ei) = (error[bin] * step[bin], error[imaginary &+ bin] * step[bin])
                w[bin] += xr * er + xi * ei
                w[imaginary &+ bin] += xr * ei - xi * er
                bin &+= 1
            }
            part &+= 1
        }
        path.constrain(turn % length, using: fft)
        path.constrain((turn &+ length / 2) % length, using: fft)
        turn &+= 1
    }
}
