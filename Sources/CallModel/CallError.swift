/// The one word of a failed action that programs can rely on.
public enum FailureReason: String, Sendable, Hashable, CaseIterable {
    case unknownCall, unknownAccount, callAlreadyExists, invalidState, invalidHandle, holdNotSupported, notSupported
    case emptyTransaction, maximumCallsReached, notRegistered, notPermitted, busy, declined, unanswered, blocked
    case doNotDisturb, mediaFailed, deviceUnavailable, fileUnusable, timedOut, superseded, cancelled, refused
    case unreachable
}

/// Why an action failed, for programs (`reason`) and for people (`message`).
public struct CallError: Error, Hashable, Sendable {
    public var reason: FailureReason
    /// What happened, to what, and what to do: one sentence.
    public var message: String
    /// The peer's final SIP status, 300...699, where it was the peer who refused.
    public var sipStatus: Int?

    public init(_ reason: FailureReason, _ message: String, sipStatus: Int? = nil) {
        self.reason = reason
        self.message = message
        self.sipStatus = sipStatus
    }
}

/// Why a call ended.
public enum EndReason: Hashable, Sendable {
    case localEnded, remoteEnded, declined, busy, unanswered, answeredElsewhere, declinedElsewhere
    case doNotDisturb, blocked
    /// The remote party goes on without this call: we have transferred it, or another call has taken this one's place.
    case transferred
    /// `status` is the SIP status where there was one, `text` is for people. A call that was dialled and has none has reached
    /// nobody: its name has no address, nothing can be sent there, or nothing answers.
    case failed(status: Int?, text: String)

    /// The word that control clients see.
    public var word: String {
        switch self {
        case .localEnded: "localEnded"
        case .remoteEnded: "remoteEnded"
        case .declined: "declined"
        case .busy: "busy"
        case .unanswered: "unanswered"
        case .answeredElsewhere: "answeredElsewhere"
        case .declinedElsewhere: "declinedElsewhere"
        case .doNotDisturb: "doNotDisturb"
        case .blocked: "blocked"
        case .transferred: "transferred"
        case .failed: "failed"
        }
    }
    /// Those that a word says all of: all but `failed`.
    public static let plain: [EndReason] = [
        .localEnded, .remoteEnded, .declined, .busy, .unanswered, .answeredElsewhere, .declinedElsewhere, .doNotDisturb,
        .blocked, .transferred,
    ]

    /// The reason of that word; nil where there is none. `status` and `text` say more of `failed`.
    public init?(word: String, status: Int?, text: String?) {
        if word == "failed" {
            self = .failed(status: status, text: text ?? "")
        } else if let reason = Self.plain.first(where: { $0.word == word }) {
            self = reason
        } else {
            return nil
        }
    }
}
