/// The registration of one address of record at one registrar, kept up for ever (RFC 3261 §10, RFC 5626 §4.5).
///
/// A pure value: events in, effects out; the time is an argument. The host sends `.timer` at `deadline`.
public struct Registration: Sendable {
    public struct Configuration: Sendable {
        public var addressOfRecord: SIPURI
        public var registrar: SIPURI
        /// Where calls shall reach us; replaced by what the registrar sees of us (RFC 3581).
        public var contact: SIPURI
        /// Seconds asked for, 60...86400.
        public var expires: UInt32
        public var userAgent: String
        public var authenticator: DigestAuthenticator?
        public var callID: String
        public var localTag: String
        /// A random number within the range, for the jitter of the back-off.
        public var random: @Sendable (ClosedRange<Int>) -> Int

        public init(
            addressOfRecord: SIPURI, registrar: SIPURI, contact: SIPURI, expires: UInt32 = 600, userAgent: String = "",
            authenticator: DigestAuthenticator? = nil, callID: String, localTag: String,
            random: @escaping @Sendable (ClosedRange<Int>) -> Int = { Int.random(in: $0) }
        ) {
            self.addressOfRecord = addressOfRecord
            self.registrar = registrar
            self.contact = contact
            self.expires = min(max(expires, 60), 86_400)
            self.userAgent = userAgent
            self.authenticator = authenticator
            self.callID = callID
            self.localTag = localTag
            self.random = random
        }
    }

    public enum Event: Sendable {
        case start
        case response(ClientToken, SIPMessage)
        case requestFailed(ClientToken, RequestFailure)
        /// We are reached elsewhere now: registers anew at once.
        case contactChanged(SIPURI)
        case unregister
        case timer
    }

    public enum Effect: Sendable {
        case send(ClientToken, SIPMessage, hop: SIPURI)
        /// `status` has changed in more than its time.
        case changed
        /// The end of `unregister`, whatever the registrar said.
        case unregistered
    }

    public enum State: Sendable, Hashable {
        case unregistered, registering, registered, failed
    }

    public struct Status: Sendable, Hashable {
        public var state = State.unregistered
        /// Whether the registrar answered what was last sent to it. Apart from `state`: a binding outlives an outage.
        public var isReachable = false
        public var expires: SIPInstant?
        public var lastError: String?
    }

    public private(set) var status = Status()
    /// Where calls reach us, as the registrar sees it.
    public internal(set) var contact: SIPURI
    /// When `.timer` is due next; nil where nothing is awaited.
    public var deadline: SIPInstant? { [refreshAt, expiryAt].compactMap { $0 }.min() }

    let configuration: Configuration
    private var authenticator: DigestAuthenticator?
    private var effects: [Effect] = []
    private var now = SIPInstant(nanoseconds: 0)
    private var sequence: UInt32 = 0
    private var requested: UInt32
    private var registrar: SIPURI
    private var inFlight: InFlight?
    private var isLeaving = false
    private var refreshAt: SIPInstant?
    private var expiryAt: SIPInstant?
    private var failures = 0
    private var redirections = 0
    private var rewrites = 0
    /// A binding under an older contact that the next REGISTER takes away.
    private var obsoleteContact: SIPURI?
    private var isBound = false

    private struct InFlight {
        var token: ClientToken
        var message: SIPMessage
        var attempt: DigestAttempt
    }

    public init(_ configuration: Configuration) {
        self.configuration = configuration
        contact = configuration.contact
        authenticator = configuration.authenticator
        requested = configuration.expires
        registrar = configuration.registrar
    }

    /// Takes an event at a time, which never runs backwards, and returns what is to be done, in order.
    public mutating func handle(_ event: Event, at time: SIPInstant) -> [Effect] {
        now = time
        let before = status
        switch event {
        case .start: if !isLeaving, inFlight == nil { register() }
        case .response(let token, let response): take(response, token)
        case .requestFailed(let token, let failure): take(failure, token)
        case .contactChanged(let contact): move(to: contact)
        case .unregister: leave()
        case .timer: fireTimers()
        }
        var after = status
        after.expires = before.expires
        if after != before { effects.append(.changed) }
        defer { effects = [] }
        return effects
    }

    // MARK: Requests

    private mutating func register(_ attempt: DigestAttempt = DigestAttempt()) {
        if status.state != .registered { status.state = .registering }
        send(expires: requested, attempt)
    }

    private mutating func send(expires: UInt32, _ attempt: DigestAttempt) {
        sequence &+= 1
        refreshAt = nil
        var request = SIPMessage(method: .register, uri: requestURI)
        let address = NameAddress(uri: configuration.addressOfRecord)
        request.headers.append(.maxForwards, "70")
        request.headers.append(.from, "\(address);tag=\(configuration.localTag)")
        request.headers.append(.to, address.description)
        request.headers.append(.callID, configuration.callID)
        request.headers.append(.cseq, "\(sequence) REGISTER")
        request.headers.append(.contact, "<\(contact)>;expires=\(expires)")
        if let obsoleteContact { request.headers.append(.contact, "<\(obsoleteContact)>;expires=0") }
        request.headers.append(.expires, "\(expires)")
        request.headers.append(.allow, Capabilities.allow)
        request.headers.append(.supported, Capabilities.supported)
        if !configuration.userAgent.isEmpty { request.headers.append(.userAgent, configuration.userAgent) }
        authenticator?.authorize(&request)
        let token = ClientToken(rawValue: Int(sequence))
        inFlight = InFlight(token: token, message: request, attempt: attempt)
        effects.append(.send(token, request, hop: registrar))
    }

    /// The registrar, without a user part (RFC 3261 §10.2).
    private var requestURI: SIPURI {
        var uri = SIPURI(scheme: "sip", host: registrar.host, port: registrar.port)
        uri.parameters["transport"] = registrar.parameters["transport"]
        return uri
    }

    private mutating func move(to new: SIPURI) {
        guard new != contact else { return }
        if isBound, obsoleteContact == nil { obsoleteContact = contact }
        contact = new
        guard !isLeaving, inFlight != nil || refreshAt != nil else { return }
        register()
    }

    private mutating func leave() {
        isLeaving = true
        guard isBound || inFlight != nil else { return finishLeaving() }
        send(expires: 0, DigestAttempt())
    }

    private mutating func finishLeaving() {
        inFlight = nil
        isBound = false
        refreshAt = nil
        expiryAt = nil
        status.state = .unregistered
        status.expires = nil
        effects.append(.unregistered)
    }

    private mutating func fireTimers() {
        if let expiryAt, expiryAt <= now {
            self.expiryAt = nil
            isBound = false
            status.expires = nil
            if !isLeaving { status.state = .failed }
        }
        guard let refreshAt, refreshAt <= now else { return }
        self.refreshAt = nil
        if !isLeaving { register() }
    }

    // MARK: Answers

    private mutating func take(_ response: SIPMessage, _ token: ClientToken) {
        guard let current = inFlight, current.token == token, let code = response.status, code >= 200 else { return }
        inFlight = nil
        status.isReachable = true
        if code == 401 || code == 407 {
            if !isLeaving { _ = adoptPublicAddress(response) }
            var attempt = current.attempt
            if authenticator?.take(response, attempt: &attempt) == true {
                return send(expires: isLeaving ? 0 : requested, attempt)
            }
        }
        if isLeaving { return finishLeaving() }
        switch code {
        case 200..<300:
            succeed(response, sentExpires: requested)
            if adoptPublicAddress(response) { register() }
        case 300..<400 where redirections < 3 && redirect(response): register()
        case 423 where raiseExpires(response): register()
        default: fail("\(code) \(response.reasonPhrase ?? "")", retryAfter: response.retryAfter, isAnswer: true)
        }
    }

    private mutating func take(_ failure: RequestFailure, _ token: ClientToken) {
        guard inFlight?.token == token else { return }
        inFlight = nil
        status.isReachable = false
        if isLeaving { return finishLeaving() }
        fail(failure.text, retryAfter: nil, isAnswer: false)
    }

    private mutating func succeed(_ response: SIPMessage, sentExpires: UInt32) {
        failures = 0
        redirections = 0
        obsoleteContact = nil
        isBound = true
        let seconds = max(grantedSeconds(response) ?? response.expires ?? sentExpires, 10)
        let granted = Int(min(seconds, 604_800))
        // Time for a refresh that has to be repeated before the binding lapses.
        let margin = granted > 80 ? max(granted / 10, 40) : granted / 2
        refreshAt = now + .seconds(granted - margin)
        expiryAt = now + .seconds(granted)
        status = Status(state: .registered, isReachable: true, expires: expiryAt, lastError: nil)
    }

    /// Of the bindings in a 200: the shortest of ours, or of all where the registrar wrote ours anew.
    private func grantedSeconds(_ response: SIPMessage) -> UInt32? {
        func shortest(_ contacts: [NameAddress]) -> UInt32? {
            contacts.compactMap { $0.parameters["expires"].flatMap { SIPMessage.seconds($0) } }.min()
        }
        let all = response.contactList
        let ours = all.filter {
            $0.uri.user == contact.user && $0.uri.host == contact.host && $0.uri.port == contact.port
        }
        return shortest(ours) ?? (ours.isEmpty ? shortest(all) : nil)
    }

    /// RFC 3581: takes the address that the registrar sees of us for our contact. Returns whether it is new.
    private mutating func adoptPublicAddress(_ response: SIPMessage) -> Bool {
        guard let via = response.topVia else { return false }
        let host = via.received ?? via.host
        let isDatagram = via.transport.uppercased() == "UDP"
        // Of a connection the source port says nothing of where we listen, unless there is a NAT between.
        guard host != contact.host || (isDatagram && via.rport != nil && via.rport != contact.port ?? 5_060) else {
            rewrites = 0
            return false
        }
        guard via.received != nil || via.rport != nil, rewrites < 3 else { return false }
        rewrites += 1
        if isBound, obsoleteContact == nil { obsoleteContact = contact }
        contact.host = host
        if let port = via.rport { contact.port = port }
        return true
    }

    private mutating func redirect(_ response: SIPMessage) -> Bool {
        let next = response.contactList.sorted { $0.quality > $1.quality }.map(\.uri)
        guard let target = next.first(where: { $0.scheme == "sip" && !$0.host.isEmpty && $0.host != registrar.host })
        else { return false }
        redirections += 1
        registrar = SIPURI(host: target.host, port: target.port)
        registrar.parameters["transport"] = target.parameters["transport"]
        return true
    }

    private mutating func raiseExpires(_ response: SIPMessage) -> Bool {
        guard let least = response.minExpires, least > requested, least <= 604_800 else { return false }
        requested = least
        return true
    }

    /// Tries again for ever: RFC 5626 §4.5's times, 30 s × 2^failures up to 30 min, of which half to all is waited.
    private mutating func fail(_ error: String, retryAfter: UInt32?, isAnswer: Bool) {
        failures = min(failures + 1, 16)
        registrar = configuration.registrar
        redirections = 0
        status.lastError = error
        // What did not arrive leaves the binding as it is until it lapses.
        if isAnswer || expiryAt == nil {
            status.state = .failed
            status.expires = nil
            expiryAt = nil
        }
        let longest = min(1_800, 30 << min(failures, 6))
        let wait = configuration.random(longest * 500...longest * 1_000)
        refreshAt = now + max(.milliseconds(wait), .seconds(Int(min(retryAfter ?? 0, 3_600))))
    }
}
