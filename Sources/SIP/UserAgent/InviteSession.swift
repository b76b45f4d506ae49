/// One call in SIP: INVITE and all that follows it, from either end (RFC 3261 §13-15, 3262, 3311, 3264, 6337).
///
/// A pure value: events in, effects out, in order; the time is an argument. SDP is opaque octets: the machine knows who
/// offers and who answers and when, not what. After every event the host asks for `deadline` and sends `.timer` then.
public struct InviteSession: Sendable {
    public let isCaller: Bool
    public let callID: String
    /// The tag of our side, the same in every dialogue of the call.
    public let localTag: String

    let configuration: Configuration
    var phase = Phase.idle
    var now = SIPInstant(nanoseconds: 0)
    var effects: [Effect] = []
    var authenticator: DigestAuthenticator?
    var timers: [SessionTimer: SIPInstant] = [:]

    // What we have sent and await an answer to.
    var clients: [ClientToken: ClientRequest] = [:]
    var lastToken = 0

    // Dialogues by remote tag: the caller has one for each fork, the callee has one.
    var dialogs: [String: Dialog] = [:]
    var mainTag: String?

    // The caller's INVITE.
    var calling: Calling?
    var early: [String: EarlyDialog] = [:]
    var acknowledgements: [String: Acknowledgement] = [:]

    // The callee's responses, first and later.
    var incoming: IncomingInvite? { didSet { if let incoming { lastInvite = incoming.request } } }
    var lastInvite: SIPMessage?
    var acceptance: Acceptance?
    var provisional: ReliableProvisional?
    var lastReliableSequence: UInt32 = 0
    var isByeDue = false

    // Offers under way.
    var offerToAnswer: OfferCarrier?
    var offerToMake: OfferPurpose?
    var hasSession = false
    var wantedReoffer: Int?
    var reofferInFlight: ReofferInFlight?

    // Transfers, ours and theirs.
    var refer: OutgoingRefer?
    /// REFERs that newer ones have taken the place of before their end was told, oldest first.
    var formerRefers: [UInt32] = []
    var referral: Referral?
    var referrals = 0
    /// Whether the peer is there, while we ask it.
    var enquiry: Enquiry?
    /// What the peer's Allow said last; nil while it has not said anything.
    var remoteMethods: Set<SIPMethod>?

    /// A session that will call; `.start` begins it.
    public init(caller configuration: Configuration, callID: String, localTag: String) {
        isCaller = true
        self.configuration = configuration
        self.callID = callID
        self.localTag = localTag
        authenticator = configuration.authenticator
    }

    /// A session that is called by `invite`, which the host has found acceptable (`RequestScreening`). Nil where the
    /// request lacks what a dialogue needs: 400. `.ring` follows.
    public init?(callee configuration: Configuration, invite: SIPMessage, token: ServerToken, localTag: String) {
        guard let dialog = Dialog(callee: invite, localTag: localTag) else { return nil }
        isCaller = false
        self.configuration = configuration
        callID = dialog.id.callID
        self.localTag = localTag
        authenticator = configuration.authenticator
        phase = .ringing
        dialogs[dialog.id.remoteTag] = dialog
        mainTag = dialog.id.remoteTag
        incoming = IncomingInvite(token: token, request: invite)
        lastInvite = invite
        noteMethods(of: invite)
    }

    /// The offer in the INVITE that called us; nil for an offerless one, and for the caller.
    public var remoteOffer: [UInt8]? {
        incoming?.request.sessionDescription
    }

    /// Whether `.ring` must bring an offer: an offerless INVITE that requires reliable responses (RFC 3262 §5).
    public var ringNeedsOffer: Bool { phase == .ringing && requiresReliability && remoteOffer == nil }

    /// Whether the answer to our offer comes before we accept, so that `.accept` brings nothing.
    public var acceptsWithoutDescription: Bool { ringNeedsOffer }

    /// When `.timer` is due next; nil where nothing is awaited.
    public var deadline: SIPInstant? { timers.values.min() }

    /// Nothing more will happen: the host may forget the session.
    public var isFinished: Bool { phase == .ended && clients.isEmpty && timers.isEmpty && referral == nil }

    /// The main dialogue, once there is one.
    public var dialog: Dialog? { mainTag.flatMap { dialogs[$0] } }

    /// Whether a request with these tags (ours from To, theirs from From) belongs to this session.
    public func owns(callID: String, localTag: String, remoteTag: String) -> Bool {
        callID == self.callID && localTag == self.localTag && dialogs[remoteTag] != nil
    }

    /// Takes an event at a time, which never runs backwards, and returns what is to be done, in order.
    public mutating func handle(_ event: Event, at time: SIPInstant) -> [Effect] {
        now = time
        switch event {
        case .start(let target, let offer): start(target: target, offer: offer)
        case .response(let token, let response): take(response, token: token)
        case .requestFailed(let token, let failure): take(failure, token: token)
        case .request(let token, let request): take(request, token: token)
        case .acknowledged(let request): takeAcknowledgement(request)
        case .ring(let offer): ring(offer: offer)
        case .accept(let description): accept(description)
        case .reject(let status, let reason): reject(status: status, reason: reason)
        case .end: endLocally(.local)
        case .abandon(let status, let text): endLocally(.failed(status: status, text: text))
        case .renegotiate(let attempt): renegotiate(attempt: attempt)
        case .localOffer(let description): takeLocalOffer(description)
        case .localAnswer(let description): takeLocalAnswer(description)
        case .offerRefused(let status, let reason): refuseOffer(status: status, reason: reason)
        case .refer(let target): refer(to: target)
        case .answerReferral(let isAccepted): answerReferral(isAccepted: isAccepted)
        case .tellReferrer(let fragment): tellReferrer(fragment)
        case .enquire: enquire()
        case .timer: fireTimers()
        }
        beginWantedReoffer()
        defer { effects = [] }
        return effects
    }
}
