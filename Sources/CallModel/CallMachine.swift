/// The state machine of one call (DESIGN: hold, exactly; life of a call). Times are durations since any fixed origin.
///
/// A value: an event and the time go in, what must be done comes out. After `.over` nothing more comes out of it.
public struct CallMachine: Hashable, Sendable {
    /// How long each action may take.
    public enum Limit {
        public static let start = Duration.seconds(10)
        public static let answer = Duration.seconds(10)
        public static let end = Duration.seconds(4)
        public static let hold = Duration.seconds(4)
        public static let resume = Duration.seconds(10)
        /// For the loop to acknowledge a mute or an earmuff.
        public static let gates = Duration.seconds(2)
        public static let transfer = Duration.seconds(60)
        /// Beyond the digits' own length.
        public static let digits = Duration.seconds(2)
        /// Between attempts to give a connected call its sound.
        public static let audioRetry = Duration.seconds(5)
        /// How many actions may wait in one call.
        public static let pendingActions = 64
    }

    /// An action and when it has to be over.
    struct Pending: Hashable, Sendable {
        var id: ActionID
        var deadline: Duration
    }

    enum AnswerStage: Hashable, Sendable {
        case none, openingAudio, accepted
    }

    enum AudioStage: Hashable, Sendable {
        case closed, opening, open
    }

    /// A call that is to end: by whom it was asked for, and what it shall be called where the signalling says `localEnded`.
    struct Ending: Hashable, Sendable {
        var actions: [ActionID]
        var deadline: Duration
        var reason: EndReason
    }

    public let id: CallID
    public let direction: CallDirection
    public internal(set) var state: CallState
    public internal(set) var endReason: EndReason?
    public internal(set) var remoteHeld = false
    /// Whether early media is heard, so that no ring-back is wanted.
    public internal(set) var hasEarlyMedia = false

    let ringTimeout: Duration
    var ringDeadline: Duration?
    var start: Pending?
    var answer: Pending?
    var answerStage = AnswerStage.none
    var ending: Ending?
    var audio = AudioStage.closed
    var audioRetry: Duration?
    var gateGeneration = 0
    var hold = Hold()
    var mute = Switch()
    var earmuff = Switch()
    var digits = Digits()
    /// Whether offer and answer have agreed on a stream, which is what a hold is about.
    var hasStream = false
    var transfer: Transfer?
    var openTransfer: OpenTransfer?
    var transferAttempt = 0
    /// Whether the peer takes transfers, as far as it has said.
    var canBeTransferred = true

    /// An outgoing call, whose INVITE is on its way; `start` is fulfilled when it has left. It is muted and earmuffed as
    /// `predecessor` is, the call whose remote party has asked for it.
    public init(
        outgoing id: CallID, start: ActionID, ringTimeout: Duration, as predecessor: CallMachine? = nil,
        at now: Duration
    ) {
        self.id = id
        direction = .outgoing
        state = .connecting
        self.ringTimeout = ringTimeout
        self.start = Pending(id: start, deadline: now + Limit.start)
        if let predecessor { takeSwitches(of: predecessor) }
    }

    /// A call that came in and rings.
    public init(incoming id: CallID, ringTimeout: Duration, at now: Duration) {
        self.id = id
        direction = .incoming
        state = .incoming
        self.ringTimeout = ringTimeout
        ringDeadline = now + ringTimeout
    }

    // MARK: What is true of the call

    /// Whether the call is held: the gates are closed and the loop has said so.
    public var held: Bool { hold.isHeld }
    /// Whether it is held, or about to be, as a member of a group whose others go on: the remote party is not told.
    public var isAside: Bool { hold.isAside && hold.gatesClosed }
    /// Whether the call is muted, as far as it was asked for.
    public var muted: Bool { mute.isOn }
    /// Whether the call is earmuffed, as far as it was asked for.
    public var earmuffed: Bool { earmuff.isOn }
    /// Whether its sound can flow: it is connected and not, or not yet, held.
    public var isActive: Bool { state == .connected && ending == nil && !held }
    /// Whether it is active and not just being held.
    public var isAudible: Bool { isActive && !hold.gatesClosed }
    /// Whether it is still being dialled.
    public var isDialling: Bool { (state == .connecting || state == .ringing) && ending == nil }
    /// Whether it is just being answered: accepted, but not yet connected.
    public var isBeingAnswered: Bool { state == .incoming && answerStage != .none && ending == nil }
    /// Whether it waits for somebody to answer it.
    public var isRinging: Bool { state == .incoming && answerStage == .none && ending == nil }

    /// Why no other call can be made active now, nor be held to make room; nil where one can.
    public var excludesOthers: CallError? {
        if isDialling { return invalid("is still being dialled; end it or wait for its answer") }
        return isBeingAnswered ? invalid("is just being answered") : nil
    }

    public var capabilities: CallCapabilities {
        let connected = state == .connected && ending == nil
        return CallCapabilities(
            hold: connected && hasStream, dtmf: connected && digits.areTaken && !remoteHeld && hold.stage == .open,
            transfer: connected && hasStream && takesTransfer)
    }

    /// Whether an action waits for its end.
    public var hasPendingActions: Bool { pendingCount > 0 }

    var pendingCount: Int {
        (start == nil ? 0 : 1) + (answer == nil ? 0 : 1) + (ending?.actions.count ?? 0) + hold.pendingCount
            + mute.pendingCount + earmuff.pendingCount + digits.pendingCount + (transfer == nil ? 0 : 1)
    }

    /// When `.timePassed` is due; nil while nothing waits.
    public var nextDeadline: Duration? {
        let deadlines = [
            countingRingDeadline, start?.deadline, answer?.deadline, ending?.deadline, audioRetry, hold.nextDeadline,
            mute.waiting?.deadline, earmuff.waiting?.deadline, digits.playing?.deadline, transfer?.deadline,
            openTransfer?.deadline,
        ]
        return deadlines.compactMap { $0 }.min()
    }

    /// The end of ringing, while it is nobody's turn but the remote or local user's.
    var countingRingDeadline: Duration? {
        answerStage == .none && ending == nil ? ringDeadline : nil
    }

    // MARK: Events

    /// What must be done about `event`.
    ///
    /// Throws where a request is not possible: `unknownCall` once the call is over, `invalidState`, `notSupported` or
    /// `busy`. Then nothing has changed.
    public mutating func handle(_ event: CallEvent, at now: Duration) throws(CallError) -> [CallEffect] {
        var effects: [CallEffect] = []
        if case .request(let action, let request) = event {
            try carryOut(request, as: action, at: now, &effects)
        } else if state != .ended {
            follow(event, at: now, &effects)
        }
        advanceTransfer(&effects)
        return effects
    }

    private mutating func carryOut(
        _ request: CallAction, as action: ActionID, at now: Duration, _ effects: inout [CallEffect]
    ) throws(CallError) {
        guard state != .ended else { throw CallError(.unknownCall, "Call \(id) is over.") }
        guard pendingCount < Limit.pendingActions else {
            throw CallError(.busy, "Call \(id) has \(pendingCount) actions under way; wait for some to end.")
        }
        switch request {
        case .answer: try answer(as: action, at: now, &effects)
        case .reject(let reason): try reject(reason, as: action, at: now, &effects)
        case .end: end(as: action, at: now, &effects)
        case .setHeld(true): try hold(as: action, at: now, &effects)
        case .setAside: try hold(as: action, aside: true, at: now, &effects)
        case .setHeld(false):
            try resume(as: action, at: now, &effects)
            takeBack(at: now, &effects)
        case .setMuted(let on): try set(\.mute, on, as: action, at: now, &effects)
        case .setEarmuffed(let on): try set(\.earmuff, on, as: action, at: now, &effects)
        case .playDTMF(let digits): try play(digits, as: action, at: now, &effects)
        case .transfer(let target): try transfer(to: target, as: action, at: now, &effects)
        }
    }

    private mutating func follow(_ event: CallEvent, at now: Duration, _ effects: inout [CallEffect]) {
        switch event {
        case .request: break
        case .inviteSent: inviteHasLeft(at: now, &effects)
        case .ringing(let earlyMedia): remoteRings(earlyMedia: earlyMedia, at: now, &effects)
        case .established: established(at: now, &effects)
        case .answerRefused(let error): answerRefused(error, &effects)
        case .streamAgreed(let takesDigits):
            hasStream = true
            digits.areTaken = takesDigits
        case .remoteHold(let held): remoteHold(held, &effects)
        case .offerSettled(let attempt, let outcome): offerSettled(attempt, outcome, at: now, &effects)
        case .over(let reason): over(reason, &effects)
        case .transferAllowed(let allowed): canBeTransferred = allowed
        case .transferSettled(let attempt, let outcome): transferSettled(attempt, outcome, at: now, &effects)
        case .handedOver: if ending == nil { end(actions: [], as: .transferred, at: now, &effects) }
        case .audioOpened(let error): audioOpened(error, at: now, &effects)
        case .gatesApplied(let generation): gatesApplied(generation, at: now, &effects)
        case .digitsSent(let segment, let sent): digitsSent(segment, sent, at: now, &effects)
        case .peerGone(let seconds): peerGone(seconds, at: now, &effects)
        case .timePassed: timePassed(at: now, &effects)
        }
    }

    private mutating func timePassed(at now: Duration, _ effects: inout [CallEffect]) {
        lifeTimePassed(at: now, &effects)
        guard state != .ended else { return }
        holdTimePassed(at: now, &effects)
        switchTimePassed(\.mute, at: now, &effects)
        switchTimePassed(\.earmuff, at: now, &effects)
        digitsTimePassed(at: now, &effects)
        transferTimePassed(at: now, &effects)
    }

    func invalid(_ what: String) -> CallError {
        CallError(.invalidState, "Call \(id) \(what).")
    }

    /// Why something that needs a conversation is not possible, or nil.
    var notConversing: String? {
        if ending != nil { return "is being ended" }
        return switch state {
        case .incoming:
            answerStage == .none ? "is not answered yet; answer it first" : "is just being answered; wait for it"
        case .connecting, .ringing: "is not answered yet; wait for it"
        case .connected: nil
        case .ended: "is over"
        }
    }

    /// Asks for the gates as they shall be now.
    mutating func setGates(_ effects: inout [CallEffect]) {
        gateGeneration += 1
        effects.append(
            .setGates(
                held: hold.gatesClosed && !isAside, muted: muted || isAside, earmuffed: earmuffed || isAside,
                generation: gateGeneration))
    }
}
