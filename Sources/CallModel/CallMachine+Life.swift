/// From the first INVITE to the end.
extension CallMachine {
    // MARK: Requests

    mutating func answer(as action: ActionID, at now: Duration, _ effects: inout [CallEffect]) throws(CallError) {
        guard state == .incoming, ending == nil, answerStage == .none else {
            if ending != nil { throw invalid("is being ended") }
            if direction == .outgoing { throw invalid("is an outgoing one; only the remote party can answer it") }
            throw invalid(state == .connected ? "is answered already" : "is just being answered")
        }
        answer = Pending(id: action, deadline: now + Limit.answer)
        switch audio {
        case .open: accept(&effects)
        case .opening: answerStage = .openingAudio
        case .closed:
            answerStage = .openingAudio
            audio = .opening
            effects.append(.openAudio)
        }
    }

    private mutating func accept(_ effects: inout [CallEffect]) {
        answerStage = .accepted
        effects.append(.accept)
    }

    mutating func reject(
        _ reason: RejectReason, as action: ActionID, at now: Duration, _ effects: inout [CallEffect]
    ) throws(CallError) {
        guard state == .incoming, ending == nil, answerStage != .accepted else {
            if ending != nil { throw invalid("is being ended") }
            if direction == .outgoing { throw invalid("is an outgoing one; end it instead") }
            throw invalid("is answered already; end it instead")
        }
        stopAll(because: CallError(.superseded, "Call \(id) was rejected."), &effects)
        ending = Ending(actions: [action], deadline: now + Limit.end, reason: reason == .busy ? .busy : .declined)
        effects += [.refuse(reason), .closeMedia]
    }

    mutating func end(as action: ActionID, at now: Duration, _ effects: inout [CallEffect]) {
        guard ending == nil else {
            ending?.actions.append(action)
            return
        }
        end(actions: [action], as: .localEnded, at: now, &effects)
    }

    /// Ends the call; the sound stops with the request, not with the signalling's answer to it.
    mutating func end(
        actions: [ActionID], as reason: EndReason, at now: Duration, _ effects: inout [CallEffect]
    ) {
        stopAll(because: CallError(.cancelled, "Call \(id) was ended."), &effects)
        ending = Ending(actions: actions, deadline: now + Limit.end, reason: reason)
        effects += [.hangUp, .closeMedia]
    }

    // MARK: Events

    mutating func inviteHasLeft(at now: Duration, _ effects: inout [CallEffect]) {
        guard let start else { return }
        self.start = nil
        ringDeadline = now + ringTimeout
        effects.append(.fulfil(start.id, changed: true, peerNotified: nil))
    }

    mutating func remoteRings(earlyMedia: Bool, at now: Duration, _ effects: inout [CallEffect]) {
        guard isDialling else { return }
        inviteHasLeft(at: now, &effects)
        state = .ringing
        guard earlyMedia else { return }
        hasEarlyMedia = true
        openAudio(&effects)
    }

    mutating func established(at now: Duration, _ effects: inout [CallEffect]) {
        guard ending == nil else { return }
        switch state {
        case .incoming:
            guard answerStage == .accepted else { return }
            if let answer { effects.append(.fulfil(answer.id, changed: true, peerNotified: nil)) }
            answer = nil
        case .connecting, .ringing: inviteHasLeft(at: now, &effects)
        case .connected, .ended: return
        }
        state = .connected
        answerStage = .none
        ringDeadline = nil
        openAudio(&effects)
    }

    mutating func openAudio(_ effects: inout [CallEffect]) {
        guard audio == .closed else { return }
        audio = .opening
        audioRetry = nil
        effects.append(.openAudio)
    }

    mutating func audioOpened(_ error: CallError?, at now: Duration, _ effects: inout [CallEffect]) {
        guard audio == .opening, ending == nil else { return }
        audio = error == nil ? .open : .closed
        if answerStage == .openingAudio {
            guard let error else { return accept(&effects) }
            // It goes on ringing: somebody may plug the device in and answer again.
            answerStage = .none
            failAnswer(error, &effects)
        } else if error != nil, state == .connected, !hold.gatesClosed || isAside {
            audioRetry = now + Limit.audioRetry
        }
    }

    mutating func answerRefused(_ error: CallError, _ effects: inout [CallEffect]) {
        guard state == .incoming, answerStage == .accepted else { return }
        answerStage = .none
        failAnswer(error, &effects)
    }

    private mutating func failAnswer(_ error: CallError, _ effects: inout [CallEffect]) {
        if let answer { effects.append(.fail(answer.id, error)) }
        answer = nil
    }

    mutating func remoteHold(_ held: Bool, _ effects: inout [CallEffect]) {
        remoteHeld = held
        if held {
            stopDigits(because: CallError(.cancelled, "The remote party has put call \(id) on hold."), &effects)
        }
    }

    mutating func over(_ reason: EndReason, _ effects: inout [CallEffect]) {
        let reason = reason == .localEnded ? ending?.reason ?? reason : reason
        if let start {
            effects.append(.fail(start.id, CallError(notStartedBecause: reason, id)))
            self.start = nil
        }
        stopAll(because: CallError(.cancelled, "Call \(id) ended (\(reason.word))."), &effects)
        if ending == nil { effects.append(.closeMedia) }
        for (index, action) in (ending?.actions ?? []).enumerated() {
            effects.append(.fulfil(action, changed: index == 0, peerNotified: nil))
        }
        ending = nil
        state = .ended
        answerStage = .none
        endReason = reason
        effects.append(.over(reason))
    }

    /// Fails whatever waits in the call, except for what ends it.
    private mutating func stopAll(because error: CallError, _ effects: inout [CallEffect]) {
        if let start { effects.append(.fail(start.id, error)) }
        start = nil
        failAnswer(error, &effects)
        stopDigits(because: error, &effects)
        stopTransfer(because: error, &effects)
        stopHold(because: error, &effects)
        stopSwitch(\.mute, because: error, &effects)
        stopSwitch(\.earmuff, because: error, &effects)
        openTransfer = nil
        audioRetry = nil
        ringDeadline = nil
    }

    // MARK: Time

    mutating func lifeTimePassed(at now: Duration, _ effects: inout [CallEffect]) {
        if let ending, ending.deadline <= now {
            // The signalling is stuck; a call must not be so for ever.
            for action in ending.actions {
                effects.append(.fail(action, timedOut("its end could not be sent within 4 s; it was given up")))
            }
            self.ending?.actions = []
            return over(.localEnded, &effects)
        }
        if let start, start.deadline <= now {
            effects.append(.fail(start.id, timedOut("the INVITE could not be sent within 10 s")))
            self.start = nil
            end(actions: [], as: .failed(status: nil, text: "the INVITE could not be sent"), at: now, &effects)
        }
        if let answer, answer.deadline <= now {
            let stage = answerStage
            failAnswer(
                timedOut(stage == .accepted ? "no ACK came within 10 s" : "no sound device opened within 10 s"),
                &effects)
            if stage == .openingAudio { answerStage = .none }
        }
        if let ring = countingRingDeadline, ring <= now {
            end(actions: [], as: .unanswered, at: now, &effects)
        }
        if let audioRetry, audioRetry <= now {
            self.audioRetry = nil
            openAudio(&effects)
        }
    }

    /// A peer that is not there any more is told of the end all the same: it may only be unheard.
    mutating func peerGone(_ seconds: Int, at now: Duration, _ effects: inout [CallEffect]) {
        guard state == .connected, ending == nil else { return }
        end(actions: [], as: .failed(status: nil, text: "no media for \(seconds) s"), at: now, &effects)
    }

    func timedOut(_ what: String) -> CallError {
        CallError(.timedOut, "Call \(id): \(what).")
    }
}

extension CallError {
    /// Why a start failed whose call ended before its INVITE had left.
    init(notStartedBecause reason: EndReason, _ id: CallID) {
        let failure: FailureReason =
            switch reason {
            case .declined, .declinedElsewhere: .declined
            case .busy: .busy
            case .unanswered: .unanswered
            case .doNotDisturb: .doNotDisturb
            case .blocked: .blocked
            case .localEnded, .remoteEnded, .answeredElsewhere, .transferred: .cancelled
            case .failed(nil, _): .unreachable
            case .failed: .refused
            }
        if case .failed(let status, let text) = reason {
            self.init(failure, Self.sentence("Call \(id) could not be started: \(text)"), sipStatus: status)
        } else {
            self.init(failure, "Call \(id) could not be started: it ended as \(reason.word).")
        }
    }
}
