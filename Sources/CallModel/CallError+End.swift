extension CallError {
    /// `text` with a full stop, where what it quotes does not end a sentence already.
    public static func sentence(_ text: String) -> String {
        text.hasSuffix(".") || text.hasSuffix("?") ? text : text + "."
    }

    /// Why a call that was dialled has ended before it was connected.
    public init(endOf call: CallSnapshot) {
        let party = call.handle.value
        switch call.endReason {
        case .busy: self.init(.busy, "\(party) is busy")
        case .declined, .declinedElsewhere: self.init(.declined, "\(party) has declined the call")
        case .unanswered: self.init(.unanswered, "\(party) has not answered")
        case .localEnded, .answeredElsewhere, .transferred: self.init(.cancelled, "the call was ended here")
        case .failed(nil, let text): self.init(.unreachable, text)
        case .failed(let status?, let text): self.init(.refused, text, sipStatus: status)
        case .blocked: self.init(.blocked, "\(party) is blocked")
        case .doNotDisturb: self.init(.doNotDisturb, "\(party) is not to be disturbed")
        case .remoteEnded, nil: self.init(.refused, "\(party) has ended the call")
        }
    }
}
