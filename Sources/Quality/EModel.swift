internal import Glibc
public import MediaDescription

/// How good a conversation is, computed from what is measured: the E-model (ITU-T G.107), at its defaults but for delay, loss
/// and codec.
public enum EModel {
    /// The transmission rating, 0 (useless) ... 93.2 (as good as a telephone gets).
    ///
    /// - Parameters:
    ///   - delay: from mouth to ear, in milliseconds.
    ///   - loss: share of the sound that was missing, 0...1.
    ///   - burstRatio: how much longer its stretches are than by chance, at least 1.
    public static func rating(delay: Double, loss: Double, burstRatio: Double, codec: Codec) -> Double {
        let delay = bounded(delay, 0...10_000)
        let percent = bounded(loss, 0...1) * 100
        let (equipment, robustness) = impairment(of: codec)
        let effective = equipment + (95 - equipment) * percent / (percent / bounded(burstRatio, 1...100) + robustness)
        let rating =
            signalToNoise - simultaneous - talkerEcho(delay) - listenerEcho(delay) - pureDelay(delay) - effective
        return min(max(rating, 0), 100)
    }

    /// The mean opinion score that goes with a rating, 1.0...4.5 (G.107 Annex B).
    public static func meanOpinionScore(rating: Double) -> Double {
        guard rating > 0 else { return 1 }
        guard rating < 100 else { return 4.5 }
        // The cubic dips below 1 for the lowest ratings.
        return max(1, 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6)
    }

    /// Ro, Is and No at the defaults of G.107 Table 2.
    private static let signalToNoise = 94.77
    private static let simultaneous = 1.41
    private static let noise = -61.18

    /// Ie and Bpl. For G.711 with concealment G.113 Appendix I has them. It has none for the wide-band codecs on this scale;
    /// they conceal no worse.
    private static func impairment(of codec: Codec) -> (equipment: Double, robustness: Double) {
        switch codec {
        case .pcma, .pcmu, .g722, .opus: (0, 25.1)
        }
    }

    /// Idte (G.107 §7.5), for a telephone whose echo loss is 65 dB.
    private static func talkerEcho(_ delay: Double) -> Double {
        let loudness = 65 - 40 * log10((1 + delay / 10) / (1 + delay / 150)) + 6 * exp(-0.3 * delay * delay)
        let echo = 80 + 2.5 * (loudness - 14)
        let noisy = -1.5 * (noise - 2)
        return (half(noisy - echo, 100) - 1) * (1 - exp(-delay))
    }

    /// Idle.
    private static func listenerEcho(_ delay: Double) -> Double {
        half(signalToNoise - 10.5 * (110 + 7) * pow(2 * delay + 1, -0.25), 169)
    }

    /// Idd: beyond 100 ms people begin to speak into each other's words.
    private static func pureDelay(_ delay: Double) -> Double {
        guard delay > 100 else { return 0 }
        let octaves = log2(delay / 100)
        return 25 * (sixth(octaves) - 3 * sixth(octaves / 3) + 2)
    }

    private static func sixth(_ value: Double) -> Double { pow(1 + pow(value, 6), 1.0 / 6) }

    private static func half(_ difference: Double, _ constant: Double) -> Double {
        difference / 2 + (difference * difference / 4 + constant).squareRoot()
    }

    private static func bounded(_ value: Double, _ range: ClosedRange<Double>) -> Double {
        value.isNaN ? range.lowerBound : min(max(value, range.lowerBound), range.upperBound)
    }
}
