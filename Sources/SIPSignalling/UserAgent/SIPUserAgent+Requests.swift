internal import CallModel
internal import CallSystem
internal import EventLoop
internal import SDP
internal import SIP

/// Requests of others: who is let in, and to whom what they ask belongs.
extension SIPUserAgent {
    // MARK: Strangers

    /// Whether a request may be answered at all. Registrars and `accept_from` may ask anything, anyone within a dialogue.
    func letsIn(_ request: SIPMessage, from source: SIPSource) -> Bool {
        if isKnown(source) || call(for: request) != nil { return true }
        drop(from: source)
        return false
    }

    private func isKnown(_ source: SIPSource) -> Bool {
        if agents.contains(where: { $0.speaks(from: source) }) || acceptFrom.contains(source.address) { return true }
        // Our own addresses may have changed; scanners must not make us look without end.
        guard MonotonicInstant.now.milliseconds(since: lastLookAtInterfaces) > 5_000 else { return false }
        lastLookAtInterfaces = .now
        acceptFrom.refresh()
        return acceptFrom.contains(source.address)
    }

    /// The call whose dialogue a request belongs to.
    private func call(for request: SIPMessage) -> SIPCall? {
        guard let callID = request.callID, let localTag = request.to?.tag else { return nil }
        let remoteTag = request.from?.tag ?? ""
        return calls.values.first {
            $0.session?.owns(callID: callID, localTag: localTag, remoteTag: remoteTag) ?? false
        }
    }

    // MARK: Taking

    func take(_ request: SIPMessage, _ id: ServerTransactionID?, from source: SIPSource) {
        guard let id else { return call(for: request)?.handle(.acknowledged(request)) ?? () }
        if request.method == .cancel { return takeCancel(request, id) }
        if let call = call(for: request) { return call.handle(.request(call.token(for: id), request)) }
        let tag = Hashes.randomToken(8)
        if let refusal = RequestScreening.refusal(of: request, localTag: tag) { return endpoint.respond(id, refusal) }
        // A tag of ours that no session has: the dialogue is over, or never was.
        guard request.to?.tag == nil else { return endpoint.respond(id, request.response(481, toTag: tag)) }
        switch request.method {
        case .invite?: takeInvite(request, id, from: source)
        case .options?: endpoint.respond(id, Capabilities.response(to: request, localTag: tag))
        // Whom nobody here talks with cannot have us call others.
        case .refer?: endpoint.respond(id, request.response(403, reason: "Only Within a Dialogue", toTag: tag))
        default: endpoint.respond(id, request.response(481, toTag: tag))
        }
    }

    private func takeCancel(_ cancel: SIPMessage, _ id: ServerTransactionID) {
        guard let call = calls.values.first(where: { $0.session?.isCancelled(by: cancel) ?? false }) else {
            return endpoint.respond(id, cancel.response(481, toTag: Hashes.randomToken(8)))
        }
        call.handle(.request(call.token(for: id), cancel))
    }

    // MARK: A new call

    private enum Callee {
        case account(SIPAccount)
        case direct
        case echo
    }

    private func takeInvite(_ invite: SIPMessage, _ id: ServerTransactionID, from source: SIPSource) {
        let tag = Hashes.randomToken(8)
        func refuse(_ status: Int, _ reason: String? = nil) {
            endpoint.respond(id, invite.response(status, reason: reason, toTag: tag))
        }
        guard !isShuttingDown else { return refuse(503) }
        guard let callee = callee(of: invite, from: source) else { return refuse(404) }
        // The call model refuses what is too much; this only bounds what a flood can hold.
        guard calls.count < 64 else { return refuse(486) }
        let replaced: CallID?
        switch replacement(by: invite) {
        case .none: replaced = nil
        case .call(let call): replaced = call
        case .refused(let status): return refuse(status)
        }
        let account: SIPAccount? = if case .account(let account) = callee { account } else { nil }
        let isTrusted = mayAskForAnswer(account, from: source)
        let answerMode = answerMode(of: invite, isTrusted: isTrusted)
        // Who would rather be refused than ring is (RFC 5373 §4.1).
        guard let answerMode else { return refuse(403, "Not Answered Automatically") }
        guard let local = endpoint.localAddress(reaching: source) else { return refuse(500) }
        let call = SIPCall(CallID(), account: account, policy: policy(of: account), host: local.host, agent: self)
        if let offer = invite.body.isEmpty ? nil : invite.body {
            // Tried on a copy: what cannot be taken must not ring.
            var trial = call.negotiator
            do throws(CallError) {
                let local = LocalMediaAddress(host: local.host, rtpPort: 9, rtcpPort: 9)
                _ = try trial.answer(to: offer, held: false, local: local)
            } catch {
                return refuse(error.sipStatus ?? 488, error.message.reasonPhrase)
            }
        }
        let session = InviteSession(
            callee: sessionConfiguration(account, local: local, transport: source.transport), invite: invite,
            token: call.token(for: id), localTag: tag)
        guard let session else { return refuse(400, "Contact Missing") }
        call.session = session
        calls[call.id] = call
        var offered = incomingCall(call.id, invite, account, isRegistrar: account?.speaks(from: source) ?? false)
        offered.isVouchedFor = isTrusted || account?.speaks(from: source) ?? false
        offered.replaces = replaced
        offered.answerMode = answerMode
        if case .echo = callee { offered.service = .echo } else { offered.service = account?.configuration.service }
        emit(.incoming(offered))
        call.ring()
    }

    /// Who is called: an account by its secret Contact or its own name, or the direct user; nil: nobody of ours.
    private func callee(of invite: SIPMessage, from source: SIPSource) -> Callee? {
        let user = invite.requestURI?.user ?? ""
        if let account = agents.first(where: { $0.contactUser == user }) { return .account(account) }
        let registered = agents.filter { $0.speaks(from: source) }
        let named = { (account: SIPAccount) in
            account.configuration.uri.user == user || account.configuration.username == user
        }
        if let account = registered.first(where: named) { return .account(account) }
        if !configuration.echoUser.isEmpty, user == configuration.echoUser, acceptFrom.contains(source.address) {
            return .echo
        }
        if user == configuration.directUser || user.isEmpty {
            return acceptFrom.contains(source.address) ? .direct : registered.first.map { .account($0) }
        }
        return agents.first(where: named).map { .account($0) }
    }

    /// What is told of a new call: the caller as the registrar asserts it (RFC 3325), else as the caller says it.
    private func incomingCall(
        _ call: CallID, _ invite: SIPMessage, _ account: SIPAccount?, isRegistrar: Bool
    ) -> IncomingCall {
        let asserted = isRegistrar ? (try? invite.addresses(.pAssertedIdentity))?.first : nil
        let address = asserted ?? invite.from
        let name = asserted?.displayName ?? invite.from?.displayName
        let handle = { Handle(caller: $0, hasAccount: account != nil) }
        return IncomingCall(
            id: call, from: handle(address?.uri ?? SIPURI(host: "unknown.invalid")),
            displayName: name.map { String(decoding: $0.utf8.prefix(128), as: UTF8.self) },
            account: account?.configuration.name, assertedIdentity: asserted.map { handle($0.uri) })
    }

    /// How the caller asks to be answered, as far as it may ask; nil where the call has to be refused for it.
    private func answerMode(of invite: SIPMessage, isTrusted: Bool) -> AnswerMode? {
        guard let asked = RequestedAnswer(of: invite) else { return .manual }
        guard isTrusted else { return asked.isRequired ? nil : .manual }
        return .automatic(afterMilliseconds: asked.afterMilliseconds)
    }

    /// Whether who calls may be answered without anybody's doing, as `auto_answer_from` says.
    private func mayAskForAnswer(_ account: SIPAccount?, from source: SIPSource) -> Bool {
        if let account, account.configuration.registrarMayAskForAnswer, account.speaks(from: source) { return true }
        var networks = account?.configuration.autoAnswerFrom ?? configuration.autoAnswerFrom
        networks.refresh()
        return networks.contains(source.address)
    }
}
