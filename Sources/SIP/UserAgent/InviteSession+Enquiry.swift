/// Asking a silent peer whether it still has the call: OPTIONS within the dialogue (RFC 3261 §11, §12.2).
extension InviteSession {
    struct Enquiry: Sendable {
        /// Of the request; nil while the second one waits for its time.
        var token: ClientToken?
        /// The first could not be sent.
        var isSecond: Bool
    }

    /// Asks, unless that is under way, or something else is that tells as well whether the peer is there.
    mutating func enquire() {
        guard enquiry == nil, isDialogIdle else { return }
        sendEnquiry(isSecond: false)
    }

    /// The first could not be sent: the way may be back by now.
    mutating func enquireAgain() {
        guard enquiry != nil else { return }
        guard isDialogIdle else { return endEnquiry() }
        sendEnquiry(isSecond: true)
    }

    private var isDialogIdle: Bool {
        phase == .confirmed && clients.isEmpty && wantedReoffer == nil && offerToMake == nil && offerToAnswer == nil
            && incoming == nil && acceptance == nil
    }

    private mutating func sendEnquiry(isSecond: Bool) {
        guard let tag = mainTag, var options = dialogs[tag]?.request(.options), let hop = dialogs[tag]?.nextHop else {
            return endEnquiry()
        }
        options.headers.append(.accept, "application/sdp")
        if !configuration.userAgent.isEmpty { options.headers.append(.userAgent, configuration.userAgent) }
        let token = send(options, purpose: .enquiry, hop: hop, remoteTag: tag)
        enquiry = Enquiry(token: token, isSecond: isSecond)
    }

    mutating func takeEnquiryAnswer(_ response: SIPMessage, status: Int, client: ClientRequest, token: ClientToken) {
        guard status >= 200 else { return }
        clients[token] = nil
        guard enquiry?.token == token else { return }
        if let again = resend(client, after: response) {
            enquiry?.token = again
            return
        }
        endEnquiry()
        // Whoever refuses for another reason is there (§12.2.1.2).
        if status == 408 || status == 481 { losePeer() }
    }

    mutating func enquiryFailed(_ failure: RequestFailure, token: ClientToken) {
        guard let asked = enquiry, asked.token == token else { return }
        if case .transport = failure, !asked.isSecond {
            // The network may be gone for a moment only, and so may the peer: it has as long as if it were silent.
            enquiry?.token = nil
            timers[.enquiry] = now + SessionTime.end
            return
        }
        endEnquiry()
        losePeer()
    }

    /// The answer no longer matters: it has come, the peer has spoken, or the call is over.
    mutating func endEnquiry() {
        enquiry = nil
        timers[.enquiry] = nil
    }

    private mutating func losePeer() {
        if phase == .confirmed { effects.append(.peerLost) }
    }
}
