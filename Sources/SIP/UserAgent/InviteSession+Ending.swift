/// The end of a session from our side and its timers (RFC 3261 §15, §9.1).
extension InviteSession {
    /// BYE, CANCEL or 480, whichever the state asks for.
    mutating func endLocally(_ ending: Ending) {
        switch phase {
        case .ended: return
        case .idle: break
        case .calling:
            calling?.isCancelled = true
            cancelWhenPossible()
        case .ringing: refuseInvite(status: ending == .local ? 480 : 500)
        case .accepted:
            // The callee may not send BYE before the ACK has come or is given up (§15).
            isByeDue = true
        case .confirmed:
            refuseInvite(status: 487)
            clearAcceptance()
            if let tag = mainTag { sendBye(remoteTag: tag) }
        }
        finish(ending)
    }

    /// The one way into the last phase.
    mutating func finish(_ ending: Ending) {
        guard phase != .ended else { return }
        phase = .ended
        // What waits for an answer gets one; a call that we follow is told of beyond the end (RFC 5589 §6).
        answerReferral(isAccepted: false)
        clearProvisional()
        offerToMake = nil
        offerToAnswer = nil
        wantedReoffer = nil
        timers[.glare] = nil
        endEnquiry()
        // A re-INVITE under way may still be answered; not for ever, since a provisional response stops its own timer.
        timers[.reinvite] = reofferInFlight == nil ? nil : now + SessionTime.end
        if !isByeDue { clearAcceptance() }
        effects.append(.ended(ending))
    }

    mutating func sendBye(remoteTag: String) {
        guard let bye = dialogs[remoteTag]?.request(.bye), let hop = dialogs[remoteTag]?.nextHop else { return }
        isByeDue = false
        var message = bye
        if !configuration.userAgent.isEmpty { message.headers.append(.userAgent, configuration.userAgent) }
        send(message, purpose: .bye, hop: hop, remoteTag: remoteTag)
    }

    mutating func fireTimers() {
        let due = timers.filter { $0.value <= now }.map(\.key)
        for timer in due {
            timers[timer] = nil
            switch timer {
            case .acceptance: repeatAcceptance()
            case .acceptanceEnd: giveUpAcknowledgement()
            case .provisional: repeatProvisional()
            case .provisionalEnd:
                refuseInvite(status: 504, reason: "Reliable Response Not Acknowledged")
                finish(.failed(status: 504, text: "the caller did not acknowledge a reliable response"))
            case .glare: break  // `beginWantedReoffer` follows every event
            case .cancellation: if let token = calling?.token { clients[token] = nil }
            case .reinvite: expireReinvite()
            case .referral: expireReferral()
            case .enquiry: enquireAgain()
            }
        }
    }

    private mutating func repeatAcceptance() {
        guard var acceptance else { return }
        effects.append(.respond(acceptance.token, acceptance.response))
        acceptance.interval = min(acceptance.interval * 2, SessionTime.t2)
        timers[.acceptance] = now + acceptance.interval
        self.acceptance = acceptance
    }

    /// No ACK in 64 × T1: the dialogue is ended by BYE (§13.3.1.4).
    private mutating func giveUpAcknowledgement() {
        clearAcceptance()
        guard let tag = mainTag, isByeDue || phase == .accepted || phase == .confirmed else { return }
        sendBye(remoteTag: tag)
        finish(.failed(status: 408, text: "the peer did not acknowledge our answer"))
    }

    private mutating func repeatProvisional() {
        guard var provisional else { return }
        effects.append(.respond(provisional.token, provisional.response))
        provisional.interval *= 2
        timers[.provisional] = now + provisional.interval
        self.provisional = provisional
    }
}
