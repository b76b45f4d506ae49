internal import CallModel

/// What the user is to hear of the state of the calls.
struct CallSounds: Equatable {
    var ring: RingKind?
    var tone: CallTone?

    init() {}

    /// `warned` is a call that is about to be answered by itself. `failure` is the tone of an outgoing call that has just failed; it gives way to everything else.
    init(of machines: some Collection<CallMachine>, warned: CallID? = nil, failure: CallTone?) {
        let isInUse = machines.contains { $0.isActive || $0.isDialling || $0.isBeingAnswered }
        if let warned, machines.contains(where: { $0.id == warned && $0.isRinging }) {
            tone = .attention
            return
        }
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
