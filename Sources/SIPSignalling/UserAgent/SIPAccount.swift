internal import CallModel
internal import CallSystem
internal import EventLoop
internal import SIP

/// An account at work: performs its registration and knows from where its registrar speaks.
@DaemonActor final class SIPAccount {
    let configuration: SIPAccountConfiguration
    /// Known to the registrar only, so that nobody else can call it by a guess.
    let contactUser = Hashes.randomToken(8)
    /// Called when the status has changed.
    var onChange: (@DaemonActor () -> Void)?

    private let endpoint: SIPEndpoint
    private let userAgent: String
    private var registration: Registration?
    private var transactions: [ClientToken: ClientTransactionID] = [:]
    private var timer: Timer?
    private var keepAlive: Timer?
    private var isLeaving = false
    private var whenUnregistered: (@DaemonActor () -> Void)?
    /// Why there is no registration to speak of yet.
    private var lookUpError: String?
    private var lookUpFailures = 0
    /// Every address that the registrar's name leads to.
    private var registrarHosts: Set<[UInt8]> = []
    /// The way the registrar's last answer came.
    private(set) var flow: SIPSource?

    init(_ configuration: SIPAccountConfiguration, endpoint: SIPEndpoint, userAgent: String) {
        self.configuration = configuration
        self.endpoint = endpoint
        self.userAgent = userAgent
    }

    // MARK: What others ask

    /// Whether requests from there are the registrar's.
    func speaks(from source: SIPSource) -> Bool {
        registrarHosts.contains(source.address.octets) || flow == source
    }

    /// Where calls of this account reach us, as far as the registrar is concerned.
    var contact: SIPURI? { registration?.status.state == .registered ? registration?.contact : nil }

    /// Where requests outside a dialogue go: the way that is registered, else the registrar; nil: to their own URI.
    var target: SIPTarget? {
        if registration?.status.state == .registered, let flow { return .flow(flow) }
        return configuration.proxy.map { .uri($0) }
    }

    /// Whether calls may be begun.
    var canCall: Bool { configuration.registrar == nil || registration?.status.state == .registered }

    var status: AccountStatus {
        guard configuration.registrar != nil else {
            return AccountStatus(name: configuration.name, state: .unregistered, reachable: true)
        }
        guard let registration else {
            let state: AccountStatus.State = isLeaving ? .unregistered : lookUpError == nil ? .registering : .failed
            return AccountStatus(name: configuration.name, state: state, reachable: false, lastError: lookUpError)
        }
        let state: AccountStatus.State =
            switch registration.status.state {
            case .unregistered: .unregistered
            case .registering: .registering
            case .registered: .registered
            case .failed: .failed
            }
        let seconds = registration.status.expires.map { Int(($0 - now).components.seconds) }
        return AccountStatus(
            name: configuration.name, state: state, reachable: registration.status.isReachable, expiresIn: seconds,
            lastError: registration.status.lastError)
    }

    // MARK: Life

    /// Begins to register; no effect on an account without a registrar.
    func start() { lookUp() }

    /// Takes the binding away; `done` is called once, whatever the registrar says.
    func stop(_ done: @escaping @DaemonActor () -> Void) {
        isLeaving = true
        keepAlive?.cancel()
        guard registration != nil else {
            timer?.cancel()
            return done()
        }
        whenUnregistered = done
        handle(.unregister)
    }

    /// A connection is gone: where it was ours, the registrar can no longer reach us.
    func flowClosed(_ source: SIPSource) {
        guard source == flow, !isLeaving else { return }
        flow = nil
        // Not at once: a registrar that closes every connection would make a loop of it.
        Timer(after: .seconds(10)) { [weak self] in
            guard let self, self.flow == nil, self.registration?.status.state == .registered else { return }
            self.handle(.start)
        }
    }

    private func lookUp() {
        guard let proxy = configuration.proxy, !isLeaving else { return }
        endpoint.resolve(.uri(proxy)) { [weak self] result in self?.take(result) }
    }

    private func take(_ result: Result<[SIPHop], ResolutionError>) {
        guard !isLeaving else { return }
        switch result {
        case .success(let hops):
            registrarHosts = Set(hops.map(\.address.octets))
            guard registration == nil else { return }
            guard let local = hops.lazy.compactMap({ self.endpoint.localAddress(reaching: $0) }).first else {
                return lookUpLater("there is no route to \(configuration.proxy?.host ?? "")")
            }
            lookUpError = nil
            register(from: local)
        case .failure(let error): if registration == nil { lookUpLater(error.message) }
        }
    }

    private func lookUpLater(_ error: String) {
        lookUpFailures = min(lookUpFailures + 1, 5)
        let isNew = lookUpError != error
        lookUpError = error
        timer = Timer(after: .seconds(Int.random(in: 1...2 << lookUpFailures))) { [weak self] in self?.lookUp() }
        if isNew { onChange?() }
    }

    private func register(from local: SocketAddress) {
        guard let registrar = configuration.proxy else { return }
        var contact = SIPURI(user: contactUser, host: local.host, port: local.port)
        if configuration.transport == .tcp { contact.parameters["transport"] = "tcp" }
        registration = Registration(
            Registration.Configuration(
                addressOfRecord: configuration.uri, registrar: registrar, contact: contact,
                expires: configuration.expires, userAgent: userAgent,
                authenticator: DigestAuthenticator(
                    username: configuration.username, password: configuration.password),
                callID: Hashes.randomToken(16), localTag: Hashes.randomToken(8)))
        handle(.start)
    }

    // MARK: Performing

    private var now: SIPInstant { SIPInstant(nanoseconds: MonotonicInstant.now.nanoseconds) }

    private func handle(_ event: Registration.Event) {
        guard let effects = registration?.handle(event, at: now) else { return }
        timer?.cancel()
        timer = nil
        if let deadline = registration?.deadline {
            timer = Timer(after: deadline - now) { [weak self] in
                // The registrar's name may lead elsewhere by now, and may be it that calls.
                self?.lookUp()
                self?.handle(.timer)
            }
        }
        for effect in effects {
            switch effect {
            case .send(let token, let request, let hop): send(token, request, hop)
            case .changed:
                if registration?.status.state == .registered { holdFlowOpen() }
                onChange?()
            case .unregistered:
                let done = whenUnregistered
                whenUnregistered = nil
                done?()
            }
        }
    }

    private func send(_ token: ClientToken, _ request: SIPMessage, _ hop: SIPURI) {
        transactions[token] = endpoint.send(request, to: .uri(hop)) { [weak self] event in
            guard let self else { return }
            switch event {
            case .sent: return
            case .response(let response, let source):
                guard (response.status ?? 0) >= 200 else { return }
                self.flow = source
                self.transactions[token] = nil
                self.handle(.response(token, response))
            case .failed(let failure):
                self.transactions[token] = nil
                self.handle(.requestFailed(token, RequestFailure(failure)))
            }
        }
    }

    /// Keeps what NAT and firewalls remember of us: 25 s for UDP, 90 s for a connection (RFC 5626 §4.4).
    private func holdFlowOpen() {
        keepAlive?.cancel()
        guard let flow else { return }
        let interval = flow.transport == .udp ? 25 : 90
        keepAlive = Timer(after: .seconds(interval)) { [weak self] in
            guard let self, let flow = self.flow else { return }
            if self.endpoint.keepAlive(flow) { self.holdFlowOpen() } else { self.flowClosed(flow) }
        }
    }
}

extension RequestFailure {
    init(_ failure: ClientTransactionFailure) {
        switch failure {
        case .timedOut: self = .timeout
        case .unreachable, .unresolvable, .cancelled: self = .transport(text: failure.description)
        }
    }
}
