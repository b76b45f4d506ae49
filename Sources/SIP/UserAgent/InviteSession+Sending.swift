/// What all messages of a session have in common, and the answers to what it sent.
extension InviteSession {
    // MARK: Requests

    @discardableResult
    mutating func send(
        _ request: SIPMessage, purpose: Purpose, hop: SIPURI, remoteTag: String? = nil,
        attempt: DigestAttempt = DigestAttempt()
    ) -> ClientToken {
        lastToken += 1
        let token = ClientToken(rawValue: lastToken)
        var message = request
        authenticator?.authorize(&message)
        clients[token] = ClientRequest(
            message: message, hop: hop, purpose: purpose, remoteTag: remoteTag, attempt: attempt)
        effects.append(.send(token, message, hop: hop))
        return token
    }

    /// Our Contact and what we can do, as target refreshes and their responses have it.
    func decorate(_ message: inout SIPMessage) {
        message.headers.append(.contact, configuration.contact.description)
        message.headers.append(.allow, Capabilities.allow)
        message.headers.append(.supported, Capabilities.supported)
        if !configuration.userAgent.isEmpty {
            message.headers.append(message.isRequest ? .userAgent : .server, configuration.userAgent)
        }
    }

    mutating func acknowledge(sequence: UInt32, remoteTag: String, credentialsOf invite: SIPMessage) {
        guard let dialog = dialogs[remoteTag] else { return }
        var ack = dialog.acknowledgement(sequence: sequence)
        // The ACK of a 2xx cannot be challenged: it carries what its INVITE carried (RFC 3261 §22.1).
        for name in [HeaderName.authorization, .proxyAuthorization] {
            for value in invite.headers.all(name) { ack.headers.append(name, value) }
        }
        acknowledgements[remoteTag] = Acknowledgement(sequence: sequence, message: ack, hop: dialog.nextHop)
        effects.append(.acknowledge(ack, hop: dialog.nextHop))
    }

    /// A 2xx that comes again is acknowledged again, by the same ACK (§13.2.2.4).
    mutating func repeatAcknowledgement(of response: SIPMessage) {
        guard let tag = response.to?.tag, let known = acknowledgements[tag],
            response.cseq?.number == known.sequence
        else { return }
        effects.append(.acknowledge(known.message, hop: known.hop))
    }

    mutating func authenticate(_ response: SIPMessage, _ attempt: inout DigestAttempt) -> Bool {
        authenticator?.take(response, attempt: &attempt) ?? false
    }

    /// Sends a request of a dialogue again, with credentials; nil where the response is no challenge we can answer.
    mutating func resend(_ client: ClientRequest, after response: SIPMessage) -> ClientToken? {
        var attempt = client.attempt
        guard response.status == 401 || response.status == 407, let tag = client.remoteTag,
            let method = client.message.method, authenticate(response, &attempt),
            let number = dialogs[tag]?.nextSequence()
        else { return nil }
        var message = client.message
        message.headers.set(.cseq, "\(number) \(method)")
        return send(message, purpose: client.purpose, hop: client.hop, remoteTag: tag, attempt: attempt)
    }

    // MARK: Their answers

    mutating func take(_ response: SIPMessage, token: ClientToken) {
        guard let status = response.status else { return }
        if token == calling?.token { return takeInvite(response, status: status) }
        guard let client = clients[token] else {
            // A 2xx to a re-INVITE whose ACK was lost.
            if (200..<300).contains(status), response.method == .invite { repeatAcknowledgement(of: response) }
            return
        }
        switch client.purpose {
        case .invite: return
        case .reinvite: takeReinvite(response, status: status, token: token)
        case .refer: takeReferAnswer(response, status: status, client: client, token: token)
        case .enquiry: takeEnquiryAnswer(response, status: status, client: client, token: token)
        case .prack, .bye, .notify:
            guard status >= 200 else { return }
            clients[token] = nil
            if resend(client, after: response) == nil, case .notify = client.purpose { notifyRefused(status: status) }
        }
    }

    mutating func take(_ failure: RequestFailure, token: ClientToken) {
        guard let client = clients.removeValue(forKey: token) else { return }
        switch client.purpose {
        case .invite: if token == calling?.token { takeInviteFailure(failure) }
        case .reinvite:
            guard let reoffer = reofferInFlight, reoffer.token == token else { return }
            reofferInFlight = nil
            timers[.reinvite] = nil
            switch failure {
            case .timeout: loseDialog(status: failure.status, text: failure.text)
            // A 503 of the network's own (§8.1.3.1): the way may be back before the call is over.
            case .transport where phase == .confirmed:
                settle(reoffer, .refused(status: failure.status, reason: failure.text))
            case .transport: return
            }
        case .refer:
            guard refer?.token == token else { return }
            refer?.token = nil
            referRefused(status: failure.status, reason: failure.text)
        case .notify: notifyRefused(status: failure.status)
        case .enquiry: enquiryFailed(failure, token: token)
        case .prack, .bye: return
        }
    }

    // MARK: Responses

    /// Record-Route is taken over where the response makes a dialogue or answers INVITE (RFC 3261 §12.1.1).
    func response(_ status: Int, to request: SIPMessage, reason: String? = nil) -> SIPMessage {
        request.response(
            status, reason: reason, toTag: localTag, recordsRoute: request.method == .invite && status < 300)
    }

    mutating func respond(_ token: ServerToken, _ status: Int, to request: SIPMessage, reason: String? = nil) {
        effects.append(.respond(token, response(status, to: request, reason: reason)))
    }

    /// 500 with the Retry-After of 0 to 10 s that overlapping requests get (RFC 3261 §14.2, RFC 3311 §5.2).
    mutating func respondLater(_ token: ServerToken, to request: SIPMessage) {
        var refusal = response(500, to: request)
        refusal.headers.append(.retryAfter, "\(configuration.random(0...10))")
        effects.append(.respond(token, refusal))
    }

    mutating func refuseType(_ token: ServerToken, _ request: SIPMessage) {
        effects.append(.respond(token, RequestScreening.typeRefusal(of: request, localTag: localTag)))
    }
}
