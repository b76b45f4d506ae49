/// Transferring the peer: REFER within the dialogue, and what the peer tells of it (RFC 3515, RFC 5589).
extension InviteSession {
    /// What became of a REFER of ours.
    public enum ReferOutcome: Sendable, Hashable {
        /// The peer did not take the REFER.
        case refused(status: Int, reason: String)
        /// The final status of the call that the peer made.
        case finished(StatusFragment)
        /// The peer will tell no more, and has told of no end.
        case lost(reason: String)
        /// The peer took the REFER, told nothing of it, and has ended the call: what a peer does that tells nothing.
        case left
    }

    struct OutgoingRefer: Sendable {
        /// Of the request, until it is answered.
        var token: ClientToken?
        /// Its CSeq number, by which NOTIFY may name it.
        var sequence: UInt32
        var isAccepted = false
        var isNotified = false
        var isSettled = false
    }

    /// How many REFERs are known whose end was never told.
    private static let formerReferCapacity = 8

    mutating func refer(to target: ReferTarget) {
        guard phase == .confirmed, let tag = mainTag, var request = dialogs[tag]?.request(.refer),
            let hop = dialogs[tag]?.nextHop
        else {
            return effects.append(.referSettled(.refused(status: 491, reason: "the call cannot be transferred now")))
        }
        if let refer, !refer.isSettled {
            if formerRefers.count == Self.formerReferCapacity { formerRefers.removeFirst() }
            formerRefers.append(refer.sequence)
        }
        request.headers.append(.referTo, target.description)
        request.headers.append(.referredBy, NameAddress(uri: configuration.local.uri).description)
        decorate(&request)
        let token = send(request, purpose: .refer, hop: hop, remoteTag: tag)
        refer = OutgoingRefer(token: token, sequence: request.cseq?.number ?? 0)
    }

    mutating func takeReferAnswer(_ response: SIPMessage, status: Int, client: ClientRequest, token: ClientToken) {
        guard status >= 200 else { return }
        clients[token] = nil
        guard refer?.token == token else { return }
        refer?.token = nil
        guard status >= 300 else {
            refer?.isAccepted = true
            return
        }
        if let again = resend(client, after: response) {
            refer?.token = again
            refer?.sequence = clients[again]?.message.cseq?.number ?? 0
            return
        }
        referRefused(status: status, reason: response.reasonPhrase ?? "")
    }

    /// No answer, or a refusal. 408 and 481 say that the dialogue is gone (RFC 3261 §12.2.1.2).
    mutating func referRefused(status: Int, reason: String) {
        if status == 405 || status == 501 { remoteMethods = (remoteMethods ?? []).subtracting([.refer]) }
        settleRefer(.refused(status: status, reason: reason))
        if status == 408 || status == 481 { loseDialog(status: status, text: reason) }
    }

    private mutating func settleRefer(_ outcome: ReferOutcome) {
        guard refer?.isSettled == false else { return }
        refer?.isSettled = true
        effects.append(.referSettled(outcome))
    }

    /// The peer tells how far its call has come.
    mutating func takeNotify(_ request: SIPMessage, token: ServerToken) {
        guard let event = request.token(.event), event.isValue("refer") else {
            var refusal = response(489, to: request)
            refusal.headers.append(.allowEvents, "refer")
            return effects.append(.respond(token, refusal))
        }
        let fragment = StatusFragment(of: request)
        let state = request.token(.subscriptionState)
        // The id is that of the REFER, and may be left out of the first one's (RFC 3515 §2.4.6).
        let id = event.parameters["id"]
        if let former = id == nil ? formerRefers.first : formerRefers.first(where: { "\($0)" == id }) {
            if state?.isValue("terminated") ?? false || (fragment?.status ?? 0) >= 200 {
                formerRefers.removeAll { $0 == former }
            }
            return respond(token, 200, to: request)
        }
        guard let refer, id == nil || id == "\(refer.sequence)" else { return respond(token, 481, to: request) }
        respond(token, 200, to: request)
        self.refer?.isNotified = true
        guard !refer.isSettled else { return }
        if let fragment, fragment.status >= 200 {
            settleRefer(.finished(fragment))
        } else if let state, state.isValue("terminated") {
            settleRefer(.lost(reason: state.parameters["reason"].map { String($0.prefix(64)) } ?? "no reason given"))
        } else if let fragment {
            effects.append(.referProgress(fragment))
        }
    }

    /// The peer has ended the call.
    mutating func leaveRefer() {
        if let refer, refer.isAccepted, !refer.isNotified { settleRefer(.left) }
    }

    /// Takes over what the peer says it can do.
    mutating func noteMethods(of message: SIPMessage) {
        let methods = message.allow
        if !methods.isEmpty { remoteMethods = Set(methods) }
    }

    /// Whether the peer takes REFER, as far as it has said.
    public var peerTakesRefer: Bool { remoteMethods?.contains(.refer) ?? true }
}
