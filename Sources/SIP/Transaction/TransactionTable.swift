/// Every running transaction of an endpoint, found by the messages that belong to it. The host keeps the timers and
/// performs the effects; it gives each back with the transaction's key.
public struct TransactionTable: Sendable {
    /// To whom a message that arrived belongs.
    public enum Arrival: Hashable, Sendable {
        /// To a transaction that was there.
        case matched(TransactionKey, [TransactionEffect])
        /// To a new server transaction. A merged request is one that came before by another way: it gets 482.
        case started(TransactionKey, [TransactionEffect], isMerged: Bool)
        /// To no transaction: the ACK of a 2xx, which goes to the dialogue.
        case acknowledgement
        /// To nothing of ours: a late or forged response, or a request without a usable Via. It is dropped.
        case stray
        /// As many server transactions run as may: dropped, so that a flood costs no memory.
        case full
    }

    private enum Entry: Sendable {
        case clientInvite(ClientInviteTransaction)
        case client(ClientTransaction)
        case serverInvite(ServerInviteTransaction)
        case server(ServerTransaction)
    }

    private var entries: [TransactionKey: Entry] = [:]
    private var requests: [MergedRequestKey: TransactionKey] = [:]
    private var serverCount = 0
    private let times: TransactionTimes
    private let maximumServerCount: Int

    /// - Parameter maximumServerCount: of server transactions, which stay for 32 s after their end (64 * T1): with 2,048,
    ///   64 requests a second, twice as many as 2,000 holds and resumes a minute are.
    public init(times: TransactionTimes = TransactionTimes(), maximumServerCount: Int = 2_048) {
        self.times = times
        self.maximumServerCount = maximumServerCount
    }

    public var count: Int { entries.count }

    public func contains(_ key: TransactionKey) -> Bool { entries[key] != nil }

    /// The request of a running transaction.
    public func request(_ key: TransactionKey) -> SIPMessage? {
        switch entries[key] {
        case .clientInvite(let transaction): transaction.request
        case .client(let transaction): transaction.request
        case .serverInvite(let transaction): transaction.request
        case .server(let transaction): transaction.request
        case nil: nil
        }
    }

    /// The running INVITE transaction that `cancel` is meant for; nil is answered with 481.
    public func invite(cancelledBy cancel: SIPMessage) -> TransactionKey? {
        guard let key = TransactionKey(cancelledBy: cancel), contains(key) else { return nil }
        return key
    }

    /// Whether a CANCEL of this transaction may be sent now.
    public func allowsCancel(_ key: TransactionKey) -> Bool {
        if case .clientInvite(let transaction) = entries[key] { return transaction.allowsCancel }
        return false
    }

    /// Starts a client transaction. nil where the topmost Via has no branch, a transaction of that branch runs, or the
    /// request is an ACK.
    public mutating func start(
        _ request: SIPMessage, isReliable: Bool, at now: SIPInstant
    ) -> (key: TransactionKey, effects: [TransactionEffect])? {
        guard request.isRequest, request.method != .ack, let key = TransactionKey(clientRequest: request),
            entries[key] == nil
        else { return nil }
        if request.method == .invite {
            entries[key] = .clientInvite(
                ClientInviteTransaction(request: request, isReliable: isReliable, times: times))
        } else {
            entries[key] = .client(ClientTransaction(request: request, isReliable: isReliable, times: times))
        }
        return (key, apply(.start, to: key, at: now))
    }

    /// Finds or makes the transaction of a message that the network brought. Malformed ones were sorted out before.
    public mutating func receive(_ message: SIPMessage, isReliable: Bool, at now: SIPInstant) -> Arrival {
        guard message.isRequest else {
            guard let key = TransactionKey(response: message), contains(key) else { return .stray }
            return .matched(key, apply(.message(message), to: key, at: now))
        }
        guard let key = TransactionKey(serverRequest: message) else { return .stray }
        if contains(key) { return .matched(key, apply(.message(message), to: key, at: now)) }
        if message.method == .ack { return .acknowledgement }
        guard serverCount < maximumServerCount else { return .full }
        return startServer(message, key, isReliable: isReliable, at: now)
    }

    /// Answers a request. Nothing happens where its transaction is over.
    public mutating func respond(
        _ response: SIPMessage, to key: TransactionKey, at now: SIPInstant
    ) -> [TransactionEffect] { apply(.respond(response), to: key, at: now) }

    /// A timer that an effect of this transaction set has come due.
    public mutating func fire(
        _ timer: TransactionTimer, of key: TransactionKey, at now: SIPInstant
    ) -> [TransactionEffect] { apply(.timer(timer), to: key, at: now) }

    /// What this transaction wanted sent could not be sent.
    public mutating func transportFailed(_ key: TransactionKey, at now: SIPInstant) -> [TransactionEffect] {
        apply(.transportError, to: key, at: now)
    }

    /// The CANCEL of this transaction was sent.
    public mutating func cancelled(_ key: TransactionKey, at now: SIPInstant) -> [TransactionEffect] {
        apply(.cancelled, to: key, at: now)
    }

    private mutating func startServer(
        _ request: SIPMessage, _ key: TransactionKey, isReliable: Bool, at now: SIPInstant
    ) -> Arrival {
        if request.method == .invite {
            entries[key] = .serverInvite(
                ServerInviteTransaction(request: request, isReliable: isReliable, times: times))
        } else {
            entries[key] = .server(ServerTransaction(request: request, isReliable: isReliable, times: times))
        }
        serverCount += 1
        var isMerged = false
        if let merged = MergedRequestKey(request) {
            isMerged = requests[merged] != nil
            if !isMerged { requests[merged] = key }
        }
        return .started(key, apply(.start, to: key, at: now), isMerged: isMerged)
    }

    private enum Event {
        case start, cancelled, transportError
        case message(SIPMessage)
        case respond(SIPMessage)
        case timer(TransactionTimer)
    }

    private mutating func apply(_ event: Event, to key: TransactionKey, at now: SIPInstant) -> [TransactionEffect] {
        guard let entry = entries[key] else { return [] }
        let effects: [TransactionEffect]
        switch entry {
        case .clientInvite(var transaction):
            effects = Self.clientInviteEvent(event).map { transaction.handle($0, at: now) } ?? []
            entries[key] = .clientInvite(transaction)
        case .client(var transaction):
            effects = Self.clientEvent(event).map { transaction.handle($0, at: now) } ?? []
            entries[key] = .client(transaction)
        case .serverInvite(var transaction):
            effects = Self.serverInviteEvent(event).map { transaction.handle($0, at: now) } ?? []
            entries[key] = .serverInvite(transaction)
        case .server(var transaction):
            effects = Self.serverEvent(event).map { transaction.handle($0, at: now) } ?? []
            entries[key] = .server(transaction)
        }
        if effects.last == .terminated { remove(key) }
        return effects
    }

    private mutating func remove(_ key: TransactionKey) {
        switch entries.removeValue(forKey: key) {
        case .serverInvite(let transaction): forget(transaction.request, key)
        case .server(let transaction): forget(transaction.request, key)
        case .clientInvite, .client, nil: break
        }
    }

    private mutating func forget(_ request: SIPMessage, _ key: TransactionKey) {
        serverCount -= 1
        if let merged = MergedRequestKey(request), requests[merged] == key { requests[merged] = nil }
    }

    private static func clientInviteEvent(_ event: Event) -> ClientInviteTransaction.Event? {
        switch event {
        case .start: .start
        case .message(let message): .response(message)
        case .cancelled: .cancelled
        case .timer(let timer): .timer(timer)
        case .transportError: .transportError
        case .respond: nil
        }
    }

    private static func clientEvent(_ event: Event) -> ClientTransaction.Event? {
        switch event {
        case .start: .start
        case .message(let message): .response(message)
        case .timer(let timer): .timer(timer)
        case .transportError: .transportError
        case .respond, .cancelled: nil
        }
    }

    private static func serverInviteEvent(_ event: Event) -> ServerInviteTransaction.Event? {
        switch event {
        case .start: .start
        case .message(let message): .request(message)
        case .respond(let response): .respond(response)
        case .timer(let timer): .timer(timer)
        case .transportError: .transportError
        case .cancelled: nil
        }
    }

    private static func serverEvent(_ event: Event) -> ServerTransaction.Event? {
        switch event {
        case .start: .start
        case .message(let message): .request(message)
        case .respond(let response): .respond(response)
        case .timer(let timer): .timer(timer)
        case .transportError: .transportError
        case .cancelled: nil
        }
    }
}
