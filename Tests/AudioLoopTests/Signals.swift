import Glibc

/// Sounds to test with, at 48 kHz.
enum Signals {
    /// A sine of this peak.
    static func sine(_ hertz: Double, _ count: Int, peak: Double = 10_000) -> [Int16] {
        (0..<count).map { wave(hertz, at: $0, peak: peak) }
    }

    static func wave(_ hertz: Double, at index: Int, peak: Double) -> Int16 {
        Int16(sin(2 * .pi * hertz * Double(index) / 48_000) * peak)
    }

    /// Harmonics of 120 Hz, loud and soft by turns: to Opus, a voice.
    static func buzz(_ count: Int) -> [Int16] {
        (0..<count).map { index in
            let time = Double(index) / 48_000
            let loudness = 2_000 + 1_400 * sin(2 * .pi * 3 * time)
            return Int16((1...20).reduce(0.0) { $0 + sin(2 * .pi * 120 * Double($1) * time) / Double($1) } * loudness)
        }
    }

    static func rms(_ samples: some Collection<Int16>) -> Double {
        guard !samples.isEmpty else { return 0 }
        return sqrt(samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(samples.count))
    }

    /// The largest step from one sample to the next.
    static func steepest(_ samples: some Sequence<Int16>) -> Int {
        var (steepest, last): (Int, Int?) = (0, nil)
        for sample in samples {
            steepest = max(steepest, abs(Int(sample) - (last ?? Int(sample))))
            last = Int(sample)
        }
        return steepest
    }

    /// The peak of the sine of this frequency in `samples`.
    static func peak(of hertz: Double, in samples: some Collection<Int16>) -> Double {
        var (real, imaginary) = (0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            let angle = 2 * .pi * hertz * Double(index) / 48_000
            real += Double(sample) * cos(angle)
            imaginary += Double(sample) * sin(angle)
        }
        return 2 * sqrt(real * real + imaginary * imaginary) / Double(max(samples.count, 1))
    }
}
