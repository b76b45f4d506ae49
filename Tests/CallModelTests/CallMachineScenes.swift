import CallModel

/// Brings machines into the states that tests begin in, and ends what they leave open.
enum Scene: String, CaseIterable, Sendable {
    case incoming, openingAudio, accepted, dialling, inviteSent, ringing, earlyMedia, connected, muting, muted
    case closing, offeringHold, held, offeringResume, opening, queuedResume, remoteHeld, bothHeld, playing, hardPause
    case closingAside, aside, openingAside, transferHolding, transferring, takenBack, untransferable, ending, rejecting
    case ended

    static let start = Duration.seconds(100)
    static let id = CallID()
    static let ringTimeout = Duration.seconds(60)

    var isOver: Bool { self == .ended }

    /// A machine in this state, at `start`.
    var machine: CallMachine {
        var machine: CallMachine
        switch self {
        case .incoming, .openingAudio, .accepted, .rejecting:
            machine = CallMachine(incoming: Self.id, ringTimeout: Self.ringTimeout, at: Self.start)
        default:
            machine = CallMachine(
                outgoing: Self.id, start: ActionID(900), ringTimeout: Self.ringTimeout, at: Self.start)
        }
        for event in events { _ = try? machine.handle(event, at: Self.start) }
        return machine
    }

    private var events: [CallEvent] {
        let connected: [CallEvent] = [
            .inviteSent, .streamAgreed(takesDigits: true), .established, .audioOpened(nil),
        ]
        let held = connected + [.hold(901), .gatesApplied(generation: 1), .offerSettled(attempt: 1, .accepted)]
        let transferring =
            connected + [.transfer(901), .gatesApplied(generation: 1), .offerSettled(attempt: 1, .accepted)]
        return switch self {
        case .incoming, .dialling: []
        case .openingAudio: [.request(ActionID(901), .answer)]
        case .accepted: [.request(ActionID(901), .answer), .audioOpened(nil)]
        case .rejecting: [.request(ActionID(901), .reject(.busy))]
        case .inviteSent: [.inviteSent]
        case .ringing: [.inviteSent, .ringing(earlyMedia: false)]
        case .earlyMedia: [.inviteSent, .streamAgreed(takesDigits: true), .ringing(earlyMedia: true)]
        case .connected: connected
        case .muting: connected + [.request(ActionID(901), .setMuted(true))]
        case .muted: connected + [.request(ActionID(901), .setMuted(true)), .gatesApplied(generation: 1)]
        case .closing: connected + [.hold(901)]
        case .closingAside: connected + [.request(ActionID(901), .setAside)]
        case .aside: connected + [.request(ActionID(901), .setAside), .gatesApplied(generation: 1)]
        case .openingAside:
            connected + [.request(ActionID(901), .setAside), .gatesApplied(generation: 1), .resume(902)]
        case .offeringHold: connected + [.hold(901), .gatesApplied(generation: 1)]
        case .held: held
        case .offeringResume: held + [.resume(902)]
        case .opening: held + [.resume(902), .offerSettled(attempt: 2, .accepted)]
        case .queuedResume: connected + [.hold(901), .resume(902)]
        case .remoteHeld: connected + [.remoteHold(true)]
        case .bothHeld: held + [.remoteHold(true)]
        case .playing: connected + [.digits(901, "12")]
        case .hardPause: connected + [.digits(901, "1;2"), .digitsSent(segment: 1, true)]
        case .transferHolding: connected + [.transfer(901)]
        case .transferring: transferring
        case .takenBack:
            transferring + [.resume(902), .offerSettled(attempt: 2, .accepted), .gatesApplied(generation: 2)]
        case .untransferable: connected + [.transferAllowed(false)]
        case .ending: connected + [.request(ActionID(901), .end)]
        case .ended: connected + [.over(.remoteEnded)]
        }
    }
}

extension CallEvent {
    static func hold(_ action: Int) -> CallEvent { .request(ActionID(action), .setHeld(true)) }
    static func resume(_ action: Int) -> CallEvent { .request(ActionID(action), .setHeld(false)) }

    static func transfer(_ action: Int) -> CallEvent {
        .request(ActionID(action), .transfer(.handle(Handle(kind: .generic, value: "carol"))))
    }

    static func digits(_ action: Int, _ text: String) -> CallEvent {
        guard let digits = DigitString(text) else { preconditionFailure("\(text) are no digits") }
        return .request(ActionID(action), .playDTMF(digits))
    }

    /// One of each kind, and each variant that makes a difference.
    static let all: [CallEvent] = [
        .request(ActionID(1), .answer), .request(ActionID(1), .reject(.busy)),
        .request(ActionID(1), .reject(.declined)),
        .request(ActionID(1), .end), .hold(1), .resume(1), .request(ActionID(1), .setAside),
        .request(ActionID(1), .setMuted(true)),
        .request(ActionID(1), .setMuted(false)), .request(ActionID(1), .setEarmuffed(true)),
        .request(ActionID(1), .setEarmuffed(false)), .digits(1, "1,2"), .digits(1, ";"), .digits(1, ""),
        .inviteSent, .ringing(earlyMedia: false), .ringing(earlyMedia: true), .established,
        .answerRefused(CallError(.invalidState, "too late")), .streamAgreed(takesDigits: true),
        .streamAgreed(takesDigits: false), .remoteHold(true), .remoteHold(false), .offerSettled(attempt: 1, .accepted),
        .offerSettled(attempt: 2, .accepted), .offerSettled(attempt: 2, .refused(status: 488, text: "Not here")),
        .offerSettled(attempt: 2, .superseded), .offerSettled(attempt: 99, .accepted), .over(.remoteEnded),
        .over(.localEnded), .over(.unanswered), .over(.failed(status: 500, text: "Oops")), .audioOpened(nil),
        .audioOpened(CallError(.deviceUnavailable, "no device")), .gatesApplied(generation: 1),
        .gatesApplied(generation: 2), .gatesApplied(generation: 99), .digitsSent(segment: 1, true),
        .digitsSent(segment: 1, false), .digitsSent(segment: 2, true), .transfer(1),
        .request(ActionID(1), .transfer(.call(Scene.id))), .transferAllowed(false), .transferAllowed(true),
        .transferSettled(attempt: 1, .answered), .transferSettled(attempt: 1, .failed(CallError(.busy, "busy"))),
        .transferSettled(attempt: 99, .answered), .handedOver, .peerGone(silentSeconds: 60), .timePassed,
    ]
}

extension CallEffect {
    /// The action that this effect ends.
    var endedAction: ActionID? {
        switch self {
        case .fulfil(let action, _, _), .fail(let action, _): action
        default: nil
        }
    }

    /// Why an action failed.
    var failure: FailureReason? {
        if case .fail(_, let error) = self { error.reason } else { nil }
    }
}

extension CallMachine {
    /// Handles `event`, which may not be refused.
    mutating func follow(_ event: CallEvent, at now: Duration = Scene.start) -> [CallEffect] {
        do throws(CallError) {
            return try handle(event, at: now)
        } catch {
            return [.fail(ActionID(-1), error)]
        }
    }
}
