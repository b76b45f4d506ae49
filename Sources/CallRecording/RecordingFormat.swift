/// What a recording is written as.
public enum RecordingFormat: String, Sendable, Hashable, CaseIterable {
    /// Ogg Opus (RFC 7845), 64 kbit/s at most: about 29 MB an hour, and much less where little is said.
    case opus
    /// WAV, 48 kHz 16-bit: 691 MB an hour, six hours at most.
    case wav

    /// What a file's name says it is; nil where it ends in neither `.opus`, `.ogg` nor `.wav`.
    public init?(ofFile name: String) {
        let name = name.lowercased()
        if name.hasSuffix(".wav") {
            self = .wav
        } else if name.hasSuffix(".opus") || name.hasSuffix(".ogg") {
            self = .opus
        } else {
            return nil
        }
    }
}
