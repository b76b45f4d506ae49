/// What the ringer sounds like.
public enum RingSound: Sendable, Hashable {
    /// The built-in ring tone.
    case standard
    /// It does not sound.
    case silent
    /// A WAV or Ogg Opus file.
    case file(String)

    /// The words of the configuration: empty, `silent`, or a path.
    public init(setting text: String) {
        switch text {
        case "": self = .standard
        case "silent": self = .silent
        default: self = .file(text)
        }
    }
}
