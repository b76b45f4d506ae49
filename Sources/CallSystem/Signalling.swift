public import CallModel
public import EventLoop
public import MediaDescription

/// The seam between calls and the protocol that carries them: above it there are calls, below it there is SIP.
///
/// Every method returns at once; what becomes of it arrives as a `SignallingEvent`, never from within the call.
@DaemonActor public protocol Signalling: AnyObject {
    /// Who is told. Set before the first call.
    var observer: (any SignallingObserver)? { get set }

    /// Throws what `start` would throw because of this handle and account as things are, and changes nothing.
    func check(_ handle: Handle, account: String?) throws(CallError)
    /// Begins an outgoing call. `.inviteSent` follows when the INVITE has left, or `.ended` where that fails.
    ///
    /// Returns the account that the call goes through, which is `account` where that is given; nil: it goes directly.
    /// Throws `unknownAccount`, `invalidHandle` or `notRegistered`, having done nothing.
    @discardableResult func start(_ call: CallID, to handle: Handle, account: String?) throws(CallError) -> String?
    /// Accepts an incoming call; `.established` follows when the ACK has come.
    func answer(_ call: CallID) throws(CallError)
    /// Refuses an incoming call that was not answered; `.ended` follows when the refusal has left.
    func reject(_ call: CallID, _ reason: RejectReason)
    /// BYE, CANCEL or 480, whichever the dialogue's state asks for; `.ended(.localEnded)` follows when it has left.
    func end(_ call: CallID)
    /// Says what the answers to the peer's offers shall be from now on (DESIGN: hold, exactly). Sends nothing.
    func setHeld(_ call: CallID, _ held: Bool)
    /// Offers the direction that our hold and the peer's ask for, in a re-INVITE; `.offerSettled` follows, with the
    /// same `attempt`. 491 is retried below the seam (RFC 3261 §14.1). A newer attempt takes the place of an older one.
    func renegotiate(_ call: CallID, attempt: Int)
    /// Asks the peer of a confirmed call to call `handle`, which is understood as `start` of the call's account would.
    ///
    /// `.transferProgress` may follow; `.transferSettled` does, with the same `attempt`, unless the call ends, the peer
    /// never tells, or a newer attempt comes first.
    func transfer(_ call: CallID, to handle: Handle, attempt: Int)
    /// Asks the peer of a confirmed call to call the peer of another one, in our place there (RFC 3891). As above.
    func transfer(_ call: CallID, replacing other: CallID, attempt: Int)
    /// Begins the outgoing call that the peer of `call` asked for (`.transferRequested`), of the same account, as `start`
    /// does; the peer is told how it goes. Throws, having done nothing, where it cannot be begun.
    func followTransfer(_ call: CallID, as new: CallID) throws(CallError)
    /// Refuses what the peer of `call` asked for.
    func refuseTransfer(_ call: CallID)
    /// Asks the peer of a confirmed call whether it still has it; `.peerLost` follows where it has not, or does not answer.
    /// Does nothing while that, or something else that shows whether the peer is there, is under way.
    func enquire(_ call: CallID)
    /// Unregisters everywhere and ends all calls; `done` when that has left, or after 2 s.
    func shutDown(_ done: @escaping @DaemonActor () -> Void)
    /// The state of every account, in the order of the configuration.
    var accounts: [AccountStatus] { get }
    /// How many requests from strangers were dropped in silence since the start.
    var droppedRequests: Int { get }
    /// How many of them came from that address; 0 where it is not known any more.
    func droppedRequests(from address: String) -> Int
}

/// What the signalling asks of and tells the calls.
@DaemonActor public protocol SignallingObserver: AnyObject {
    /// Makes the sockets of the call's audio stream, once for a call, and returns their local ports.
    ///
    /// Throws `mediaFailed` where no port of the configured range is free.
    func localMedia(for call: CallID) throws(CallError) -> LocalMedia
    func handle(_ event: SignallingEvent)
}

/// The local sockets of a call's audio stream. The address is the one signalling reaches the peer from.
public struct LocalMedia: Sendable, Hashable {
    public var rtpPort: UInt16
    public var rtcpPort: UInt16

    public init(rtpPort: UInt16, rtcpPort: UInt16) {
        self.rtpPort = rtpPort
        self.rtcpPort = rtcpPort
    }
}

/// Something happened to a call or an account.
public enum SignallingEvent: Sendable {
    /// A new call is offered to us. 180 was sent; it rings until answered, rejected or cancelled.
    case incoming(IncomingCall)
    /// The INVITE of an outgoing call has left.
    case inviteSent(CallID)
    /// The peer's telephone rings (180). With early media (183, or 180 with SDP) a `.media` event came before.
    case ringing(CallID, earlyMedia: Bool)
    /// Outgoing: 2xx came and its ACK has left. Incoming: the ACK of our 2xx has come.
    case established(CallID)
    /// Offer and answer agreed on these parameters: first, or anew (also with only a new direction).
    case media(CallID, StreamParameters)
    /// The peer's offer holds us, or no longer does. Never from an answer to our own hold.
    case remoteHold(CallID, Bool)
    /// The end of a `renegotiate`.
    case offerSettled(CallID, attempt: Int, OfferOutcome)
    /// Whether the peer says that it can be transferred; true until told otherwise.
    case transferAllowed(CallID, Bool)
    /// How far the peer's call to the one whom it was transferred to has come: a SIP status, 100...199.
    case transferProgress(CallID, status: Int)
    /// The end of a `transfer`.
    case transferSettled(CallID, attempt: Int, TransferOutcome)
    /// The peer of a confirmed call asks us to call somebody: `followTransfer` or `refuseTransfer` is the answer.
    case transferRequested(CallID, to: Handle)
    /// A DTMF digit came by INFO: 0-9, A-D, `*`, `#`.
    case digit(CallID, Character, milliseconds: Int)
    /// The peer, asked by `enquire`, no longer has the call or does not answer. The call is there until it is ended.
    case peerLost(CallID)
    /// The call is over; nothing more is said of it.
    case ended(CallID, EndReason)
    /// An account's state changed.
    case account(AccountStatus)
    /// A stranger's request was dropped in silence: the first from each address within an hour.
    case stranger(address: String, count: Int)
}

/// What is known of an account.
public struct AccountStatus: Sendable, Hashable {
    public enum State: String, Sendable {
        /// No registrar is configured: calls go out, none are expected.
        case unregistered
        case registering, registered, failed
    }

    public var name: String
    public var state: State
    /// Whether the registrar answered what was last sent to it.
    public var reachable: Bool
    /// When the registration lapses, in seconds from now.
    public var expiresIn: Int?
    public var lastError: String?

    public init(name: String, state: State, reachable: Bool, expiresIn: Int? = nil, lastError: String? = nil) {
        self.name = name
        self.state = state
        self.reachable = reachable
        self.expiresIn = expiresIn
        self.lastError = lastError
    }
}
