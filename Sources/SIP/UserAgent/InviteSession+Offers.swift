/// Offers within the dialogue, ours and theirs: re-INVITE, UPDATE, glare (RFC 3261 §14, RFC 3311, RFC 6337).
extension InviteSession {
    // MARK: Ours

    mutating func renegotiate(attempt: Int) {
        guard phase != .ended else { return }
        if let older = wantedReoffer { effects.append(.reofferSettled(attempt: older, .superseded)) }
        wantedReoffer = attempt
    }

    /// Asks for the offer that is wished as soon as none of either side is under way (§14.1).
    mutating func beginWantedReoffer() {
        guard let wantedReoffer, phase == .confirmed, reofferInFlight == nil, offerToMake == nil,
            offerToAnswer == nil, incoming == nil, acceptance == nil, timers[.glare] == nil
        else { return }
        self.wantedReoffer = nil
        offerToMake = .reoffer(attempt: wantedReoffer)
        effects.append(.offerNeeded(solicited: false))
    }

    mutating func takeLocalOffer(_ description: [UInt8]) {
        guard let purpose = offerToMake else { return }
        offerToMake = nil
        switch purpose {
        case .acceptance:
            refreshTarget()
            sendAcceptance(description, isOffer: true)
        case .reoffer(let attempt):
            guard phase == .confirmed, let tag = mainTag, var invite = dialogs[tag]?.request(.invite),
                let hop = dialogs[tag]?.nextHop
            else { return }
            decorate(&invite)
            invite.setSessionDescription(description)
            let token = send(invite, purpose: .reinvite, hop: hop, remoteTag: tag)
            reofferInFlight = ReofferInFlight(token: token, attempt: attempt)
            timers[.reinvite] = now + SessionTime.reinvite
        }
    }

    mutating func takeReinvite(_ response: SIPMessage, status: Int, token: ClientToken) {
        guard let reoffer = reofferInFlight, reoffer.token == token, let client = clients[token],
            let tag = client.remoteTag
        else {
            if status >= 200 { clients[token] = nil }
            return
        }
        guard status >= 200 else { return }
        clients[token] = nil
        reofferInFlight = nil
        timers[.reinvite] = nil
        if status < 300, let sequence = client.message.cseq?.number {
            dialogs[tag]?.refreshTarget(from: response)
            noteMethods(of: response)
            acknowledge(sequence: sequence, remoteTag: tag, credentialsOf: client.message)
            guard phase == .confirmed else { return }
            if let answer = response.sessionDescription {
                effects.append(.answerReceived(answer, first: false))
                effects.append(.reofferSettled(attempt: reoffer.attempt, .accepted))
            } else {
                settle(reoffer, .refused(status: status, reason: "no answer to the offer in the \(status)"))
            }
            return
        }
        guard phase == .confirmed else { return }
        if let next = resend(client, after: response) {
            reofferInFlight = ReofferInFlight(token: next, attempt: reoffer.attempt)
            timers[.reinvite] = now + SessionTime.reinvite
            return
        }
        switch status {
        case 491:
            // Who made the Call-ID waits longer, so that the two do not meet again (§14.1).
            let range = isCaller ? 210...400 : 0...200
            timers[.glare] = now + .milliseconds(10 * configuration.random(range))
            effects.append(.offerWithdrawn)
            if wantedReoffer == nil {
                wantedReoffer = reoffer.attempt
            } else {
                effects.append(.reofferSettled(attempt: reoffer.attempt, .superseded))
            }
        case 408, 481: loseDialog(status: status, text: response.reasonPhrase ?? "")
        default: settle(reoffer, .refused(status: status, reason: response.reasonPhrase ?? ""))
        }
    }

    mutating func settle(_ reoffer: ReofferInFlight, _ outcome: Outcome) {
        effects.append(.offerWithdrawn)
        effects.append(.reofferSettled(attempt: reoffer.attempt, outcome))
    }

    /// The peer no longer knows the dialogue, or is not there: it ends (§12.2.1.2).
    mutating func loseDialog(status: Int, text: String) {
        guard phase == .confirmed else { return }
        endLocally(.failed(status: status, text: text))
    }

    /// A re-INVITE without a final response is cancelled once, then given up.
    mutating func expireReinvite() {
        guard let reoffer = reofferInFlight else { return }
        if reoffer.isCancelled || phase == .ended {
            clients[reoffer.token] = nil
            reofferInFlight = nil
            return loseDialog(status: 408, text: "no final response to the re-INVITE")
        }
        reofferInFlight?.isCancelled = true
        timers[.reinvite] = now + SessionTime.end
        effects.append(.cancel(reoffer.token))
    }

    // MARK: Theirs

    /// A re-INVITE. Overlapping ones are refused as §14.2 says.
    mutating func takeReinviteRequest(_ request: SIPMessage, token: ServerToken) {
        guard phase == .confirmed || phase == .accepted, incoming == nil else {
            return phase == .calling ? respond(token, 491, to: request) : respondLater(token, to: request)
        }
        if reofferInFlight != nil || acceptance?.awaitsAnswer == true { return respond(token, 491, to: request) }
        guard request.hasDescriptionType || request.body.isEmpty else { return refuseType(token, request) }
        if acceptance != nil {
            // A new INVITE shows that our 2xx arrived: its ACK was lost.
            clearAcceptance()
            if phase == .accepted {
                phase = .confirmed
                effects.append(.established)
            }
        }
        incoming = IncomingInvite(token: token, request: request)
        noteMethods(of: request)
        if let offer = request.sessionDescription {
            offerToAnswer = .invite
            effects.append(.answerNeeded(offer: offer))
        } else {
            offerToMake = .acceptance
            effects.append(.offerNeeded(solicited: true))
        }
    }

    mutating func takeUpdate(_ request: SIPMessage, token: ServerToken, remoteTag: String) {
        guard request.hasDescriptionType || request.body.isEmpty else { return refuseType(token, request) }
        guard let offer = request.sessionDescription else {
            dialogs[remoteTag]?.refreshTarget(from: request)
            var success = response(200, to: request)
            decorate(&success)
            return effects.append(.respond(token, success))
        }
        let isOurOfferOpen =
            reofferInFlight != nil || acceptance?.awaitsAnswer == true || provisional?.awaitsAnswer == true
            || (phase == .calling && early[remoteTag]?.answer == nil)
        if isOurOfferOpen { return respond(token, 491, to: request) }
        // Their INVITE's offer is still to be answered (RFC 3311 §5.2).
        if phase == .ringing, !hasSession { return respondLater(token, to: request) }
        offerToAnswer = .update(token, request, remoteTag: remoteTag)
        effects.append(.answerNeeded(offer: offer))
    }

    mutating func takeLocalAnswer(_ description: [UInt8]) {
        guard let carrier = offerToAnswer else { return }
        offerToAnswer = nil
        switch carrier {
        case .invite:
            refreshTarget()
            sendAcceptance(description, isOffer: false)
        case .update(let token, let request, let tag):
            dialogs[tag]?.refreshTarget(from: request)
            succeed(token, request, description)
        case .prack(let token, let request): succeed(token, request, description)
        }
    }

    mutating func refuseOffer(status: Int, reason: String) {
        if case .acceptance = offerToMake {
            offerToMake = nil
            return refuseInvite(status: status, reason: reason)
        }
        if case .reoffer(let attempt) = offerToMake {
            offerToMake = nil
            return effects.append(.reofferSettled(attempt: attempt, .refused(status: status, reason: reason)))
        }
        guard let carrier = offerToAnswer else { return }
        offerToAnswer = nil
        switch carrier {
        case .invite: refuseInvite(status: status, reason: reason)
        case .update(let token, let request, _), .prack(let token, let request):
            respond(token, status, to: request, reason: reason)
        }
    }

    private mutating func succeed(_ token: ServerToken, _ request: SIPMessage, _ description: [UInt8]) {
        var success = response(200, to: request)
        decorate(&success)
        success.setSessionDescription(description)
        effects.append(.respond(token, success))
    }

    private mutating func refreshTarget() {
        guard let tag = mainTag, let incoming else { return }
        dialogs[tag]?.refreshTarget(from: incoming.request)
    }
}
