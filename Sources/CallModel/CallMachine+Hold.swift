/// Hold: the gates close before the offer leaves and open once the peer has accepted (RFC 3264 §8.4).
extension CallMachine {
    struct Hold: Hashable, Sendable {
        enum Stage: Hashable, Sendable {
            /// Sound flows.
            case open
            /// The gates are asked to close.
            case closing
            /// The gates are closed; the peer is being told.
            case offeringHold
            case held
            /// The gates are closed; the peer is asked to talk again.
            case offeringResume
            /// The peer has accepted; the gates are asked to open.
            case opening
        }

        var stage = Stage.open
        /// Who began what is under way; nil where only the peer has to be told.
        var action: Pending?
        /// What the action's end will say: false where the call was held all along.
        var changes = true
        /// Requests for the same: they end with the action.
        var joined: [ActionID] = []
        /// Requests to resume that wait for a hold under way.
        var resumes: [Pending] = []
        /// The end of the stage, whoever waits for it.
        var deadline: Duration?
        /// The gates that `closing` and `opening` wait for.
        var generation = 0
        var attempt = 0
        /// A resume that was given up, but that the peer may yet accept.
        var abandonedResume: Int?
        /// Whether the peer agreed to the hold.
        var peerNotified = false
        /// The peer is not to know: what is closed is only between us and the call.
        var isAside = false

        var gatesClosed: Bool { stage != .open && stage != .opening }
        var isHeld: Bool { stage == .offeringHold || stage == .held || stage == .offeringResume }
        var pendingCount: Int { (action == nil ? 0 : 1) + joined.count + resumes.count }
        var nextDeadline: Duration? { ([deadline] + resumes.map { $0.deadline }).compactMap { $0 }.min() }
    }

    // MARK: Requests

    /// `action` is nil where the hold is part of something else.
    mutating func hold(
        as action: ActionID?, aside: Bool = false, at now: Duration, _ effects: inout [CallEffect]
    ) throws(CallError) {
        if let notConversing { throw invalid(notConversing) }
        guard hasStream else {
            throw CallError(.holdNotSupported, "Call \(id) has no stream yet that could be held; wait for it.")
        }
        let superseded = CallError(.superseded, "Call \(id) was asked to be held meanwhile.")
        switch hold.stage {
        case .open: beginHold(action, aside: aside, at: now, &effects)
        case .closing, .offeringHold:
            failResumes(superseded, &effects)
            if let action { hold.joined.append(action) }
            if hold.isAside, !aside {
                closeAll(&effects)
                hold.generation = gateGeneration
            }
        case .held where hold.isAside && !aside:
            closeAll(&effects)
            offerHold(action, changes: false, deadline: now + Limit.hold, &effects)
        case .held:
            if let action { effects.append(.fulfil(action, changed: false, peerNotified: hold.peerNotified)) }
        case .offeringResume:
            failHoldActions(superseded, &effects)
            effects.append(.setHeld(true))
            offerHold(action, changes: false, deadline: now + Limit.hold, &effects)
        case .opening:
            failHoldActions(superseded, &effects)
            beginHold(action, aside: aside, at: now, &effects)
        }
    }

    mutating func resume(as action: ActionID, at now: Duration, _ effects: inout [CallEffect]) throws(CallError) {
        if let notConversing { throw invalid(notConversing) }
        let pending = Pending(id: action, deadline: now + Limit.resume)
        switch hold.stage {
        case .open: effects.append(.fulfil(action, changed: false, peerNotified: nil))
        case .closing, .offeringHold: hold.resumes.append(pending)
        case .held: beginResume(pending, &effects)
        case .offeringResume, .opening: hold.joined.append(action)
        }
    }

    private mutating func beginHold(
        _ action: ActionID?, aside: Bool, at now: Duration, _ effects: inout [CallEffect]
    ) {
        stopDigits(because: CallError(.superseded, "Call \(id) is being held."), &effects)
        hold.stage = .closing
        audioRetry = nil
        hold.action = action.map { Pending(id: $0, deadline: now + Limit.hold) }
        hold.changes = true
        hold.deadline = now + Limit.hold
        hold.peerNotified = false
        hold.isAside = aside
        setGates(&effects)
        hold.generation = gateGeneration
        if !aside { effects.append(.setHeld(true)) }
    }

    /// What was closed only between us and the call is now to be held in earnest.
    private mutating func closeAll(_ effects: inout [CallEffect]) {
        hold.isAside = false
        setGates(&effects)
        effects.append(.setHeld(true))
    }

    private mutating func offerHold(
        _ action: ActionID?, changes: Bool, deadline: Duration, _ effects: inout [CallEffect]
    ) {
        hold.stage = .offeringHold
        hold.action = action.map { Pending(id: $0, deadline: deadline) }
        hold.changes = changes
        hold.deadline = deadline
        hold.peerNotified = false
        renegotiate(&effects)
    }

    private mutating func beginResume(_ action: Pending, _ effects: inout [CallEffect]) {
        hold.action = action
        hold.changes = true
        hold.deadline = action.deadline
        // The peer was not told that it is held.
        if hold.isAside { return reopen(&effects) }
        hold.stage = .offeringResume
        // The session may have closed over held calls; it opens while the peer makes up its mind.
        audio = .closed
        openAudio(&effects)
        effects.append(.setHeld(false))
        renegotiate(&effects)
    }

    private mutating func renegotiate(_ effects: inout [CallEffect]) {
        hold.attempt += 1
        hold.abandonedResume = nil
        effects.append(.renegotiate(attempt: hold.attempt))
    }

    // MARK: Events

    mutating func gatesApplied(_ generation: Int, at now: Duration, _ effects: inout [CallEffect]) {
        guard ending == nil, generation <= gateGeneration else { return }
        switchApplied(\.mute, generation, &effects)
        switchApplied(\.earmuff, generation, &effects)
        guard generation >= hold.generation else { return }
        if hold.stage == .closing {
            if let action = hold.action { effects.append(.applied(action.id)) }
            guard !hold.isAside else {
                settleHold(.held, &effects)
                beginQueuedResume(&effects)
                return
            }
            offerHold(hold.action?.id, changes: true, deadline: hold.deadline ?? now + Limit.hold, &effects)
        } else if hold.stage == .opening {
            if let action = hold.action { effects.append(.applied(action.id)) }
            settleHold(.open, &effects)
        }
    }

    mutating func offerSettled(
        _ attempt: Int, _ outcome: OfferOutcome, at now: Duration, _ effects: inout [CallEffect]
    ) {
        guard ending == nil else { return }
        if attempt == hold.abandonedResume, hold.stage == .held {
            hold.abandonedResume = nil
            // The peer believes that we talk again: tell it that we do not.
            if outcome == .accepted { offerHold(nil, changes: false, deadline: now + Limit.hold, &effects) }
            return
        }
        guard attempt == hold.attempt else { return }
        switch hold.stage {
        case .offeringHold:
            hold.peerNotified = outcome == .accepted
            settleHold(.held, &effects)
            beginQueuedResume(&effects)
        case .offeringResume: resumeSettled(outcome, &effects)
        // A hold that was settled without the peer, because it took so long: it knows now.
        case .held: hold.peerNotified = hold.peerNotified || outcome == .accepted
        case .open, .closing, .opening: break
        }
    }

    private mutating func resumeSettled(_ outcome: OfferOutcome, _ effects: inout [CallEffect]) {
        switch outcome {
        case .accepted: reopen(&effects)
        case .refused(let status, let text):
            stayHeld(
                CallError(
                    .refused, "The remote party refused to resume call \(id): \(status) \(text).", sipStatus: status),
                &effects)
        case .superseded:
            stayHeld(
                CallError(.superseded, "Another offer took the place of the one that resumes call \(id)."), &effects)
        }
    }

    private mutating func reopen(_ effects: inout [CallEffect]) {
        hold.stage = .opening
        openAudio(&effects)
        setGates(&effects)
        hold.generation = gateGeneration
    }

    private mutating func stayHeld(_ error: CallError, _ effects: inout [CallEffect]) {
        hold.stage = .held
        hold.deadline = nil
        effects.append(.setHeld(true))
        failHoldActions(error, &effects)
    }

    /// Ends what is under way in `stage`, fulfilled.
    private mutating func settleHold(_ stage: Hold.Stage, _ effects: inout [CallEffect]) {
        hold.stage = stage
        hold.deadline = nil
        let notified = stage == .held ? hold.peerNotified : nil
        if let action = hold.action {
            effects.append(.fulfil(action.id, changed: hold.changes, peerNotified: notified))
        }
        for action in hold.joined { effects.append(.fulfil(action, changed: false, peerNotified: notified)) }
        hold.action = nil
        hold.joined = []
    }

    private mutating func beginQueuedResume(_ effects: inout [CallEffect]) {
        guard let first = hold.resumes.first else { return }
        hold.joined = hold.resumes.dropFirst().map { $0.id }
        hold.resumes = []
        beginResume(first, &effects)
    }

    // MARK: Failure and time

    private mutating func failHoldActions(_ error: CallError, _ effects: inout [CallEffect]) {
        if let action = hold.action { effects.append(.fail(action.id, error)) }
        for action in hold.joined { effects.append(.fail(action, error)) }
        hold.action = nil
        hold.joined = []
    }

    private mutating func failResumes(_ error: CallError, _ effects: inout [CallEffect]) {
        for resume in hold.resumes { effects.append(.fail(resume.id, error)) }
        hold.resumes = []
    }

    mutating func stopHold(because error: CallError, _ effects: inout [CallEffect]) {
        failHoldActions(error, &effects)
        failResumes(error, &effects)
        hold.deadline = nil
        hold.abandonedResume = nil
    }

    mutating func holdTimePassed(at now: Duration, _ effects: inout [CallEffect]) {
        if let deadline = hold.deadline, deadline <= now {
            hold.deadline = nil
            switch hold.stage {
            case .closing:
                // Without the loop's word nobody may rely on silence: say so, and be what the caller was told it is.
                hold.stage = .open
                setGates(&effects)
                effects.append(.setHeld(false))
                let error = timedOut("the audio loop did not acknowledge the hold within 4 s; the call is not held")
                failHoldActions(error, &effects)
                failResumes(error, &effects)
            case .offeringHold:
                hold.peerNotified = false
                settleHold(.held, &effects)
                beginQueuedResume(&effects)
            case .offeringResume:
                hold.abandonedResume = hold.attempt
                stayHeld(timedOut("the remote party did not answer within 10 s; the call stays held"), &effects)
            case .opening:
                hold.stage = .open
                failHoldActions(timedOut("the audio loop did not acknowledge the resume within 10 s"), &effects)
            case .open, .held: break
            }
        }
        for resume in hold.resumes where resume.deadline <= now {
            effects.append(.fail(resume.id, timedOut("the hold before it took 10 s")))
        }
        hold.resumes.removeAll { $0.deadline <= now }
    }
}
