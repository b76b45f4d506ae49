/// What a client can ask of the calls.
public enum CallRequest: Sendable, Hashable {
    /// Places a call; `id` is its name, a new one where nil. `account` is the first one where nil.
    case start(Handle, account: String?, id: CallID?)
    case answer(CallID)
    /// Answers, and ends whichever call is active or being dialled instead of holding it.
    case endAndAnswer(CallID)
    case reject(CallID, RejectReason)
    case end(CallID)
    case hold(CallID)
    case resume(CallID)
    case mute(CallID)
    case unmute(CallID)
    case earmuff(CallID)
    case unearmuff(CallID)
    case dtmf(CallID, DigitString)
    /// Has the remote party go on with somebody else, without us.
    case transfer(CallID, to: TransferTarget)
    /// Makes one group of two or more calls and of the groups they are in, and resumes those of them that are held.
    case merge([CallID])
    /// Takes a call out of its group: it becomes the active one, the rest of the group is held.
    case split(CallID)

    /// The most actions that one transaction may have.
    public static let maximumPerTransaction = 16
    /// The most calls that one merge may name: as many as there can be (`calls.maximum_calls`).
    public static let maximumMerged = 16

    /// The call that is meant, the first of several; nil for a start that leaves the name to the daemon.
    public var call: CallID? { calls.first }

    /// All calls that are named.
    public var calls: [CallID] {
        switch self {
        case .start(_, _, let id): id.map { [$0] } ?? []
        case .merge(let ids): ids
        case .answer(let id), .endAndAnswer(let id), .reject(let id, _), .end(let id), .hold(let id), .resume(let id),
            .mute(let id), .unmute(let id), .earmuff(let id), .unearmuff(let id), .dtmf(let id, _), .split(let id),
            .transfer(let id, _):
            [id]
        }
    }
}

/// The end of an action that was fulfilled.
public struct ActionResult: Sendable, Hashable {
    /// The call as it was right after the action.
    public var call: CallSnapshot
    /// Whether the action changed anything: false where the call was already as asked.
    public var changed: Bool
    /// From the reading of the request to its end, in milliseconds.
    public var elapsedMs: Double
    /// From the reading of the request to the audio loop's acknowledgement, in milliseconds; nil where the action moved
    /// no gate.
    public var appliedMs: Double?
    /// Whether the remote party agreed to be held; nil for everything but a hold.
    public var peerNotified: Bool?

    public init(
        call: CallSnapshot, changed: Bool, elapsedMs: Double, appliedMs: Double? = nil, peerNotified: Bool? = nil
    ) {
        self.call = call
        self.changed = changed
        self.elapsedMs = elapsedMs
        self.appliedMs = appliedMs
        self.peerNotified = peerNotified
    }
}

/// How one action of a transaction ended.
public struct ActionReport: Sendable, Hashable {
    public var request: CallRequest
    /// `cancelled` where an earlier action of the transaction failed, where another one could not be carried out at all,
    /// and where this one was undone because a later one failed.
    public var result: Result<ActionResult, CallError>
    /// From the reading of the request to the end of this action, or of its undoing, in milliseconds.
    public var elapsedMs: Double
    /// Whether the action had been fulfilled and was undone.
    public var isUndone = false

    public init(request: CallRequest, result: Result<ActionResult, CallError>, elapsedMs: Double) {
        self.request = request
        self.result = result
        self.elapsedMs = elapsedMs
    }
}
