internal import EventLoop
internal import SIP

extension SIPEndpoint {
    /// Starts the transaction with the next server, or tells that there is none.
    func tryNext(_ client: ClientRequest, afterAnswer: Bool = false) {
        guard !isClosed else { return }
        while let attempt = client.nextAttempt(afterAnswer: afterAnswer) {
            do throws(ClientTransactionFailure) {
                return start(client, over: try way(attempt))
            } catch {
                client.lastFailure = error
            }
        }
        fail(client, client.lastFailure ?? .unresolvable("\(client.request.requestURI?.host ?? "") has no address"))
    }

    private func way(_ attempt: ClientRequest.Attempt) throws(ClientTransactionFailure) -> SIPSource {
        if let way = attempt.way, transports.isAlive(way) { return way }
        return try transports.way(to: attempt.hop)
    }

    private func start(_ client: ClientRequest, over way: SIPSource) {
        let request = addingVia(to: client.request, over: way)
        client.isProceeding = false
        client.hasLeft = false
        guard let started = table.start(request, isReliable: way.transport.isReliable, at: now) else {
            return fail(client, .unreachable("the request cannot begin a transaction"))
        }
        client.key = started.key
        clients[started.key] = ClientLeg(client: client, way: way)
        perform(started.effects, of: started.key)
    }

    /// `request` with a Via of ours on top: a new branch, our address on this way, rport (RFC 3581 §3).
    func addingVia(to request: SIPMessage, over way: SIPSource) -> SIPMessage {
        let local = transports.localAddress(reaching: way.hop, over: way)
        var via = Via(
            transport: way.transport.viaName, host: local?.host ?? "0.0.0.0", port: local?.port,
            branch: Via.magicCookie + Hashes.randomToken(12))
        via.wantsRport = true
        var request = request
        request.headers.prepend(.via, via.description)
        return request
    }

    /// Tells the end of a request that has no answer.
    func fail(_ client: ClientRequest, _ failure: ClientTransactionFailure) {
        guard !client.isFinished else { return }
        client.isFinished = true
        requests[client.id] = nil
        client.handler(.failed(failure))
    }

    func sendCancel(_ client: ClientRequest) {
        guard let key = client.key, let way = clients[key]?.way, table.allowsCancel(key),
            let invite = table.request(key)
        else { return }
        var cancel = invite.cancel()
        if let reason = client.cancelReason { cancel.headers.append(.reason, reason) }
        guard let started = table.start(cancel, isReliable: way.transport.isReliable, at: now) else { return }
        let owner = ClientRequest(id: takeID(), request: cancel) { _ in }
        owner.key = started.key
        clients[started.key] = ClientLeg(client: owner, way: way)
        perform(started.effects, of: started.key)
        perform(table.cancelled(key, at: now), of: key)
    }

    // MARK: Effects of client transactions

    /// What a client transaction wants told; returns after its owner was told.
    func deliver(_ response: SIPMessage, to client: ClientRequest, from source: SIPSource) {
        guard let status = response.status else { return }
        if status < 200 {
            client.isProceeding = true
            client.handler(.response(response, source))
            if client.isCancelled { sendCancel(client) }
            return
        }
        if status == 503, !client.isFinished, !client.isCancelled,
            client.attempts.contains(where: { $0.hop.address != source.address })
        {
            client.lastFailure = .unreachable("\(source) says 503")
            return tryNext(client, afterAnswer: true)
        }
        client.isFinished = true
        requests[client.id] = nil
        client.handler(.response(response, source))
    }

    func ended(_ client: ClientRequest, _ failure: ClientTransactionFailure) {
        guard !client.isFinished else { return }
        client.lastFailure = failure
        // A server that has begun to work on it is not passed over, and what was cancelled need not arrive.
        guard !client.isProceeding, !client.isCancelled else { return fail(client, failure) }
        tryNext(client)
    }

    // MARK: What goes wrong on the way

    func datagramRefused(_ address: SocketAddress, _ reason: String) {
        failTransactions(reason) { $0.transport == .udp && $0.address == address }
    }

    func connectionClosed(_ source: SIPSource, _ reason: String) {
        failTransactions(reason) { $0.socket == source.socket }
        onFlowClosed?(source)
    }

    private func failTransactions(_ reason: String, where isConcerned: (SIPSource) -> Bool) {
        for (key, leg) in clients where isConcerned(leg.way) {
            leg.client.lastFailure = .unreachable("\(leg.way): \(reason)")
            perform(table.transportFailed(key, at: now), of: key)
        }
    }
}
