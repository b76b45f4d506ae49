public import CallModel
internal import EventLoop
internal import MediaDescription

extension CallCenter: SignallingObserver {
    public func localMedia(for call: CallID) throws(CallError) -> LocalMedia {
        guard !isShuttingDown else { throw CallError(.mediaFailed, "The daemon is stopping.") }
        return try openMedia(of: call)
    }

    public func handle(_ event: SignallingEvent) {
        switch event {
        case .incoming(let offered): comesIn(offered)
        case .inviteSent(let call): follow(call, .inviteSent)
        case .ringing(let call, let earlyMedia): follow(call, .ringing(earlyMedia: earlyMedia))
        case .established(let call):
            giveUpReplaced(by: call)
            follow(call, .established)
        case .media(let call, let parameters): agree(on: parameters, for: call)
        case .remoteHold(let call, let held): remoteHold(call, held)
        case .offerSettled(let call, let attempt, let outcome):
            follow(call, .offerSettled(attempt: attempt, outcome))
        case .transferAllowed(let call, let allowed): follow(call, .transferAllowed(allowed))
        case .transferProgress(let call, let status): transferProgressed(call, status)
        case .transferSettled(let call, let attempt, let outcome): transferSettled(call, attempt, outcome)
        case .transferRequested(let call, let handle): transferRequested(call, to: handle)
        case .digit(let call, let digit, let milliseconds): pressed(digit, milliseconds, in: call)
        case .peerLost(let call): peerLost(call)
        case .ended(let call, let reason):
            stopRingingOut(call)
            follow(call, .over(reasonOfEnd(of: call, told: reason)))
            // Also of a call that was refused before it was one.
            closeMedia(of: call)
        case .account(let status): accountChanged(status)
        case .stranger(let address, let count): emit(.stranger(address: address, count: count))
        }
    }

    private func remoteHold(_ call: CallID, _ held: Bool) {
        let isResumed = !held && record(of: call)?.machine.remoteHeld == true
        follow(call, .remoteHold(held))
        if isResumed { stopFollowing(call) }
    }

    private func comesIn(_ offered: IncomingCall) {
        let call = offered.id
        guard record(of: call) == nil else { return }
        guard !isShuttingDown else { return signalling.reject(call, .busy) }
        let verdict = screening?.verdict(on: offered) ?? ScreeningVerdict(displayName: offered.displayName)
        var offered = offered
        offered.displayName = verdict.displayName
        let machine = CallMachine(incoming: call, ringTimeout: .seconds(policy.ringTimeoutSeconds), at: now)
        var record = CallRecord(machine: machine, handle: offered.from, startedConnectingAt: clock.date)
        record.displayName = offered.displayName
        record.account = offered.account
        record.ringTone = verdict.ringTone
        record.service = offered.service
        if let refusal = verdict.refusal { return turnAway(record, refusal.answer, because: refusal.reason) }
        if let replaced = offered.replaces { return comesIn(offered, inPlaceOf: replaced) }
        if offered.service != nil { return serve(record) }
        let starting = floor.count { !$0.isRunning && $0.request.isStart }
        guard conversations.count + starting < policy.maximumCalls else {
            return turnAway(record, .busy, because: .busy)
        }
        stopFailureTone()
        emit(.incoming(add(record)))
        settle()
        answerByItselfWhenDue(offered, inAnyCase: verdict.answersByItself)
    }

    private func agree(on parameters: StreamParameters, for call: CallID) {
        guard let index = records.firstIndex(where: { $0.id == call }), openMedia[call] != nil else { return }
        media.configure(call, parameters)
        records[index].codec = parameters.codec.rawValue
        records[index].security =
            switch parameters.security {
            case .none: "none"
            case .srtp(let send, _): send.suite.rawValue
            }
        noteStream(of: call, parameters.direction)
        follow(call, .streamAgreed(takesDigits: parameters.sendEventPayloadType != nil))
    }

    private func pressed(_ digit: Character, _ milliseconds: Int, in call: CallID) {
        guard let snapshot = snapshot(of: call) else { return }
        emit(.digit(snapshot, digit, milliseconds: milliseconds))
    }

    private func accountChanged(_ status: AccountStatus) {
        guard status.state != .registering else { return }
        let seen = accountsSeen.updateValue(status, forKey: status.name)
        if seen?.state != status.state || seen?.lastError != status.lastError { emit(.account(status)) }
    }
}

extension CallCenter: MediaObserver {
    public func handle(_ event: MediaEvent) {
        switch event {
        case .digit(let call, let digit, let milliseconds): pressed(digit, milliseconds, in: call)
        case .audioActivated: emit(.audioActivated)
        case .audioDeactivated: emit(.audioDeactivated)
        case .audioInterrupted(let message): emit(.audioInterrupted(message: message))
        case .audioResumed: emit(.audioResumed)
        case .deviceFailed(let message): emit(.deviceFailed(message: message))
        case .holdMusicFailed(let message): emit(.holdMusicFailed(message: message))
        case .audioRemark(let message): emit(.audioRemark(message: message))
        case .recordingEnded(let end): recordingEnded(end)
        case .played(let call, let file, let completed): played(call, file: file, completed: completed)
        case .profileChanged(let state): emit(.profileChanged(state))
        case .codecChanged(let call, let parameters): agree(on: parameters, for: call)
        case .quality(let call, let score, let isPoor):
            if let snapshot = snapshot(of: call) { emit(.quality(snapshot, score: score, isPoor: isPoor)) }
        }
    }
}
