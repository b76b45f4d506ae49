public import CallModel

/// What is to be done about an action, as the calls are.
public enum PanelRequest: Sendable, Hashable {
    /// Requests about calls, in this order.
    case calls([CallRequest])
    /// Changes the volume of calls and tones by so many percent.
    case volume(Int)
    /// Silences the ringer, or lets it sound again.
    case toggleSilent

    /// How much one press changes the volume, in percent.
    public static let volumeStep = 5
    /// There is nothing to do.
    public static let nothing = PanelRequest.calls([])
}

/// Whom a call went to, and through which account.
public struct DialledNumber: Sendable, Hashable {
    public var handle: Handle
    public var account: String?

    public init(handle: Handle, account: String?) {
        self.handle = handle
        self.account = account
    }
}

extension PanelAction {
    /// What it means while there are these `calls`, oldest first; `last` is what was dialled last.
    public func request(calls: [CallSnapshot], last: DialledNumber?) -> PanelRequest {
        let active = calls.filter { $0.state == .connected && !$0.held }
        switch self {
        case .answer: return .calls(Self.ringing(calls).map { [.answer($0)] } ?? [])
        case .reject: return .calls(Self.ringing(calls).map { [.reject($0, .declined)] } ?? [])
        case .hangUp: return Self.hangUp(calls)
        case .answerOrHangUp:
            return Self.ringing(calls) == nil
                ? Self.hangUp(calls) : PanelAction.answer.request(calls: calls, last: last)
        case .hold:
            // Holding or resuming one member does so to its whole group.
            if let call = active.first { return .calls([.hold(call.id)]) }
            let held = calls.last { $0.state == .connected && $0.held }
            return .calls(held.map { [.resume($0.id)] } ?? [])
        case .mute:
            let audible = active.filter { !$0.muted }
            return .calls(audible.isEmpty ? active.map { .unmute($0.id) } : audible.map { .mute($0.id) })
        case .volumeUp: return .volume(PanelRequest.volumeStep)
        case .volumeDown: return .volume(-PanelRequest.volumeStep)
        case .silent: return .toggleSilent
        case .dial(let handle): return .calls([.start(handle, account: nil, id: nil)])
        case .redial: return .calls(last.map { [.start($0.handle, account: $0.account, id: nil)] } ?? [])
        case .digits(let digits): return .calls(active.map { .dtmf($0.id, digits) })
        }
    }

    /// The call that rings, the oldest of several.
    static func ringing(_ calls: [CallSnapshot]) -> CallID? { calls.first { $0.state == .incoming }?.id }

    /// Ends what the user talks in or is dialling; where there is nothing, refuses what rings, else ends what is held.
    private static func hangUp(_ calls: [CallSnapshot]) -> PanelRequest {
        let own = PanelHook.callsInHand(calls)
        if !own.isEmpty { return .calls(own.map { .end($0) }) }
        if let call = ringing(calls) { return .calls([.reject(call, .declined)]) }
        return .calls(calls.last { $0.state == .connected }.map { [.end($0.id)] } ?? [])
    }
}

extension PanelHook {
    /// What it means that the handset is lifted, or put down, while there are these `calls`, oldest first.
    ///
    /// Put down, it ends the active call or group and what is being dialled. A call that rings goes on ringing, one that is
    /// held stays: neither is in the user's hand.
    public func request(isLifted: Bool, calls: [CallSnapshot]) -> PanelRequest {
        guard isLifted else { return .calls(Self.callsInHand(calls).map { .end($0) }) }
        if let call = PanelAction.ringing(calls) { return .calls([.answer(call)]) }
        guard let dials, Self.callsInHand(calls).isEmpty else { return .nothing }
        return dials.request(calls: calls, last: nil)
    }

    /// The active calls, and those being dialled.
    static func callsInHand(_ calls: [CallSnapshot]) -> [CallID] {
        calls.filter { call in
            switch call.state {
            case .connected: !call.held
            case .connecting, .ringing: true
            case .incoming, .ended: false
            }
        }.map(\.id)
    }
}
