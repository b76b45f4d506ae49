/// An INVITE of somebody else that shall take this session's place (RFC 3891 §3).
extension InviteSession {
    /// What such an INVITE comes to, as far as this session is concerned.
    public enum Replacement: Sendable, Hashable {
        /// It names another dialogue.
        case notMeant
        case possible
        /// 481, 486 or 603.
        case refused(status: Int)
    }

    /// What becomes of an INVITE that names this dialogue, or another one.
    public func replacement(by replaces: Replaces) -> Replacement {
        guard dialogs.values.contains(where: { $0.id.matches(replaces) }) else { return .notMeant }
        switch phase {
        case .ended: return .refused(status: 603)
        case .confirmed, .accepted: return replaces.isEarlyOnly ? .refused(status: 486) : .possible
        case .calling: return .possible
        // An early dialogue that the other party has begun cannot be replaced at this end.
        case .ringing: return .refused(status: 481)
        case .idle: return .notMeant
        }
    }
}
