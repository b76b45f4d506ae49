internal import CallModel
internal import SIP

extension EndReason {
    /// What a session's end means to the user.
    init(_ ending: InviteSession.Ending, hasRung: Bool) {
        switch ending {
        case .local: self = .localEnded
        case .remote: self = .remoteEnded
        case .cancelled(cause: 200): self = .answeredElsewhere
        case .cancelled(cause: 603): self = .declinedElsewhere
        case .cancelled: self = .unanswered
        case .rejected(let status, let reason):
            switch status {
            case 486, 600: self = .busy
            case 603, 607: self = .declined
            case 480, 487: self = .unanswered
            case 408 where hasRung: self = .unanswered
            default: self = .failed(status: status, text: reason)
            }
        case .unreachable(let text): self = .failed(status: nil, text: text)
        case .failed(let status, let text): self = .failed(status: status, text: text)
        }
    }
}

extension Handle {
    /// Who calls, as the peer says it: a number where it is one that our account can call back, else the address.
    init(caller uri: SIPURI, hasAccount: Bool) {
        let user = uri.user ?? ""
        let isNumber = user.first.map { $0 == "+" || $0.isNumber } ?? false
        if uri.scheme == "tel"
            || (hasAccount && isNumber && user.dropFirst().allSatisfy { "0123456789*#".contains($0) })
        {
            self.init(kind: .phoneNumber, value: user)
        } else {
            var address = SIPURI(user: uri.user, host: uri.host, port: uri.port)
            if !uri.isSIP { address = uri }
            self.init(kind: .generic, value: address.description)
        }
    }
}
