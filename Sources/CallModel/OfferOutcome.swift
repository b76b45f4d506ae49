/// What the peer said to a re-offer of ours.
public enum OfferOutcome: Sendable, Hashable {
    case accepted
    /// A final answer other than 2xx; the old session goes on (RFC 3261 §14.1).
    case refused(status: Int, text: String)
    /// A later attempt took its place before it was sent.
    case superseded
}
