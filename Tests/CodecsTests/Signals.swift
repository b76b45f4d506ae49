import Glibc

/// Sounds to test with, at 48 kHz.
enum Signals {
    /// A sine of this peak.
    static func sine(_ hertz: Double, _ count: Int, peak: Double = 10_000) -> [Int16] {
        (0..<count).map { Int16(sin(2 * .pi * hertz * Double($0) / 48_000) * peak) }
    }

    /// Something like a vowel: a pitch of 120 Hz with formants, loud and soft by turns.
    static func voice(_ count: Int) -> [Int16] {
        (0..<count).map { index in
            let time = Double(index) / 48_000
            let loudness = 0.6 + 0.4 * sin(2 * .pi * 3 * time)
            var sum = 0.0
            for harmonic in 1...25 {
                let hertz = 120.0 * Double(harmonic)
                let weight = exp(-pow((hertz - 700) / 400, 2)) + 0.5 * exp(-pow((hertz - 1_800) / 500, 2)) + 0.05
                sum += weight * sin(2 * .pi * hertz * time)
            }
            return Int16(max(min(sum * loudness * 2_500, 32_000), -32_000))
        }
    }

    /// The same with breath up to 20 kHz.
    static func breathyVoice(_ count: Int) -> [Int16] {
        var noise: UInt32 = 1
        return voice(count).map { sample in
            noise = noise &* 1_664_525 &+ 1_013_904_223
            return Int16(clamping: Int(sample) + Int(noise >> 20) - 2_048)
        }
    }

    /// White noise, the same in every run.
    static func noise(_ count: Int, rms: Double) -> [Int16] {
        var state: UInt64 = 1
        return (0..<count).map { _ in
            // The sum of four even ones is all but normal.
            let sum = (0..<4).reduce(0.0) { sum, _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return sum + Double(state >> 32) / 4_294_967_296 - 0.5
            }
            return Int16((sum * 3.0.squareRoot() * rms).rounded())
        }
    }

    static func rms(_ samples: some Collection<Int16>) -> Double {
        guard !samples.isEmpty else { return 0 }
        return sqrt(samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(samples.count))
    }

    /// The best signal-to-noise ratio in dB over all delays up to `latest`.
    static func ratio(of heard: [Int16], to sent: [Int16], latest: Int = 1_200) -> Double {
        let length = min(9_600, sent.count / 3)
        let from = sent.count / 2
        var best = -100.0
        for delay in 0..<latest where from + delay + length <= heard.count {
            var (signal, noise) = (0.0, 1.0)
            for index in 0..<length {
                let (a, b) = (Double(sent[from + index]), Double(heard[from + delay + index]))
                signal += a * a
                noise += (a - b) * (a - b)
            }
            best = max(best, 10 * log10(signal / noise))
        }
        return best
    }
}
