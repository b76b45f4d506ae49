/// Being transferred: the peer's REFER, and what we tell of the call that comes of it (RFC 3515 §2.4).
extension InviteSession {
    struct Referral: Sendable {
        var token: ServerToken
        var request: SIPMessage
        var remoteTag: String
        /// What names it in our NOTIFYs; nil for the first one, which needs no name (§2.4.6).
        var id: UInt32?
        /// The peer wants to be told nothing (RFC 4488).
        var isSilent: Bool
        var isAccepted = false
        var lastStatus = 0
    }

    mutating func takeRefer(_ request: SIPMessage, token: ServerToken, remoteTag: String) {
        guard phase == .confirmed else { return respond(token, 603, to: request) }
        guard referral == nil else { return respond(token, 491, to: request) }
        do throws(ReferTarget.Refusal) {
            let target = try ReferTarget(of: request)
            let wantsNothing = request.token(.referSub)?.isValue("false") ?? false
            referral = Referral(
                token: token, request: request, remoteTag: remoteTag, id: referrals == 0 ? nil : request.cseq?.number,
                isSilent: wantsNothing)
            referrals += 1
            effects.append(.referred(target, by: request.headers.first(.referredBy).flatMap(Self.referrer)))
        } catch {
            respond(token, error.status, to: request, reason: error.reason)
        }
    }

    /// Who refers, without what else may stand there: it goes into a request of ours (RFC 3892 §3).
    private static func referrer(_ text: String) -> NameAddress? {
        guard let address = try? NameAddress(parsing: text), address.uri.scheme == "sip", !address.uri.host.isEmpty
        else { return nil }
        return NameAddress(uri: SIPURI(user: address.uri.user, host: address.uri.host, port: address.uri.port))
    }

    mutating func answerReferral(isAccepted: Bool) {
        guard let referral, !referral.isAccepted else { return }
        guard isAccepted else {
            self.referral = nil
            return respond(referral.token, 603, to: referral.request)
        }
        var accepted = response(202, to: referral.request)
        decorate(&accepted)
        if referral.isSilent { accepted.headers.append(.referSub, "false") }
        effects.append(.respond(referral.token, accepted))
        self.referral?.isAccepted = true
        timers[.referral] = now + SessionTime.referral
        tellReferrer(StatusFragment(status: 100))
    }

    /// Tells the peer how far the call has come, each status once. A final one ends the subscription.
    mutating func tellReferrer(_ fragment: StatusFragment) {
        guard let referral, referral.isAccepted, fragment.status > referral.lastStatus else { return }
        self.referral?.lastStatus = fragment.status
        let isFinal = fragment.status >= 200
        if !referral.isSilent { sendNotify(fragment, isFinal: isFinal, referral) }
        if isFinal { endReferral() }
    }

    private mutating func sendNotify(_ fragment: StatusFragment, isFinal: Bool, _ referral: Referral) {
        guard var notify = dialogs[referral.remoteTag]?.request(.notify),
            let hop = dialogs[referral.remoteTag]?.nextHop
        else { return }
        notify.headers.append(.event, "refer" + (referral.id.map { ";id=\($0)" } ?? ""))
        let remaining = timers[.referral].map { max(1, ($0 - now).components.seconds) } ?? 1
        notify.headers.append(
            .subscriptionState, isFinal ? "terminated;reason=noresource" : "active;expires=\(remaining)")
        decorate(&notify)
        notify.headers.append(.contentType, StatusFragment.contentType)
        notify.body = fragment.body
        send(notify, purpose: .notify, hop: hop, remoteTag: referral.remoteTag)
    }

    /// The peer does not know the subscription, or is not there any more: it is told no more.
    mutating func notifyRefused(status: Int) {
        if status == 481 || status == 408 { endReferral() }
    }

    /// The call that came of it has told nothing for too long.
    mutating func expireReferral() { tellReferrer(StatusFragment(status: 408)) }

    private mutating func endReferral() {
        referral = nil
        timers[.referral] = nil
    }
}
