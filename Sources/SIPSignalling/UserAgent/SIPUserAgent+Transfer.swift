public import CallModel
internal import CallSystem
internal import SIP

/// A REFER of a peer, and the call in which it came.
struct CallReferral: Hashable {
    var call: CallID
    var target: ReferTarget
    /// Who refers, as it says.
    var referrer: NameAddress?
}

extension SIPUserAgent {
    // MARK: Asked of the peer

    public func transfer(_ call: CallID, to handle: Handle, attempt: Int) {
        do throws(CallError) {
            let known = try transferable(call)
            let plan = DialPlan(accounts: configuration.accounts)
            let destination = try plan.destination(of: handle, account: known.account?.configuration.name)
            known.transfer(to: ReferTarget(uri: destination.uri), attempt: attempt)
        } catch {
            emit(.transferSettled(call, attempt: attempt, .failed(error)))
        }
    }

    public func transfer(_ call: CallID, replacing other: CallID, attempt: Int) {
        do throws(CallError) {
            let known = try transferable(call)
            guard call != other, let dialog = try transferable(other).session?.dialog else {
                throw CallError(.invalidState, "Call \(call) cannot be transferred to call \(other).")
            }
            let target = ReferTarget(uri: dialog.remoteTarget, replaces: dialog.id.replacedAtPeer)
            known.transfer(to: target, attempt: attempt)
        } catch {
            emit(.transferSettled(call, attempt: attempt, .failed(error)))
        }
    }

    private func transferable(_ call: CallID) throws(CallError) -> SIPCall {
        guard let known = calls[call], !known.isOver, known.session?.dialog?.isConfirmed ?? false else {
            throw CallError(.invalidState, "Call \(call) is not connected.")
        }
        return known
    }

    // MARK: Asked of us

    public func followTransfer(_ call: CallID, as new: CallID) throws(CallError) {
        guard let known = calls[call], !known.isOver, let referral = known.wantedReferral else {
            throw CallError(.invalidState, "The remote party of call \(call) does not wait for us to call anybody.")
        }
        // The account is that of the call, whatever the address looks like: no peer spends what an account pays for.
        try place(new, to: referral.target.uri, through: known.account, referral: referral)
        known.wantedReferral = nil
        known.handle(.answerReferral(isAccepted: true))
    }

    public func refuseTransfer(_ call: CallID) {
        guard let known = calls[call] else { return }
        known.wantedReferral = nil
        known.handle(.answerReferral(isAccepted: false))
    }

    // MARK: INVITE with Replaces

    enum Replacement {
        case none
        case call(CallID)
        case refused(status: Int)
    }

    /// Whose place an INVITE wants (RFC 3891 §3).
    func replacement(by invite: SIPMessage) -> Replacement {
        guard let text = invite.headers.first(.replaces) else { return .none }
        guard let replaces = try? Replaces(parsing: text) else { return .refused(status: 400) }
        for call in calls.values {
            switch call.session?.replacement(by: replaces) {
            case .possible: return call.isOver ? .refused(status: 603) : .call(call.id)
            case .refused(let status): return .refused(status: status)
            case .notMeant, nil: continue
            }
        }
        return .refused(status: 481)
    }
}

extension TransferOutcome {
    init(_ outcome: InviteSession.ReferOutcome, of call: CallID) {
        switch outcome {
        case .left: self = .answered
        case .finished(let fragment) where fragment.status < 300: self = .answered
        case .finished(let fragment):
            let reason: FailureReason =
                switch fragment.status {
                case 486, 600: .busy
                case 603, 607: .declined
                case 408, 480, 487: .unanswered
                default: .refused
                }
            let said = "\(fragment.status) \(fragment.reason)"
            self = .failed(
                CallError(
                    reason, "The target did not take the transfer of call \(call): \(said). The call is held.",
                    sipStatus: fragment.status))
        case .refused(let status, let text):
            let reason: FailureReason =
                switch status {
                case 405, 420, 501: .notSupported
                case 408: .timedOut
                case 603: .declined
                default: .refused
                }
            self = .failed(
                CallError(
                    reason, "The remote party of call \(call) refused to be transferred: \(status) \(text).",
                    sipStatus: status))
        case .lost(let reason):
            self = .failed(
                CallError(.refused, "The remote party of call \(call) no longer tells of the transfer: \(reason)."))
        }
    }
}

extension StatusFragment {
    /// What is told of a call's end to whom has asked for the call.
    init(of reason: EndReason) {
        switch reason {
        case .busy: self.init(status: 486)
        case .declined, .declinedElsewhere, .blocked, .doNotDisturb: self.init(status: 603)
        case .unanswered: self.init(status: 480)
        case .failed(let status, _): self.init(status: status.map { (300...699).contains($0) ? $0 : 500 } ?? 503)
        case .localEnded, .remoteEnded, .answeredElsewhere, .transferred: self.init(status: 487)
        }
    }
}
