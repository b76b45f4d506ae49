/// What a call will be if everything that is under way in it succeeds. The machine is a value: a copy of it shows whether
/// the later actions of a transaction will be possible, before the first one is begun.
extension CallMachine {
    /// Lets everything that is under way succeed, and an incoming call that is being answered be connected.
    public mutating func foresee(at now: Duration) {
        // Each round ends what the one before has begun: a hold closes gates, then tells the peer, then may resume.
        for _ in 0..<8 {
            let before = self
            for event in nextSuccesses { _ = try? handle(event, at: now) }
            if self == before { return }
        }
    }

    private var nextSuccesses: [CallEvent] {
        var events: [CallEvent] = []
        if ending != nil { return [.over(.localEnded)] }
        if start != nil { events.append(.inviteSent) }
        if audio == .opening { events.append(.audioOpened(nil)) }
        if answerStage == .accepted { events += [.streamAgreed(takesDigits: true), .established] }
        switch hold.stage {
        case .closing, .opening: events.append(.gatesApplied(generation: gateGeneration))
        case .offeringHold, .offeringResume: events.append(.offerSettled(attempt: hold.attempt, .accepted))
        case .open, .held: break
        }
        if mute.waiting != nil || earmuff.waiting != nil {
            events.append(.gatesApplied(generation: gateGeneration))
        }
        if digits.playing != nil { events.append(.digitsSent(segment: digits.segment, true)) }
        if let attempt = transfer?.attempt { events.append(.transferSettled(attempt: attempt, .answered)) }
        return events
    }
}
