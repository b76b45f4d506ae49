/// The client side of an INVITE (RFC 3261 §17.1.1, RFC 6026 §8.4).
public struct ClientInviteTransaction: Sendable {
    public enum State: CaseIterable, Hashable, Sendable {
        /// Made, not yet started.
        case initial
        case calling, proceeding, completed
        /// A 2xx came; others, of this or of other branches of a fork, are still delivered.
        case accepted
        case terminated
    }

    public enum Event: Hashable, Sendable {
        case start
        case response(SIPMessage)
        /// A CANCEL of this request has left: a final answer comes within 64 * T1, or never (RFC 3261 §9.1).
        case cancelled
        case timer(TransactionTimer)
        case transportError
    }

    public internal(set) var state = State.initial
    /// As it is sent; its topmost Via has the branch.
    public let request: SIPMessage
    public let isReliable: Bool
    private let times: TransactionTimes
    private var retransmissionInterval: Duration
    private var ack: SIPMessage?
    private var isCancelled = false

    public init(request: SIPMessage, isReliable: Bool, times: TransactionTimes = TransactionTimes()) {
        self.request = request
        self.isReliable = isReliable
        self.times = times
        retransmissionInterval = times.t1
    }

    /// Whether a CANCEL may be sent now: a provisional answer came and no final one (RFC 3261 §9.1).
    public var allowsCancel: Bool { state == .proceeding && !isCancelled }

    public mutating func handle(_ event: Event, at now: SIPInstant) -> [TransactionEffect] {
        switch (state, event) {
        case (.initial, .start): start(now)
        case (.calling, .response(let response)), (.proceeding, .response(let response)): receive(response, now)
        case (.accepted, .response(let response)): Self.isSuccess(response) ? [.deliver(response)] : []
        case (.completed, .response(let response)): acknowledgeAgain(response)
        case (.calling, .timer(.a)): retransmit(now)
        case (.calling, .timer(.b)): terminate(retransmissionStop + [.timedOut])
        case (.proceeding, .cancelled): limitWait(now)
        case (.proceeding, .timer(.b)): isCancelled ? terminate([.timedOut]) : []
        case (.completed, .timer(.d)), (.accepted, .timer(.m)): terminate([])
        case (.calling, .transportError): terminate(retransmissionStop + [.cancelTimer(.b), .transportFailed])
        case (.completed, .transportError): terminate([.cancelTimer(.d), .transportFailed])
        case (_, .start), (_, .timer), (.initial, _), (.terminated, _): []
        case (.calling, .cancelled): []  // too early to be sent
        case (.completed, .cancelled), (.accepted, .cancelled): []  // too late to have an effect
        // The request has arrived: nothing of ours is on its way that could fail.
        case (.proceeding, .transportError), (.accepted, .transportError): []
        }
    }

    private var retransmissionStop: [TransactionEffect] { isReliable ? [] : [.cancelTimer(.a)] }

    private mutating func start(_ now: SIPInstant) -> [TransactionEffect] {
        state = .calling
        let timeout = TransactionEffect.setTimer(.b, deadline: now + times.timeout)
        guard !isReliable else { return [.send(request), timeout] }
        return [.send(request), .setTimer(.a, deadline: now + retransmissionInterval), timeout]
    }

    private mutating func retransmit(_ now: SIPInstant) -> [TransactionEffect] {
        guard !isReliable else { return [] }
        retransmissionInterval = retransmissionInterval * 2
        return [.send(request), .setTimer(.a, deadline: now + retransmissionInterval)]
    }

    private mutating func limitWait(_ now: SIPInstant) -> [TransactionEffect] {
        guard !isCancelled else { return [] }
        isCancelled = true
        return [.setTimer(.b, deadline: now + times.timeout)]
    }

    private mutating func receive(_ response: SIPMessage, _ now: SIPInstant) -> [TransactionEffect] {
        guard let status = response.status else { return [] }
        var effects: [TransactionEffect] = []
        if state == .calling {
            effects = retransmissionStop + [.cancelTimer(.b)]
        } else if isCancelled, status >= 200 {
            effects = [.cancelTimer(.b)]
        }
        switch status {
        case ..<200:
            state = .proceeding
            effects.append(.deliver(response))
        case ..<300:
            state = .accepted
            effects += [.deliver(response), .setTimer(.m, deadline: now + times.timeout)]
        default:
            state = .completed
            let ack = request.ack(for: response)
            self.ack = ack
            effects += [.send(ack), .deliver(response)]
            guard !isReliable else { return terminate(effects) }  // timer D is zero
            effects.append(.setTimer(.d, deadline: now + times.refusalAbsorption))
        }
        return effects
    }

    private func acknowledgeAgain(_ response: SIPMessage) -> [TransactionEffect] {
        guard let ack, let status = response.status, status >= 300 else { return [] }
        return [.send(ack)]
    }

    private mutating func terminate(_ effects: [TransactionEffect]) -> [TransactionEffect] {
        state = .terminated
        return effects + [.terminated]
    }

    private static func isSuccess(_ response: SIPMessage) -> Bool { response.status.map { $0 / 100 == 2 } ?? false }
}
