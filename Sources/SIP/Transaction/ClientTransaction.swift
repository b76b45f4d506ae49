/// The client side of any request but INVITE and ACK (RFC 3261 §17.1.2).
public struct ClientTransaction: Sendable {
    public enum State: CaseIterable, Hashable, Sendable {
        /// Made, not yet started.
        case initial
        case trying, proceeding, completed, terminated
    }

    public enum Event: Hashable, Sendable {
        case start
        case response(SIPMessage)
        case timer(TransactionTimer)
        case transportError
    }

    public internal(set) var state = State.initial
    /// As it is sent; its topmost Via has the branch.
    public let request: SIPMessage
    public let isReliable: Bool
    private let times: TransactionTimes
    private var retransmissionInterval: Duration

    public init(request: SIPMessage, isReliable: Bool, times: TransactionTimes = TransactionTimes()) {
        self.request = request
        self.isReliable = isReliable
        self.times = times
        retransmissionInterval = times.t1
    }

    public mutating func handle(_ event: Event, at now: SIPInstant) -> [TransactionEffect] {
        switch (state, event) {
        case (.initial, .start): start(now)
        case (.trying, .response(let response)), (.proceeding, .response(let response)): receive(response, now)
        case (.trying, .timer(.e)), (.proceeding, .timer(.e)): retransmit(now)
        case (.trying, .timer(.f)), (.proceeding, .timer(.f)): terminate(retransmissionStop + [.timedOut])
        case (.trying, .transportError), (.proceeding, .transportError):
            terminate(retransmissionStop + [.cancelTimer(.f), .transportFailed])
        case (.completed, .timer(.k)): terminate([])
        case (_, .start), (_, .timer), (.initial, _), (.terminated, _): []
        case (.completed, .response), (.completed, .transportError): []  // the answer is known
        }
    }

    private var retransmissionStop: [TransactionEffect] { isReliable ? [] : [.cancelTimer(.e)] }

    private mutating func start(_ now: SIPInstant) -> [TransactionEffect] {
        state = .trying
        let timeout = TransactionEffect.setTimer(.f, deadline: now + times.timeout)
        guard !isReliable else { return [.send(request), timeout] }
        return [.send(request), .setTimer(.e, deadline: now + retransmissionInterval), timeout]
    }

    private mutating func retransmit(_ now: SIPInstant) -> [TransactionEffect] {
        guard !isReliable else { return [] }
        retransmissionInterval = state == .proceeding ? times.t2 : min(retransmissionInterval * 2, times.t2)
        return [.send(request), .setTimer(.e, deadline: now + retransmissionInterval)]
    }

    private mutating func receive(_ response: SIPMessage, _ now: SIPInstant) -> [TransactionEffect] {
        guard let status = response.status else { return [] }
        guard status >= 200 else {
            state = .proceeding
            return [.deliver(response)]
        }
        state = .completed
        let effects = retransmissionStop + [.cancelTimer(.f), .deliver(response)]
        guard !isReliable else { return terminate(effects) }  // timer K is zero
        return effects + [.setTimer(.k, deadline: now + times.t4)]
    }

    private mutating func terminate(_ effects: [TransactionEffect]) -> [TransactionEffect] {
        state = .terminated
        return effects + [.terminated]
    }
}
