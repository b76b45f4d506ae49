/// Requests of the peer within the dialogue (RFC 3261 §12.2.2).
extension InviteSession {
    mutating func take(_ request: SIPMessage, token: ServerToken) {
        guard let method = request.method else { return }
        if method == .cancel { return takeCancel(request, token: token) }
        let tag = request.from?.tag ?? ""
        guard dialogs[tag] != nil else { return respond(token, 481, to: request) }
        if let refusal = RequestScreening.refusal(of: request, localTag: localTag) {
            return effects.append(.respond(token, refusal))
        }
        guard dialogs[tag]?.takes(request) ?? false else {
            return respond(token, 500, to: request, reason: "CSeq Out of Order")
        }
        // A peer that asks is there.
        if tag == mainTag { endEnquiry() }
        if method == .bye { return takeBye(request, token: token, remoteTag: tag) }
        guard phase != .ended, mainTag == nil || mainTag == tag else { return respond(token, 481, to: request) }
        switch method {
        case .invite: takeReinviteRequest(request, token: token)
        case .update: takeUpdate(request, token: token, remoteTag: tag)
        case .prack: takePRACK(request, token: token)
        case .info: takeInfo(request, token: token)
        case .refer: takeRefer(request, token: token, remoteTag: tag)
        case .notify: takeNotify(request, token: token)
        case .options: effects.append(.respond(token, Capabilities.response(to: request, localTag: localTag)))
        default: effects.append(.respond(token, Capabilities.methodRefusal(of: request, localTag: localTag)))
        }
    }

    /// Whether `cancel` is the CANCEL of this session's last INVITE of the peer (§9.2): the same request but for the
    /// method. One that comes after the answer is 200, too, and changes nothing.
    public func isCancelled(by cancel: SIPMessage) -> Bool {
        guard let invite = lastInvite, let theirs = cancel.topVia, let ours = invite.topVia else { return false }
        return cancel.method == .cancel && cancel.callID == callID && cancel.cseq?.number == invite.cseq?.number
            && cancel.from?.tag == invite.from?.tag && theirs.branch == ours.branch && theirs.host == ours.host
            && theirs.port == ours.port
    }

    private mutating func takeCancel(_ request: SIPMessage, token: ServerToken) {
        guard isCancelled(by: request) else { return respond(token, 481, to: request) }
        respond(token, 200, to: request)
        guard phase == .ringing else { return }
        refuseInvite(status: 487)
        let reason = request.tokens(.reason).first { $0.isValue("SIP") }
        finish(.cancelled(cause: reason?.parameters["cause"].flatMap { Int($0) }))
    }

    private mutating func takeBye(_ request: SIPMessage, token: ServerToken, remoteTag: String) {
        respond(token, 200, to: request)
        isByeDue = isByeDue && remoteTag != mainTag
        if phase == .ended, remoteTag == mainTag { clearAcceptance() }
        guard phase != .ended, remoteTag == mainTag else { return }
        // Pending requests are answered, too (§15.1.2).
        refuseInvite(status: 487)
        clearAcceptance()
        leaveRefer()
        finish(.remote)
    }

    private mutating func takeInfo(_ request: SIPMessage, token: ServerToken) {
        guard !request.body.isEmpty else { return respond(token, 200, to: request) }
        guard let digit = InfoDigit(request) else {
            var refusal = response(415, to: request)
            refusal.headers.append(.accept, "application/sdp, application/dtmf-relay, application/dtmf")
            return effects.append(.respond(token, refusal))
        }
        respond(token, 200, to: request)
        effects.append(.digit(digit.digit, milliseconds: digit.milliseconds))
    }
}
