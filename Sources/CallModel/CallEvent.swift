/// The name of one action, given by who requested it; each is fulfilled or failed exactly once.
public struct ActionID: Hashable, Sendable {
    public let rawValue: Int
    public init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// What can be asked of a call that exists.
public enum CallAction: Hashable, Sendable {
    case answer
    case reject(RejectReason)
    case end
    case setHeld(Bool)
    /// Holds a member of a group whose others go on hearing each other and it: only the paths between us and the call
    /// close, and the remote party is not told.
    case setAside
    case setMuted(Bool)
    case setEarmuffed(Bool)
    case playDTMF(DigitString)
    case transfer(TransferTarget)
}

/// What happens to a call.
public enum CallEvent: Hashable, Sendable {
    /// Somebody asks for something. Only this event can be refused, by throwing.
    case request(ActionID, CallAction)

    /// The INVITE has left.
    case inviteSent
    case ringing(earlyMedia: Bool)
    /// The dialogue is confirmed and acknowledged.
    case established
    /// The signalling would not accept the call after all.
    case answerRefused(CallError)
    /// Offer and answer agreed on a stream; `takesDigits`: it carries RFC 4733 events to the peer.
    case streamAgreed(takesDigits: Bool)
    case remoteHold(Bool)
    case offerSettled(attempt: Int, OfferOutcome)
    case over(EndReason)
    /// Whether the peer can be transferred, as far as it has said.
    case transferAllowed(Bool)
    /// The end of the `transfer` with this number.
    case transferSettled(attempt: Int, TransferOutcome)
    /// The remote party goes on in another call: this one is to end.
    case handedOver

    /// The audio session is active for this call (nil), or why it could not be opened.
    case audioOpened(CallError?)
    /// The loop has acknowledged the gates of this generation; that implies all before it.
    case gatesApplied(generation: Int)
    /// The digits of this segment have left (true), or could not be sent.
    case digitsSent(segment: Int, Bool)

    /// Nothing has come from the peer for so long.
    case peerGone(silentSeconds: Int)

    /// `nextDeadline` has come.
    case timePassed
}

/// What must be done, in the order given.
public enum CallEffect: Hashable, Sendable {
    // Signalling.
    case accept
    case refuse(RejectReason)
    /// BYE, CANCEL or 480.
    case hangUp
    /// What answers to the peer's offers shall say from now on.
    case setHeld(Bool)
    case renegotiate(attempt: Int)
    case transfer(TransferTarget, attempt: Int)

    // Media.
    case openAudio
    case setGates(held: Bool, muted: Bool, earmuffed: Bool, generation: Int)
    case sendDigits(String, timing: DigitTiming = DigitTiming(), segment: Int)
    case cancelDigits
    case closeMedia

    // The end of an action.
    /// The gates that the action asked for are acknowledged; its end follows now or later.
    case applied(ActionID)
    case fulfil(ActionID, changed: Bool, peerNotified: Bool?)
    case fail(ActionID, CallError)

    /// The last effect of a call.
    case over(EndReason)
}
