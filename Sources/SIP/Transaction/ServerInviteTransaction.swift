/// The server side of an INVITE (RFC 3261 §17.2.1, RFC 6026 §8.5).
public struct ServerInviteTransaction: Sendable {
    public enum State: CaseIterable, Hashable, Sendable {
        /// Made, not yet started.
        case initial
        case proceeding, completed, confirmed
        /// A 2xx left; the transaction user repeats it until the ACK comes, retransmitted INVITEs get nothing.
        case accepted
        case terminated
    }

    public enum Event: Hashable, Sendable {
        case start
        /// The INVITE once more, or an ACK that matches this transaction.
        case request(SIPMessage)
        /// What the transaction user answers.
        case respond(SIPMessage)
        case timer(TransactionTimer)
        case transportError
    }

    public internal(set) var state = State.initial
    public let request: SIPMessage
    public let isReliable: Bool
    private let times: TransactionTimes
    private var lastResponse: SIPMessage?
    private var retransmissionInterval: Duration
    private var awaitsFirstResponse = true

    public init(request: SIPMessage, isReliable: Bool, times: TransactionTimes = TransactionTimes()) {
        self.request = request
        self.isReliable = isReliable
        self.times = times
        retransmissionInterval = times.t1
    }

    public mutating func handle(_ event: Event, at now: SIPInstant) -> [TransactionEffect] {
        switch (state, event) {
        case (.initial, .start): start(now)
        case (.proceeding, .request(let message)), (.completed, .request(let message)),
            (.confirmed, .request(let message)), (.accepted, .request(let message)):
            receive(message, now)
        case (.proceeding, .respond(let response)), (.accepted, .respond(let response)): respond(response, now)
        case (.proceeding, .timer(.trying)): awaitsFirstResponse ? respond(request.response(100), now) : []
        case (.completed, .timer(.g)): retransmit(now)
        case (.completed, .timer(.h)): terminate(retransmissionStop + [.timedOut])
        case (.confirmed, .timer(.i)), (.accepted, .timer(.l)): terminate([])
        // It stays, so that a retransmitted INVITE is not taken for a new one (RFC 6026 §7.1).
        case (.proceeding, .transportError), (.completed, .transportError), (.accepted, .transportError):
            [.transportFailed]
        case (.confirmed, .transportError): []  // nothing is sent any more
        case (_, .start), (_, .timer), (.initial, _), (.terminated, _): []
        case (.completed, .respond), (.confirmed, .respond): []  // the first final answer counts
        }
    }

    private var retransmissionStop: [TransactionEffect] { isReliable ? [] : [.cancelTimer(.g)] }

    private mutating func start(_ now: SIPInstant) -> [TransactionEffect] {
        state = .proceeding
        return [.deliver(request), .setTimer(.trying, deadline: now + TransactionTimes.tryingDelay)]
    }

    private mutating func receive(_ message: SIPMessage, _ now: SIPInstant) -> [TransactionEffect] {
        guard message.method == .ack else { return answerAgain() }
        switch state {
        case .completed where isAcknowledgement(message):
            state = .confirmed
            let effects = retransmissionStop + [.cancelTimer(.h)]
            guard !isReliable else { return terminate(effects) }  // timer I is zero
            return effects + [.setTimer(.i, deadline: now + times.t4)]
        case .accepted: return [.deliver(message)]
        case .initial, .proceeding, .completed, .confirmed, .terminated: return []
        }
    }

    /// By branch an ACK is beyond doubt; one of RFC 2543 must bear the tag of our answer (RFC 3261 §17.2.3).
    private func isAcknowledgement(_ ack: SIPMessage) -> Bool {
        ack.topVia?.hasUniqueBranch == true || ack.to?.tag == lastResponse?.to?.tag
    }

    private func answerAgain() -> [TransactionEffect] {
        switch state {
        case .proceeding, .completed: lastResponse.map { [.send($0)] } ?? []
        case .initial, .confirmed, .accepted, .terminated: []
        }
    }

    private mutating func respond(_ response: SIPMessage, _ now: SIPInstant) -> [TransactionEffect] {
        guard let status = response.status else { return [] }
        // The transaction user repeats its 2xx; nothing else may follow one.
        guard state == .proceeding else { return 200..<300 ~= status ? [.send(response)] : [] }
        lastResponse = response
        var effects: [TransactionEffect] = awaitsFirstResponse ? [.cancelTimer(.trying)] : []
        awaitsFirstResponse = false
        effects.append(.send(response))
        switch status {
        case ..<200: break
        case ..<300:
            state = .accepted
            effects.append(.setTimer(.l, deadline: now + times.timeout))
        default:
            state = .completed
            if !isReliable { effects.append(.setTimer(.g, deadline: now + retransmissionInterval)) }
            effects.append(.setTimer(.h, deadline: now + times.timeout))
        }
        return effects
    }

    private mutating func retransmit(_ now: SIPInstant) -> [TransactionEffect] {
        guard !isReliable, let lastResponse else { return [] }
        retransmissionInterval = min(retransmissionInterval * 2, times.t2)
        return [.send(lastResponse), .setTimer(.g, deadline: now + retransmissionInterval)]
    }

    private mutating func terminate(_ effects: [TransactionEffect]) -> [TransactionEffect] {
        state = .terminated
        return effects + [.terminated]
    }
}
