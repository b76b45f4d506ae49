/// How a call is refused: 603 or 486.
public enum RejectReason: String, Sendable, CaseIterable {
    case declined, busy
}
