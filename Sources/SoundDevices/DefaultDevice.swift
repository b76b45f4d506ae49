internal import Glibc

/// What stands in for ALSA's `default` where that leads nowhere: it may name a sound server of a desktop session, which a
/// system service does not reach, or a card that is not there.
enum DefaultDevice {
    /// The PCM names to try in place of `name`, which failed with the errno value `code`.
    static func substitutes(for name: String, code: Int32, cards: [SoundCards.Card]) -> [String] {
        guard name == "default", [ENOENT, ENODEV, ENXIO, EHOSTDOWN, ECONNREFUSED].contains(code) else {
            return []
        }
        return cards.map { "sysdefault:CARD=\($0.identifier)" }
    }
}
