import Glibc

/// Something like a voice: syllables of harmonics, at a pitch that wanders, with pauses.
enum Voice {
    static func say(seconds: Int, pitch: Double = 120, seed: UInt64 = 1) -> [Int16] {
        var dice = Chance(seed)
        var (phase, hertz, loudness, wanted) = (0.0, pitch, 0.0, 0.0)
        return (0..<seconds * 48_000).map { index in
            if index % 7_200 == 0 {
                wanted = dice.share() < 0.3 ? 0 : 0.4 + 0.6 * dice.share()
                hertz = pitch * (0.85 + 0.3 * dice.share())
            }
            loudness += (wanted - loudness) / 1_200
            phase += 2 * .pi * hertz / 48_000
            let sum = (1...18).reduce(0.0) { $0 + sin(phase * Double($1)) / (1 + 0.4 * Double($1)) }
            return Int16(max(-32_000, min(32_000, sum * loudness * 3_500)))
        }
    }
}
