import Glibc
import Testing

@testable import HandsFree

@Suite("Fourier transform") struct RealFFTTests {
    @Test("is what its definition says")
    func definition() {
        let fft = RealFFT()
        var random = Noise(seed: 4)
        let samples = random.samples(512, rms: 1_000)
        var spectrum = [Float](repeating: 0, count: Block.spectrum)
        fft.forward(samples, into: &spectrum)
        for bin in [0, 1, 2, 63, 64, 100, 128, 200, 255, 256] {
            var (real, imaginary) = (0.0, 0.0)
            for (index, sample) in samples.enumerated() {
                let angle = 2 * Double.pi * Double(bin * index % 512) / 512
                real += Double(sample) * cos(angle)
                imaginary -= Double(sample) * sin(angle)
            }
            #expect(abs(Double(spectrum[bin]) - real) < 0.5)
            #expect(abs(Double(spectrum[Block.imaginary + bin]) - imaginary) < 0.5)
        }
    }

    @Test("comes back to where it began")
    func back() {
        let fft = RealFFT()
        var random = Noise(seed: 5)
        let samples = random.samples(512, rms: 3_000)
        var spectrum = [Float](repeating: 0, count: Block.spectrum)
        var again = [Float](repeating: 0, count: 512)
        fft.forward(samples, into: &spectrum)
        fft.inverse(spectrum, into: &again)
        for index in 0..<512 { #expect(abs(again[index] - samples[index]) < 0.02) }
    }

    @Test("The root of a gain is right to five digits", arguments: [1e-12, 3e-5, 0.06, 0.5, 1, 2, 1_000] as [Float])
    func root(x: Float) {
        #expect(abs(SpectralMath.root(x) / x.squareRoot() - 1) < 1e-5)
    }
}
