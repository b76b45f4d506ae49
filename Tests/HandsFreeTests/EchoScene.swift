import Glibc

@testable import HandsFree

/// A room with a loudspeaker and a microphone, somebody far away who is heard there, and somebody in it who speaks.
struct EchoScene {
    static let rate = 48_000
    /// Samples of a turn.
    var period = 480
    /// What the other party says.
    var far: [Float]
    /// What is said here, as the microphone hears it.
    var near: [Float]
    /// The echo alone.
    var echo: [Float]
    var noise: [Float]

    init(far: [Float], room: [Float], near: [Float]? = nil, noiseLevel: Double = 3) {
        self.far = far
        self.near = near ?? [Float](repeating: 0, count: far.count)
        echo = Self.convolve(far, room)
        var random = Noise(seed: 99)
        noise = random.samples(far.count, rms: noiseLevel)
    }

    /// What the microphone hears.
    var microphone: [Int16] {
        (0..<far.count).map { Int16(max(-32_768, min(32_767, (echo[$0] + near[$0] + noise[$0]).rounded()))) }
    }

    /// What is sent, as late as it comes.
    ///
    /// - Parameter afterEach: given what is told after a turn.
    func run(
        _ canceller: inout HandsFree, withReference: Bool = true,
        afterEach: (EchoFigures) -> Void = { _ in }
    ) -> [Int16] {
        let captured = microphone
        let played = far.map { Int16(max(-32_768, min(32_767, $0.rounded()))) }
        var sent = [Int16](repeating: 0, count: captured.count)
        captured.withUnsafeBufferPointer { captured in
            played.withUnsafeBufferPointer { played in
                sent.withUnsafeMutableBufferPointer { sent in
                    guard let captured = captured.baseAddress, let played = played.baseAddress,
                        let sent = sent.baseAddress
                    else { return }
                    var place = 0
                    while place + period <= self.far.count {
                        canceller.process(
                            captured + place, reference: withReference ? played + place : nil, period,
                            into: sent + place)
                        place += period
                        afterEach(canceller.figures)
                    }
                }
            }
        }
        return sent
    }

    /// The convolution, as long as `sound`.
    static func convolve(_ sound: [Float], _ response: [Float]) -> [Float] {
        let fft = RealFFT()
        let block = 256
        let parts = (response.count + block - 1) / block
        func spectrum(of samples: ArraySlice<Float>) -> [Float] {
            var padded = [Float](repeating: 0, count: 512)
            for (index, sample) in samples.enumerated() { padded[index] = sample }
            var spectrum = [Float](repeating: 0, count: Block.spectrum)
            fft.forward(padded, into: &spectrum)
            return spectrum
        }
        let rows = (0..<parts).map { part in
            spectrum(of: response[(part * block)..<min(response.count, (part + 1) * block)])
        }
        var result = [Float](repeating: 0, count: sound.count + 512)
        var history: [[Float]] = []
        for start in stride(from: 0, to: sound.count, by: block) {
            history.insert(spectrum(of: sound[start..<min(sound.count, start + block)]), at: 0)
            if history.count > parts { history.removeLast() }
            var sum = [Float](repeating: 0, count: Block.spectrum)
            for (part, spectrum) in history.enumerated() { SpectralMath.multiplyAdd(rows[part], spectrum, to: &sum) }
            var samples = [Float](repeating: 0, count: 512)
            fft.inverse(sum, into: &samples)
            for index in 0..<512 where start + index < result.count { result[start + index] += samples[index] }
        }
        return Array(result.prefix(sound.count))
    }

    /// The energy of so many seconds.
    static func energy(_ samples: [Float], _ seconds: Range<Double>) -> Double {
        let range = Int(seconds.lowerBound * 48_000)..<min(samples.count, Int(seconds.upperBound * 48_000))
        return samples[range].reduce(0.0) { $0 + Double($1) * Double($1) } + 1
    }

    static func energy(_ samples: [Int16], _ seconds: Range<Double>) -> Double {
        energy(samples.map(Float.init), seconds)
    }

    static func decibels(_ ratio: Double) -> Double { 10 * log10(ratio) }
}
