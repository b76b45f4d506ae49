internal import Glibc

/// What a probe sends: each second a sweep, by which delay is found, a short rest, and a tone, which is measured.
public struct ProbeSignal: Sendable, Hashable {
    public static let secondsRange = 1...60
    /// In Hz: what narrow-band telephony carries, too.
    public static let frequencyRange = 100...3_400
    /// RMS in dBFS; a full-scale sine is -3.
    public static let levelRange = -60...(-6)

    /// Samples a second.
    static let rate = 48_000
    /// Silence before the first sweep, in which noise is measured, and after the last tone.
    public static let restSamples = rate
    /// 60 ms.
    static let sweepSamples = 2_880
    /// Where in its second the tone begins: 40 ms after the sweep.
    static let toneStart = 4_800
    /// 5 ms, over which sweep and tone begin and end.
    static let edge = 240

    /// How long, 1...60.
    public let seconds: Int
    /// Of the tone, in Hz.
    public let frequency: Int
    /// RMS of sweep and tone, in dBFS.
    public let level: Int

    /// What is out of range is taken as the nearest that is not.
    public init(seconds: Int = 5, frequency: Int = 1_000, level: Int = -20) {
        self.seconds = min(max(seconds, Self.secondsRange.lowerBound), Self.secondsRange.upperBound)
        self.frequency = min(max(frequency, Self.frequencyRange.lowerBound), Self.frequencyRange.upperBound)
        self.level = min(max(level, Self.levelRange.lowerBound), Self.levelRange.upperBound)
    }

    /// All of it, without the rests before and after.
    public var samples: [Int16] {
        let sweep = sweep
        let tone = (0..<(Self.rate - Self.toneStart)).map { index in
            sample(
                2 * .pi * Double(frequency) * Double(index) / Double(Self.rate), index, of: Self.rate - Self.toneStart)
        }
        let second = sweep + [Int16](repeating: 0, count: Self.toneStart - Self.sweepSamples) + tone
        return (0..<seconds).flatMap { _ in second }
    }

    /// 300 to 3,300 Hz.
    var sweep: [Int16] {
        (0..<Self.sweepSamples).map { index in
            let time = Double(index) / Double(Self.rate)
            let length = Double(Self.sweepSamples) / Double(Self.rate)
            return sample(2 * .pi * (300 * time + 3_000 * time * time / (2 * length)), index, of: Self.sweepSamples)
        }
    }

    private func sample(_ phase: Double, _ index: Int, of count: Int) -> Int16 {
        let peak = pow(10, Double(level) / 20) * 32_768 * 2.0.squareRoot()
        let envelope = Double(min(index, count - 1 - index, Self.edge)) / Double(Self.edge)
        return Int16(clamping: Int((peak * envelope * sin(phase)).rounded()))
    }
}
