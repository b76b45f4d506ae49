/// Why a request of a client has no result.
public enum HandsetError: Error, Sendable, Hashable {
    /// The daemon's answer: it did not do it, and says why.
    case refused(ControlError)
    /// No daemon can be reached; the text says where it was looked for, and what to do.
    case unreachable(String)
    /// The connection was lost while the request was under way, and it may or may not have been carried out.
    case interrupted(String)
    /// The task was cancelled. A request that had been sent is carried out all the same.
    case cancelled
    /// The daemon's answer is not what the protocol says: client and daemon are of different versions.
    case malformed(String)
    /// `Handset.close` was called.
    case closed

    /// The one word of a failed action that programs can rely on; nil for what is not the daemon's refusal, and for a
    /// word that this version does not know.
    public var reason: FailureReason? {
        guard case .refused(let error) = self else { return nil }
        return error.reason.flatMap(FailureReason.init(rawValue:))
    }

    /// For people: what happened, to what, and what to do.
    public var message: String {
        switch self {
        case .refused(let error):
            let text = error.reason.map { "\($0): \(error.message)" } ?? error.message
            return error.sipStatus.map { "\(text) (SIP \($0))" } ?? text
        case .unreachable(let text), .interrupted(let text), .malformed(let text): return text
        case .cancelled: return "cancelled before the daemon had answered"
        case .closed: return "this connection was closed"
        }
    }
}

extension HandsetError: CustomStringConvertible {
    public var description: String { message }
}
