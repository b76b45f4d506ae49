/// What a call is for that is nobody's conversation: the daemon itself is at this end of it, without microphone and
/// loudspeaker, beside all other calls.
public enum CallService: String, Sendable, Hashable, CaseIterable {
    /// The remote party hears itself.
    case echo
    /// Sound is sent and what comes back is measured.
    case probe
}
