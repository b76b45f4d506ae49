internal import EventLoop
internal import SIP

extension SIPEndpoint {
    /// Takes what a socket brought.
    func receive(_ message: SIPMessage, from source: SIPSource) {
        guard !isClosed else { return }
        guard message.isRequest else {
            guard message.verdict() == .acceptable else { return }
            return dispatch(message, from: source)
        }
        guard let request = Self.fillingVia(of: message, from: source) else { return transports.dropStranger(source) }
        // What belongs to a transaction was let in before.
        if let key = TransactionKey(serverRequest: request), table.contains(key) {
            return dispatch(request, from: source)
        }
        if let filter, !filter(request, source) { return transports.dropStranger(source) }
        guard !isClosed else { return }
        transports.trust(source)
        let verdict = request.verdict()
        guard verdict == .acceptable else {
            if let response = request.response(to: verdict, toTag: Hashes.randomToken(8)) {
                send(response, by: ReplyRoute(of: request, from: source))
            }
            return
        }
        dispatch(request, from: source)
    }

    private func dispatch(_ message: SIPMessage, from source: SIPSource) {
        switch table.receive(message, isReliable: source.transport.isReliable, at: now) {
        case .matched(let key, let effects): perform(effects, of: key, from: source)
        case .started(let key, let effects, let isMerged):
            sources[key] = ReplyRoute(of: message, from: source)
            guard !isMerged else {
                return perform(
                    table.respond(message.response(482, toTag: Hashes.randomToken(8)), to: key, at: now), of: key)
            }
            perform(effects, of: key, from: source)
        case .acknowledgement: onRequest?(nil, message, source)
        case .stray, .full: break
        }
    }

    /// The request with `received` and `rport` in its topmost Via (RFC 3261 §18.2.1, RFC 3581 §4); nil without a Via.
    private static func fillingVia(of request: SIPMessage, from source: SIPSource) -> SIPMessage? {
        guard var via = request.topVia else { return nil }
        var values = request.headers.values(.via)
        guard !values.isEmpty else { return nil }
        let wantsRport = via.wantsRport
        if wantsRport { via.rport = source.port }
        let isAsSent = SocketAddress(host: via.host, port: 0)?.isSameHost(as: source.address) ?? false
        if wantsRport || !isAsSent { via.received = source.host }
        values[0] = via.description
        var request = request
        request.headers.set(.via, values.joined(separator: ", "))
        return request
    }

    /// Sends an answer the way its request came, to the address it came from: `received` is what we saw, so that no Via
    /// makes us send to a third party. Where its connection is gone, by a new one to the port of its Via (§18.2.2).
    private func send(_ response: SIPMessage, by route: ReplyRoute) {
        let octets = response.serialized()
        if transports.isAlive(route.way), transports.send(octets, route.way) == nil { return }
        guard route.way.transport == .tcp else { return }
        var address = route.way.address
        address.port = route.viaPort
        if let again = try? transports.way(to: SIPHop(transport: .tcp, address: address)) {
            _ = transports.send(octets, again)
        }
    }

    // MARK: Effects

    /// Does what a transaction wants, in order.
    func perform(_ effects: [TransactionEffect], of key: TransactionKey, from source: SIPSource? = nil) {
        var failure: String?
        for effect in effects where !isClosed {
            switch effect {
            case .send(let message): failure = send(message, of: key) ?? failure
            case .deliver(let message): deliver(message, of: key, from: source)
            case .setTimer(let timer, let deadline): setTimer(timer, of: key, deadline)
            case .cancelTimer(let timer): timers[key]?.removeValue(forKey: timer)?.cancel()
            case .timedOut:
                guard let (client, way) = leg(key) else { break }
                ended(client, .timedOut("\(way) did not answer \(client.request.method?.rawValue ?? "")"))
            case .transportFailed:
                guard let (client, way) = leg(key) else { break }
                ended(client, client.lastFailure ?? .unreachable("\(way): the request could not be sent"))
            case .terminated: forget(key)
            }
        }
        // What could not be sent is told when all before it is done.
        if let failure, !isClosed {
            if let (client, way) = leg(key) { client.lastFailure = .unreachable("\(way): \(failure)") }
            perform(table.transportFailed(key, at: now), of: key)
        }
    }

    /// The request whose attempt under way has this transaction; nil for one that another attempt followed.
    private func leg(_ key: TransactionKey) -> (ClientRequest, SIPSource)? {
        guard let leg = clients[key], leg.client.key == key else { return nil }
        return (leg.client, leg.way)
    }

    /// nil, or why it could not be sent.
    private func send(_ message: SIPMessage, of key: TransactionKey) -> String? {
        guard let leg = clients[key] else {
            if let route = sources[key] { send(message, by: route) }
            return nil
        }
        let client = leg.client
        let way = leg.way
        return transports.send(message.serialized(), way) { [weak client] in
            guard let client, client.key == key, !client.hasLeft else { return }
            client.hasLeft = true
            // Not from within `perform`: what it leads to must not overtake the effects that follow.
            Task { @DaemonActor in if !client.isFinished { client.handler(.sent(way)) } }
        }
    }

    private func deliver(_ message: SIPMessage, of key: TransactionKey, from source: SIPSource?) {
        if clients[key] != nil {
            guard let (client, way) = leg(key) else { return }
            return deliver(message, to: client, from: source ?? way)
        }
        guard let source = source ?? sources[key]?.source else { return }
        guard let onRequest else {
            return perform(table.respond(message.response(503), to: key, at: now), of: key)
        }
        onRequest(message.method == .ack ? nil : ServerTransactionID(key: key), message, source)
    }

    private func setTimer(_ timer: TransactionTimer, of key: TransactionKey, _ deadline: SIPInstant) {
        guard table.contains(key) else { return }  // answered, and over, while its request was being delivered
        timers[key]?[timer]?.cancel()
        timers[key, default: [:]][timer] = Timer(after: deadline - now) { [weak self] in
            guard let self, !self.isClosed else { return }
            self.timers[key]?[timer] = nil
            self.perform(self.table.fire(timer, of: key, at: self.now), of: key)
        }
    }

    private func forget(_ key: TransactionKey) {
        for timer in (timers.removeValue(forKey: key) ?? [:]).values { timer.cancel() }
        sources[key] = nil
        if let leg = clients.removeValue(forKey: key), leg.client.key == key { leg.client.key = nil }
    }
}

/// The way back of an answer.
struct ReplyRoute {
    /// As the request came.
    let source: SIPSource
    /// Where the answer goes: over UDP to the port it came from where rport asks for it, else to that of the Via.
    let way: SIPSource
    /// Where the peer takes connections, should this one be gone.
    let viaPort: UInt16

    init(of request: SIPMessage, from source: SIPSource) {
        self.source = source
        let via = request.topVia
        viaPort = via?.port ?? 5060
        var address = source.address
        if source.transport == .udp, via?.wantsRport != true { address.port = viaPort }
        way = SIPSource(transport: source.transport, address: address, socket: source.socket)
    }
}
