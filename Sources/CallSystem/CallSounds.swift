internal import CallModel

/// What the user is to hear of the state of the calls.
struct CallSounds: Equatable {
    var ring: RingKind?
    var tone: CallTone?

    init() {}

    /// `failure` is the tone of an outgoing call that has just failed; it gives way to everything else.
    init(of machines: some Collection<CallMachine>, failure: CallTone?) {
        let isInUse = machines.contains { $0.isActive || $0.isDialling || $0.isBeingAnswered }
        if machines.contains(where: \.isRinging) { ring = isInUse ? .callWaiting : .ring }
        if machines.contains(where: { $0.state == .ringing && $0.isDialling && !$0.hasEarlyMedia }) {
            tone = .ringBack
        } else if !isInUse, ring == nil {
            tone = failure
        }
    }

    /// The tone for an outgoing call that ended so without having been connected; nil where silence says it.
    static func failureTone(for reason: EndReason) -> CallTone? {
        switch reason {
        case .busy, .declined, .declinedElsewhere, .doNotDisturb: .busy
        case .failed, .blocked: .congestion
        case .localEnded, .remoteEnded, .unanswered, .answeredElsewhere, .transferred: nil
        }
    }
}
