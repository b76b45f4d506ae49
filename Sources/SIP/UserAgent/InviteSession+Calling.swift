/// The caller's INVITE: provisional responses, forks, redirection, authentication, cancellation (RFC 3261 §13.2, §9.1).
extension InviteSession {
    mutating func start(target: SIPURI, offer: [UInt8]) {
        guard isCaller, phase == .idle else { return }
        phase = .calling
        let plan = Redirection(first: target)
        sendInvite(
            to: target, offer: offer, address: NameAddress(uri: target), plan: plan, sequence: 1, DigestAttempt())
    }

    private mutating func sendInvite(
        to target: SIPURI, offer: [UInt8], address: NameAddress, plan: Redirection, sequence: UInt32,
        _ attempt: DigestAttempt
    ) {
        early = [:]
        dialogs = [:]
        var invite = SIPMessage(method: .invite, uri: target.asRequestURI)
        invite.headers.append(.maxForwards, "70")
        invite.headers.append(.from, configuration.local.description + ";tag=" + localTag)
        invite.headers.append(.to, address.description)
        invite.headers.append(.callID, callID)
        invite.headers.append(.cseq, "\(sequence) INVITE")
        decorate(&invite)
        if let replaces = configuration.replaces { invite.headers.append(.replaces, replaces.description) }
        if let referrer = configuration.referredBy { invite.headers.append(.referredBy, referrer.description) }
        invite.setSessionDescription(offer)
        let token = send(invite, purpose: .invite, hop: configuration.outboundProxy ?? target, attempt: attempt)
        calling = Calling(
            token: token, sequence: sequence, invite: clients[token]?.message ?? invite, offer: offer, to: address,
            redirection: plan)
    }

    /// A response to the INVITE. Success may come again and again, from several forks (§13.2.2.4).
    mutating func takeInvite(_ response: SIPMessage, status: Int) {
        switch status {
        case 100..<200:
            calling?.hasProvisional = true
            cancelWhenPossible()
            if status > 100 { takeProvisional(response, status: status) }
        case 200..<300: takeSuccess(response)
        default:
            guard let calling, let client = clients.removeValue(forKey: calling.token) else { return }
            timers[.cancellation] = nil
            if phase == .calling { takeFailure(response, status: status, client: client, calling: calling) }
        }
    }

    private mutating func takeProvisional(_ response: SIPMessage, status: Int) {
        guard let tag = response.to?.tag, !tag.isEmpty, let calling else { return }
        if dialogs[tag] == nil {
            // A fork bomb would make dialogues without end.
            guard dialogs.count < 16 else { return }
            dialogs[tag] = Dialog(caller: calling.invite, response: response)
        }
        var fork = early[tag] ?? EarlyDialog()
        let isReliable = response.requires("100rel") && response.rseq != nil
        if isReliable, let number = response.rseq {
            // In order, each once (RFC 3262 §4); a repetition is answered by the PRACK under way.
            if let last = fork.reliableSequence, number != last &+ 1 { return }
            fork.reliableSequence = number
            sendPRACK(response: number, invite: calling.sequence, remoteTag: tag)
        }
        if let answer = response.sessionDescription, !fork.isAnswerReliable {
            fork.answer = answer
            fork.isAnswerReliable = isReliable
            if phase == .calling { effects.append(.answerReceived(answer, first: true)) }
        }
        early[tag] = fork
        guard phase == .calling, status == 180 || fork.answer != nil else { return }
        let hasMedia = fork.answer != nil
        guard calling.announced == nil || (hasMedia && calling.announced == false) else { return }
        self.calling?.announced = hasMedia
        effects.append(.ringing(earlyMedia: hasMedia))
    }

    private mutating func sendPRACK(response: UInt32, invite: UInt32, remoteTag: String) {
        guard var prack = dialogs[remoteTag]?.request(.prack), let hop = dialogs[remoteTag]?.nextHop else { return }
        prack.headers.append(.rack, "\(response) \(invite) INVITE")
        decorate(&prack)
        send(prack, purpose: .prack, hop: hop, remoteTag: remoteTag)
    }

    private mutating func takeSuccess(_ response: SIPMessage) {
        guard let calling, let tag = response.to?.tag, response.cseq?.number == calling.sequence else { return }
        clients[calling.token] = nil
        timers[.cancellation] = nil
        guard acknowledgements[tag] == nil else { return repeatAcknowledgement(of: response) }
        if dialogs[tag] == nil { dialogs[tag] = Dialog(caller: calling.invite, response: response) }
        dialogs[tag]?.confirm(with: response)
        noteMethods(of: response)
        guard dialogs[tag] != nil else { return }
        acknowledge(sequence: calling.sequence, remoteTag: tag, credentialsOf: calling.invite)
        guard phase == .calling else {
            // Cancelled too late, or another fork was first: this one is accepted and ended (§13.2.2.4, §15).
            return sendBye(remoteTag: tag)
        }
        mainTag = tag
        phase = .confirmed
        let fork = early[tag] ?? EarlyDialog()
        let answer = fork.isAnswerReliable ? fork.answer : response.sessionDescription ?? fork.answer
        guard let answer else {
            return endLocally(.failed(status: 488, text: "the call was answered without a session description"))
        }
        hasSession = true
        effects.append(.answerReceived(answer, first: true))
        effects.append(.established)
    }

    private mutating func takeFailure(
        _ response: SIPMessage, status: Int, client: ClientRequest, calling: Calling
    ) {
        var attempt = client.attempt
        if status == 401 || status == 407, authenticate(response, &attempt), let target = client.message.requestURI {
            return sendInvite(
                to: target, offer: calling.offer, address: calling.to, plan: calling.redirection,
                sequence: calling.sequence + 1, attempt)
        }
        if (300..<400).contains(status) { self.calling?.redirection.add(response) }
        // A 6xx speaks for every place the user may be (§21.6).
        if status < 600, callNext() { return }
        finish(.rejected(status: status, reason: response.reasonPhrase ?? ""))
    }

    /// No response at all.
    mutating func takeInviteFailure(_ failure: RequestFailure) {
        guard phase == .calling, !callNext() else { return }
        finish(.unreachable(text: failure.text))
    }

    private mutating func callNext() -> Bool {
        guard var plan = calling?.redirection, let calling, let target = plan.next() else { return false }
        sendInvite(
            to: target, offer: calling.offer, address: calling.to, plan: plan, sequence: calling.sequence + 1,
            DigestAttempt())
        return true
    }

    /// CANCEL may leave only after a provisional response (§9.1); until then it waits.
    mutating func cancelWhenPossible() {
        guard let calling, calling.isCancelled, !calling.isCancelSent, calling.hasProvisional,
            clients[calling.token] != nil
        else { return }
        self.calling?.isCancelSent = true
        timers[.cancellation] = now + SessionTime.end
        effects.append(.cancel(calling.token))
    }
}
