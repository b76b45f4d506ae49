/// The callee's responses to INVITE: ringing, reliable or not, 2xx until its ACK, refusal (RFC 3261 §13.3, RFC 3262 §3).
extension InviteSession {
    var requiresReliability: Bool { incoming?.request.requires("100rel") ?? false }

    mutating func ring(offer: [UInt8]?) {
        guard phase == .ringing, provisional == nil, let incoming else { return }
        var ringing = response(180, to: incoming.request)
        decorate(&ringing)
        if requiresReliability, let sequence = incoming.request.cseq?.number {
            lastReliableSequence =
                lastReliableSequence == 0
                ? UInt32(clamping: configuration.random(1...0x3FFF_FFFF)) : lastReliableSequence &+ 1
            ringing.headers.append(.require, "100rel")
            ringing.headers.append(.rseq, "\(lastReliableSequence)")
            let carriesOffer = ringNeedsOffer && offer != nil
            if carriesOffer, let offer { ringing.setSessionDescription(offer) }
            provisional = ReliableProvisional(
                token: incoming.token, response: ringing, reliableSequence: lastReliableSequence, sequence: sequence,
                interval: SessionTime.t1, awaitsAnswer: carriesOffer)
            timers[.provisional] = now + SessionTime.t1
            timers[.provisionalEnd] = now + SessionTime.end
        }
        effects.append(.respond(incoming.token, ringing))
    }

    mutating func accept(_ description: [UInt8]?) {
        guard phase == .ringing, let incoming else { return }
        if provisional != nil {
            // A 2xx may not overtake a reliable response (RFC 3262 §3).
            provisional?.acceptance = .some(description)
            return
        }
        phase = .accepted
        let isOffer = incoming.request.sessionDescription == nil && !hasSession
        if !isOffer { hasSession = true }
        sendAcceptance(description, isOffer: isOffer)
    }

    /// The 2xx of the INVITE that waits, first or later; it is repeated until the ACK comes.
    mutating func sendAcceptance(_ description: [UInt8]?, isOffer: Bool) {
        guard let incoming, let sequence = incoming.request.cseq?.number else { return }
        self.incoming = nil
        if let tag = mainTag { dialogs[tag]?.confirm() }
        var success = response(200, to: incoming.request)
        decorate(&success)
        if let description { success.setSessionDescription(description) }
        acceptance = Acceptance(
            token: incoming.token, response: success, sequence: sequence, interval: SessionTime.t1,
            awaitsAnswer: isOffer)
        timers[.acceptance] = now + SessionTime.t1
        timers[.acceptanceEnd] = now + SessionTime.end
        effects.append(.respond(incoming.token, success))
    }

    mutating func reject(status: Int, reason: String) {
        guard phase == .ringing else { return }
        refuseInvite(status: status, reason: reason)
        finish(.local)
    }

    /// A final refusal of the INVITE that waits, first or later.
    mutating func refuseInvite(status: Int, reason: String? = nil) {
        guard let incoming else { return }
        self.incoming = nil
        clearProvisional()
        effects.append(.respond(incoming.token, response(status, to: incoming.request, reason: reason)))
    }

    mutating func takeAcknowledgement(_ request: SIPMessage) {
        guard let acceptance, request.cseq?.number == acceptance.sequence else { return }
        clearAcceptance()
        guard phase != .ended else {
            // We had hung up before the ACK came; only now may BYE follow (RFC 3261 §15).
            if isByeDue, let tag = mainTag { sendBye(remoteTag: tag) }
            return
        }
        let isFirst = phase == .accepted
        phase = .confirmed
        if acceptance.awaitsAnswer {
            guard let answer = request.sessionDescription else {
                return endLocally(.failed(status: nil, text: "the peer did not answer our offer in its ACK"))
            }
            hasSession = true
            effects.append(.answerReceived(answer, first: false))
        }
        if isFirst { effects.append(.established) }
    }

    /// PRACK of our reliable response (RFC 3262 §3).
    mutating func takePRACK(_ request: SIPMessage, token: ServerToken) {
        guard let provisional, let rack = request.rack, rack.responseNumber == provisional.reliableSequence,
            rack.cseq.number == provisional.sequence, rack.cseq.method == .invite
        else { return respond(token, 481, to: request) }
        clearProvisional()
        if provisional.awaitsAnswer {
            guard let answer = request.sessionDescription else {
                respond(token, 400, to: request, reason: "Answer Missing")
                refuseInvite(status: 400, reason: "Answer Missing")
                return finish(.failed(status: nil, text: "the peer did not answer our offer in its PRACK"))
            }
            hasSession = true
            effects.append(.answerReceived(answer, first: false))
            respond(token, 200, to: request)
        } else if let offer = request.sessionDescription {
            guard hasSession else { return respond(token, 488, to: request) }
            offerToAnswer = .prack(token, request)
            effects.append(.answerNeeded(offer: offer))
        } else {
            respond(token, 200, to: request)
        }
        if let description = provisional.acceptance { accept(description) }
    }

    mutating func clearAcceptance() {
        acceptance = nil
        timers[.acceptance] = nil
        timers[.acceptanceEnd] = nil
    }

    mutating func clearProvisional() {
        provisional = nil
        timers[.provisional] = nil
        timers[.provisionalEnd] = nil
    }
}
