extension InviteSession {
    /// What stays the same for one call.
    public struct Configuration: Sendable {
        /// Our address in From (caller), without a tag.
        public var local: NameAddress
        /// Where requests within the dialogue reach us.
        public var contact: NameAddress
        /// Where requests outside a dialogue are sent, whatever their Request-URI; nil: to the Request-URI.
        public var outboundProxy: SIPURI?
        /// The User-Agent header; empty: none.
        public var userAgent: String
        /// Answers 401 and 407; nil: they are failures.
        public var authenticator: DigestAuthenticator?
        /// The dialogue of the callee whose place our INVITE takes (RFC 3891).
        public var replaces: Replaces?
        /// Who referred us to the callee (RFC 3892).
        public var referredBy: NameAddress?
        /// A random number within the range, for Retry-After, RSeq and the timers of RFC 3261 §14.1.
        public var random: @Sendable (ClosedRange<Int>) -> Int

        public init(
            local: NameAddress, contact: NameAddress, outboundProxy: SIPURI? = nil, userAgent: String = "",
            authenticator: DigestAuthenticator? = nil,
            random: @escaping @Sendable (ClosedRange<Int>) -> Int = { Int.random(in: $0) }
        ) {
            self.local = local
            self.contact = contact
            self.outboundProxy = outboundProxy
            self.userAgent = userAgent
            self.authenticator = authenticator
            self.random = random
        }
    }

    /// What happens to a session, from the network or from its user.
    public enum Event: Sendable {
        /// The caller begins, with its offer.
        case start(target: SIPURI, offer: [UInt8])
        case response(ClientToken, SIPMessage)
        case requestFailed(ClientToken, RequestFailure)
        /// A request of the peer within a dialogue of this session, or the CANCEL of its INVITE.
        case request(ServerToken, SIPMessage)
        /// An ACK of a 2xx.
        case acknowledged(SIPMessage)
        /// The callee sends 180, with an offer where `ringNeedsOffer`.
        case ring(offer: [UInt8]?)
        /// The callee sends 200: with the answer to the INVITE's offer, or with an offer where it had none, or with
        /// nothing where `acceptsWithoutDescription`.
        case accept([UInt8]?)
        /// The callee refuses (300...699).
        case reject(status: Int, reason: String)
        /// BYE, CANCEL or 480, whichever the state asks for. Always possible.
        case end
        /// As `end`, but the session failed.
        case abandon(status: Int?, text: String)
        /// Wishes a re-INVITE; `offerNeeded` follows as soon as one may be sent.
        case renegotiate(attempt: Int)
        /// The answers to `offerNeeded` and `answerNeeded`.
        case localOffer([UInt8])
        case localAnswer([UInt8])
        /// The peer's offer is not acceptable (400, 488, 500).
        case offerRefused(status: Int, reason: String)
        /// Asks the peer to call somebody else; `referSettled` follows, unless another one comes first.
        case refer(ReferTarget)
        /// The answer to `referred`: 202 or 603.
        case answerReferral(isAccepted: Bool)
        /// How far the call has come that the peer referred us to.
        case tellReferrer(StatusFragment)
        /// Asks the peer whether it still has the call, by OPTIONS, where nothing of ours is under way in the dialogue;
        /// `peerLost` follows where it has not, or does not answer.
        case enquire
        case timer
    }

    /// What the host must do, in this order.
    public enum Effect: Sendable {
        /// Begin a client transaction. `hop` is where it goes, which may differ from the Request-URI. Via is missing.
        case send(ClientToken, SIPMessage, hop: SIPURI)
        /// CANCEL the INVITE of this transaction.
        case cancel(ClientToken)
        /// Send the ACK of a 2xx. Via is missing.
        case acknowledge(SIPMessage, hop: SIPURI)
        case respond(ServerToken, SIPMessage)
        /// 180 came, or a provisional response with a session description (`answerReceived` went before).
        case ringing(earlyMedia: Bool)
        /// The peer answered our offer. `first`: it is an answer to the INVITE's offer; each fork has its own, and the
        /// one that came last counts.
        case answerReceived([UInt8], first: Bool)
        /// The peer offers: reply with `localAnswer` or `offerRefused`, at once.
        case answerNeeded(offer: [UInt8])
        /// Reply with `localOffer`, or `offerRefused`, at once. `solicited`: the peer asks for it by an offerless INVITE.
        case offerNeeded(solicited: Bool)
        /// Our offer was not accepted: what was agreed on before is in force again (RFC 3261 §14.1).
        case offerWithdrawn
        case established
        /// A digit came by INFO: 0-9, A-D, `*`, `#`.
        case digit(Character, milliseconds: Int)
        case reofferSettled(attempt: Int, Outcome)
        /// How far the peer's call to the one we referred it to has come: 100...199.
        case referProgress(StatusFragment)
        /// The end of a `refer`.
        case referSettled(ReferOutcome)
        /// The peer asks us to call somebody: reply with `answerReferral`. `by` is who it says it is.
        case referred(ReferTarget, by: NameAddress?)
        /// The peer no longer has the call (481), or did not answer an `enquire` (408, 64 × T1). The session goes on:
        /// the host ends it, unless it knows better.
        case peerLost
        /// The call is over. Messages may still have to be exchanged until `isFinished`.
        case ended(Ending)
    }

    /// What became of a `renegotiate`.
    public enum Outcome: Sendable, Hashable {
        case accepted
        case refused(status: Int, reason: String)
        case superseded
    }

    /// Why a session ended.
    public enum Ending: Sendable, Hashable {
        case local
        /// BYE came.
        case remote
        /// CANCEL came, with the `cause` of its Reason header (RFC 3326).
        case cancelled(cause: Int?)
        /// The peer refused our INVITE finally.
        case rejected(status: Int, reason: String)
        /// Our INVITE could not be sent, or nothing came back.
        case unreachable(text: String)
        case failed(status: Int?, text: String)
    }

    // MARK: What is inside

    enum Phase: Sendable, Hashable {
        case idle
        /// The caller awaits a final response.
        case calling
        /// The callee has not answered.
        case ringing
        /// The callee has sent 2xx and awaits the ACK.
        case accepted
        case confirmed
        case ended
    }

    enum SessionTimer: Hashable, Sendable {
        /// Retransmission of a 2xx and its end (RFC 3261 §13.3.1.4).
        case acceptance, acceptanceEnd
        /// Retransmission of a reliable provisional response and its end (RFC 3262 §3).
        case provisional, provisionalEnd
        /// The wait after 491 (RFC 3261 §14.1).
        case glare
        /// A cancelled INVITE that gets no final response (RFC 3261 §9.1).
        case cancellation
        /// A re-INVITE that gets no final response.
        case reinvite
        /// A call that the peer referred us to and that comes to no end.
        case referral
        /// An enquiry that could not be sent is sent again.
        case enquiry
    }

    enum Purpose: Sendable {
        case invite
        case reinvite
        case prack
        case bye
        case refer
        case notify
        case enquiry
    }

    struct ClientRequest: Sendable {
        var message: SIPMessage
        var hop: SIPURI
        var purpose: Purpose
        /// The dialogue it belongs to; nil outside of one.
        var remoteTag: String?
        var attempt = DigestAttempt()
    }

    struct Calling: Sendable {
        var token: ClientToken
        var sequence: UInt32
        var invite: SIPMessage
        var offer: [UInt8]
        var to: NameAddress
        var redirection: Redirection
        var hasProvisional = false
        var isCancelled = false
        var isCancelSent = false
        /// What `ringing` last said; nil: nothing yet.
        var announced: Bool?
    }

    struct EarlyDialog: Sendable {
        var reliableSequence: UInt32?
        var answer: [UInt8]?
        /// It came in a reliable response: a later one is only a repetition (RFC 6337 §3.1).
        var isAnswerReliable = false
    }

    struct Acknowledgement: Sendable {
        var sequence: UInt32
        var message: SIPMessage
        var hop: SIPURI
    }

    struct IncomingInvite: Sendable {
        var token: ServerToken
        var request: SIPMessage
    }

    struct Acceptance: Sendable {
        var token: ServerToken
        var response: SIPMessage
        var sequence: UInt32
        var interval: Duration
        /// Our offer is in the 2xx: the ACK must answer it.
        var awaitsAnswer: Bool
    }

    struct ReliableProvisional: Sendable {
        var token: ServerToken
        var response: SIPMessage
        var reliableSequence: UInt32
        var sequence: UInt32
        var interval: Duration
        var awaitsAnswer: Bool
        /// What `accept` brought meanwhile: the 2xx follows the PRACK.
        var acceptance: [UInt8]??
    }

    enum OfferCarrier: Sendable {
        case invite
        case update(ServerToken, SIPMessage, remoteTag: String)
        case prack(ServerToken, SIPMessage)
    }

    enum OfferPurpose: Sendable {
        case reoffer(attempt: Int)
        /// The 2xx of an offerless re-INVITE.
        case acceptance
    }

    struct ReofferInFlight: Sendable {
        var token: ClientToken
        var attempt: Int
        var isCancelled = false
    }
}

/// The timers of RFC 3261 §17 that sessions use.
enum SessionTime {
    static let t1 = Duration.milliseconds(500)
    static let t2 = Duration.seconds(4)
    /// 64 × T1.
    static let end = Duration.seconds(32)
    /// Longer than an unanswered INVITE transaction lives (timer B), so that its time-out comes first.
    static let reinvite = Duration.seconds(40)
    /// How long a referral's progress is told: longer than any call rings.
    static let referral = Duration.seconds(660)
}
