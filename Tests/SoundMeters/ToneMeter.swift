internal import Glibc

/// How loud and how clean a tone is whose pitch may waver.
public struct ToneMeter: Sendable {
    /// The least and the greatest peak of the tone in blocks of 100 ms.
    public private(set) var peaks = (least: Double.infinity, most: 0.0)
    /// The lowest and the highest pitch, in Hz.
    public private(set) var pitches = (lowest: Double.infinity, highest: 0.0)
    /// The mean pitch, in Hz.
    public private(set) var pitch = 0.0
    /// What is heard beside the tone in the worst block, in dB against the tone.
    public private(set) var residual = -Double.infinity

    /// - Parameter hertz: the tone's pitch, give or take 4 Hz.
    public init(_ sound: some Collection<Int16>, hertz: Double) {
        let samples = sound.map(Double.init)
        for start in stride(from: 0, through: samples.count - Self.block, by: Self.block) {
            measure(Array(samples[start..<start + Self.block]), hertz)
        }
        pitch /= Double(max(samples.count / Self.block, 1))
    }

    private static let block = 4_800

    private mutating func measure(_ block: [Double], _ nominal: Double) {
        let half = block.count / 2
        var hertz = nominal
        // The pitch is what takes the phase from the middle of one half to that of the other.
        for _ in 0..<3 {
            let (first, second) = (Fit(block[..<half], hertz), Fit(block[half...], hertz))
            let turned = (second.phase - first.phase) / (2 * .pi)
            hertz += (turned - turned.rounded()) / (Double(half) / 48_000)
        }
        let fit = Fit(block[...], hertz)
        peaks = (min(peaks.least, fit.peak), max(peaks.most, fit.peak))
        pitches = (min(pitches.lowest, hertz), max(pitches.highest, hertz))
        pitch += hertz
        residual = max(residual, 10 * log10(max(fit.rest, 1e-9) / (fit.peak * fit.peak / 2)))
    }

    /// The sine of a pitch that is nearest to some samples, by least squares; its phase is that at sample 0 of their array.
    private struct Fit {
        let peak: Double
        let phase: Double
        /// Mean square of what is left.
        let rest: Double

        init(_ samples: ArraySlice<Double>, _ hertz: Double) {
            let step = 2 * Double.pi * hertz / 48_000
            var (cc, cs, ss, cx, sx, xx) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            for index in samples.indices {
                let (c, s, x) = (cos(step * Double(index)), sin(step * Double(index)), samples[index])
                (cc, cs, ss) = (cc + c * c, cs + c * s, ss + s * s)
                (cx, sx, xx) = (cx + c * x, sx + s * x, xx + x * x)
            }
            let determinant = cc * ss - cs * cs
            let (a, b) = ((cx * ss - sx * cs) / determinant, (sx * cc - cx * cs) / determinant)
            peak = (a * a + b * b).squareRoot()
            phase = atan2(-b, a)
            rest = max(xx - a * cx - b * sx, 0) / Double(samples.count)
        }
    }
}
