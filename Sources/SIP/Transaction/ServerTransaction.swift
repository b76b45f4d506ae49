/// The server side of any request but INVITE and ACK (RFC 3261 §17.2.2).
public struct ServerTransaction: Sendable {
    public enum State: CaseIterable, Hashable, Sendable {
        /// Made, not yet started.
        case initial
        case trying, proceeding, completed, terminated
    }

    public enum Event: Hashable, Sendable {
        case start
        /// The request once more.
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

    public init(request: SIPMessage, isReliable: Bool, times: TransactionTimes = TransactionTimes()) {
        self.request = request
        self.isReliable = isReliable
        self.times = times
    }

    public mutating func handle(_ event: Event, at now: SIPInstant) -> [TransactionEffect] {
        switch (state, event) {
        case (.initial, .start): start()
        case (.proceeding, .request), (.completed, .request): lastResponse.map { [.send($0)] } ?? []
        case (.trying, .respond(let response)), (.proceeding, .respond(let response)): respond(response, now)
        case (.completed, .timer(.j)): terminate([])
        // It stays, so that a retransmitted request is not taken for a new one (RFC 6026 §7.1).
        case (.trying, .transportError), (.proceeding, .transportError), (.completed, .transportError):
            [.transportFailed]
        case (_, .start), (_, .timer), (.initial, _), (.terminated, _): []
        case (.trying, .request): []  // there is nothing to repeat yet
        case (.completed, .respond): []  // the first final answer counts
        }
    }

    private mutating func start() -> [TransactionEffect] {
        state = .trying
        return [.deliver(request)]
    }

    private mutating func respond(_ response: SIPMessage, _ now: SIPInstant) -> [TransactionEffect] {
        guard let status = response.status else { return [] }
        lastResponse = response
        guard status >= 200 else {
            state = .proceeding
            return [.send(response)]
        }
        state = .completed
        guard !isReliable else { return terminate([.send(response)]) }  // timer J is zero
        return [.send(response), .setTimer(.j, deadline: now + times.timeout)]
    }

    private mutating func terminate(_ effects: [TransactionEffect]) -> [TransactionEffect] {
        state = .terminated
        return effects + [.terminated]
    }
}
