public import CallModel
public import CallSystem
public import EventLoop
internal import MediaDescription
internal import SDP
internal import SIP

/// Calls and accounts in SIP: performs sessions and registrations over an endpoint.
@DaemonActor public final class SIPUserAgent: Signalling {
    public weak var observer: (any SignallingObserver)?
    public private(set) var droppedRequests = 0

    private(set) var configuration: SIPUserAgentConfiguration
    let endpoint: SIPEndpoint
    private(set) var agents: [SIPAccount] = []
    /// Accounts that are configured no longer and take their binding away.
    private var retiring: [SIPAccount] = []
    var calls: [CallID: SIPCall] = [:]
    var strangers = StrangerLog()
    var acceptFrom: AddressSet
    var lastLookAtInterfaces = MonotonicInstant(nanoseconds: 0)
    private(set) var isShuttingDown = false
    private var whenDown: (@DaemonActor () -> Void)?
    private var stillRegistered = 0
    private var events: [SignallingEvent] = []
    private var isDelivering = false

    /// Takes over the endpoint: its requests, its filter and its flows.
    public init(_ configuration: SIPUserAgentConfiguration, endpoint: SIPEndpoint) {
        self.configuration = configuration
        self.endpoint = endpoint
        acceptFrom = configuration.acceptFrom
        endpoint.filter = { [weak self] request, source in self?.letsIn(request, from: source) ?? false }
        endpoint.onRequest = { [weak self] id, request, source in self?.take(request, id, from: source) }
        endpoint.onFlowClosed = { [weak self] source in
            for agent in self?.agents ?? [] { agent.flowClosed(source) }
        }
        agents = configuration.accounts.map(makeAccount)
    }

    private func makeAccount(_ account: SIPAccountConfiguration) -> SIPAccount {
        let agent = SIPAccount(account, endpoint: endpoint, userAgent: configuration.userAgent)
        agent.onChange = { [weak self, weak agent] in
            if let self, let agent { self.emit(.account(agent.status)) }
        }
        return agent
    }

    /// Begins to register the accounts. Calls may come from now on.
    public func start() {
        for agent in agents { agent.start() }
    }

    /// Takes a new configuration: accounts that are new or differ register, those that are gone unregister, and calls go
    /// on as they began.
    public func reconfigure(_ new: SIPUserAgentConfiguration) {
        guard !isShuttingDown else { return }
        let old = agents
        configuration = new
        acceptFrom = new.acceptFrom
        agents = new.accounts.map { account in
            old.first { $0.configuration == account } ?? makeAccount(account)
        }
        for agent in old where !agents.contains(where: { $0 === agent }) {
            agent.onChange = nil
            retiring.append(agent)
            agent.stop { [weak self, weak agent] in self?.retiring.removeAll { $0 === agent } }
        }
        for agent in agents where !old.contains(where: { $0 === agent }) { agent.start() }
    }

    public var accounts: [AccountStatus] { agents.map(\.status) }

    // MARK: Calls

    @discardableResult
    public func start(_ call: CallID, to handle: Handle, account: String?) throws(CallError) -> String? {
        let (uri, agent) = try destination(of: handle, account: account)
        try place(call, to: uri, through: agent)
        return agent?.configuration.name
    }

    public func check(_ handle: Handle, account: String?) throws(CallError) {
        try checkMayCall(destination(of: handle, account: account).agent)
    }

    private func destination(
        of handle: Handle, account: String?
    ) throws(CallError) -> (uri: SIPURI, agent: SIPAccount?) {
        let destination = try DialPlan(accounts: configuration.accounts).destination(of: handle, account: account)
        return (destination.uri, destination.account.map { agents[$0] })
    }

    private func checkMayCall(_ agent: SIPAccount?) throws(CallError) {
        guard let agent, !agent.canCall else { return }
        let reason = agent.status.lastError.map { ": \($0)" } ?? ""
        let name = agent.configuration.name
        throw CallError(.notRegistered, CallError.sentence("Account \(name) is not registered\(reason)"))
    }

    /// Begins a call, of its own accord or because a peer has referred us. Throws as `start` does.
    func place(
        _ call: CallID, to uri: SIPURI, through agent: SIPAccount?, referral: CallReferral? = nil
    ) throws(CallError) {
        guard !isShuttingDown else { throw CallError(.invalidState, "The daemon is stopping.") }
        guard calls[call] == nil else { throw CallError(.callAlreadyExists, "There is a call \(call) already.") }
        try checkMayCall(agent)
        let placeholder = SIPCall(call, account: agent, policy: policy(of: agent), host: "", agent: self)
        placeholder.referral = referral
        calls[call] = placeholder
        var hop = uri
        if agent?.configuration.transport == .tcp { hop.parameters["transport"] = "tcp" }
        endpoint.resolve(agent?.target ?? .uri(hop)) { [weak self] result in
            self?.begin(placeholder, to: uri, over: hop, result)
        }
    }

    private func begin(
        _ call: SIPCall, to target: SIPURI, over hop: SIPURI, _ result: Result<[SIPHop], ResolutionError>
    ) {
        guard !call.isOver else { return }
        switch result {
        case .failure(let error): call.finish(.failed(status: nil, text: error.message))
        case .success(let hops):
            let places = hops.lazy.compactMap { hop in self.endpoint.localAddress(reaching: hop).map { (hop, $0) } }
            guard let (place, local) = places.first else {
                return call.finish(.failed(status: nil, text: "there is no route to \(target.host)"))
            }
            call.host = local.host
            var configuration = sessionConfiguration(call.account, local: local, transport: place.transport)
            configuration.outboundProxy = call.account?.configuration.proxy ?? (hop == target ? nil : hop)
            configuration.replaces = call.referral?.target.replaces
            configuration.referredBy = call.referral?.referrer
            call.session = InviteSession(
                caller: configuration, callID: Hashes.randomToken(16), localTag: Hashes.randomToken(8))
            call.start(target)
        }
    }

    /// What a session says of us to a peer that is reached from `local`.
    func sessionConfiguration(
        _ account: SIPAccount?, local: SocketAddress, transport: SIPTransportKind
    ) -> InviteSession.Configuration {
        var contact = SIPURI(
            user: account?.contactUser ?? configuration.directUser, host: local.host, port: local.port)
        if transport == .tcp { contact.parameters["transport"] = "tcp" }
        if let registered = account?.contact { contact = registered }
        let own = account?.configuration
        let address = NameAddress(
            displayName: own?.displayName, uri: own?.uri ?? directURI(local))
        return InviteSession.Configuration(
            local: address, contact: NameAddress(uri: contact), userAgent: configuration.userAgent,
            authenticator: own.map { DigestAuthenticator(username: $0.username, password: $0.password) })
    }

    /// Whom a peer called without an account would have to call to reach us: it shows and redials what From says, so a
    /// port that is not the usual one is in it, though RFC 3261 §19.1.1 has none there.
    private func directURI(_ local: SocketAddress) -> SIPURI {
        SIPURI(user: configuration.directUser, host: local.host, port: local.port == 5_060 ? nil : local.port)
    }

    func policy(of account: SIPAccount?) -> MediaPolicy { account?.configuration.policy ?? configuration.directPolicy }

    public func answer(_ call: CallID) throws(CallError) {
        guard let known = calls[call], !known.isOver else { throw CallError(.unknownCall, "There is no call \(call).") }
        guard known.isRinging else { throw CallError(.invalidState, "Call \(call) is not one that can be answered.") }
        known.answer()
    }

    public func reject(_ call: CallID, _ reason: RejectReason) {
        guard let known = calls[call], known.isRinging else { return }
        known.reject(reason)
    }

    public func end(_ call: CallID) { calls[call]?.end() }

    public func setHeld(_ call: CallID, _ held: Bool) { calls[call]?.isHeld = held }

    public func renegotiate(_ call: CallID, attempt: Int) {
        guard let known = calls[call], !known.isOver, known.session != nil else {
            return emit(.offerSettled(call, attempt: attempt, .refused(status: 481, text: "there is no such call")))
        }
        known.handle(.renegotiate(attempt: attempt))
    }

    public func enquire(_ call: CallID) { calls[call]?.enquire() }

    func forgetIfFinished(_ call: SIPCall) {
        guard call.isOver, call.session?.isFinished ?? true else { return }
        calls[call.id] = nil
        finishShutDown()
    }

    // MARK: Telling

    /// Tells the observer, later and in order: never from within a method that it has called.
    func emit(_ event: SignallingEvent) {
        events.append(event)
        guard !isDelivering else { return }
        isDelivering = true
        Task { @DaemonActor in
            while !self.events.isEmpty {
                let next = self.events.removeFirst()
                self.observer?.handle(next)
            }
            self.isDelivering = false
        }
    }

    public func droppedRequests(from address: String) -> Int { strangers.count(address) }

    /// Counts a request that gets no answer, and tells of the first from each address within an hour.
    func drop(from source: SIPSource) {
        droppedRequests += 1
        if let count = strangers.note(source.host, at: .now) { emit(.stranger(address: source.host, count: count)) }
    }

    // MARK: The end

    public func shutDown(_ done: @escaping @DaemonActor () -> Void) {
        guard !isShuttingDown else {
            Task { @DaemonActor in done() }
            return
        }
        isShuttingDown = true
        whenDown = done
        // First: the last call's end asks whether this was all.
        stillRegistered = agents.count
        for call in calls.values { call.end() }
        for agent in agents {
            agent.stop { [weak self] in
                self?.stillRegistered -= 1
                self?.finishShutDown()
            }
        }
        Timer(after: .seconds(2)) { [weak self] in self?.finishShutDown(whateverIsLeft: true) }
        finishShutDown()
    }

    private func finishShutDown(whateverIsLeft: Bool = false) {
        guard isShuttingDown, whateverIsLeft || (calls.isEmpty && stillRegistered == 0) else { return }
        let done = whenDown
        whenDown = nil
        guard let done else { return }
        Task { @DaemonActor in
            // What was just handed over leaves before the sockets close.
            self.endpoint.close()
            done()
        }
    }
}
