internal import CallModel
internal import EventLoop

/// What the machines decided is done here.
extension CallCenter {
    /// Lets the machine decide, then does it. Returns why a request was refused.
    ///
    /// - Parameter since: when a request was made that had to wait for its turn; nil: now.
    func handle(_ event: CallEvent, of call: CallID, since: Duration? = nil) -> CallError? {
        guard let index = records.firstIndex(where: { $0.id == call }) else {
            return CallError(.unknownCall, "There is no call \(call).")
        }
        let before = records[index].machine
        let effects: [CallEffect]
        do throws(CallError) {
            effects = try records[index].machine.handle(event, at: since ?? now)
        } catch {
            return error
        }
        let after = records[index].machine
        if before.state != .connected, after.state == .connected {
            records[index].connectedAt = clock.date
            records[index].peerWatch?.since = now
            watchMedia(of: call)
            recordIfWanted(call)
        }
        if after.state == .ended { records[index].endedAt = clock.date }
        if !before.held, after.held {
            holds += 1
            records[index].heldOrder = holds
        }
        for effect in effects { perform(effect, of: call, before: before) }
        return nil
    }

    private func perform(_ effect: CallEffect, of call: CallID, before: CallMachine) {
        switch effect {
        case .accept: accept(call)
        case .refuse(let reason): signalling.reject(call, reason)
        case .hangUp: signalling.end(call)
        case .setHeld(let held): signalling.setHeld(call, held)
        case .renegotiate(let attempt): signalling.renegotiate(call, attempt: attempt)
        case .transfer(let target, let attempt): transfer(call, to: target, attempt: attempt)
        case .openAudio: openAudio(for: call)
        case .setGates(let held, let muted, let earmuffed, let generation):
            setGates(of: call, Gates(held: held, muted: muted, earmuffed: earmuffed), generation)
        case .sendDigits(let digits, let timing, let segment):
            media.sendDigits(call, digits, timing: timing) { [weak self] sent in
                self?.follow(call, .digitsSent(segment: segment, sent))
            }
        case .cancelDigits: media.cancelDigits(call)
        case .closeMedia: closeMedia(of: call)
        case .applied(let action): actions[action]?.appliedAt = clock.now
        case .fulfil(let action, let changed, let peerNotified):
            fulfil(action, changed: changed, peerNotified: peerNotified)
        case .fail(let action, let error): fail(action, error)
        case .over(let reason): over(call, reason, before: before)
        }
    }

    private func accept(_ call: CallID) {
        do throws(CallError) {
            try signalling.answer(call)
        } catch {
            // After the effects under way: an event does not overtake them.
            soon { $0.follow(call, .answerRefused(error)) }
        }
    }

    // MARK: Media

    /// The sockets of the call's stream, made at the first call of this.
    func openMedia(of call: CallID) throws(CallError) -> LocalMedia {
        if let open = openMedia[call] { return open }
        let open = try media.open(call)
        openMedia[call] = open
        setFirstGates(of: call)
        tellService(of: call)
        return open
    }

    /// Those of a call that is switched before it has a stream.
    func setFirstGates(of call: CallID) {
        guard openMedia[call] != nil, let machine = record(of: call)?.machine,
            machine.held || machine.muted || machine.earmuffed
        else { return }
        media.setGates(call, Gates(held: machine.held, muted: machine.muted, earmuffed: machine.earmuffed)) {}
    }

    func closeMedia(of call: CallID) {
        guard openMedia.removeValue(forKey: call) != nil else { return }
        if let index = records.firstIndex(where: { $0.id == call }) {
            records[index].quality = media.statistics(of: call).flatMap { CallQuality($0) }
        }
        media.close(call)
    }

    private func openAudio(for call: CallID) {
        do throws(CallError) {
            _ = try openMedia(of: call)
        } catch {
            return soon { $0.follow(call, .audioOpened(error)) }
        }
        media.activate(call) { [weak self] error in self?.follow(call, .audioOpened(error)) }
    }

    private func setGates(of call: CallID, _ gates: Gates, _ generation: Int) {
        guard openMedia[call] != nil else {
            // No stream, no sound: they hold at once, and are set when the stream is made.
            return soon { $0.follow(call, .gatesApplied(generation: generation)) }
        }
        media.setGates(call, gates) { [weak self] in self?.follow(call, .gatesApplied(generation: generation)) }
    }

    private func soon(_ body: @escaping @DaemonActor (CallCenter) -> Void) {
        _ = clock.schedule(after: .zero) { [weak self] in
            if let self { body(self) }
        }
    }

    // MARK: The end

    private func over(_ call: CallID, _ reason: EndReason, before: CallMachine) {
        guard let index = records.firstIndex(where: { $0.id == call }) else { return }
        if let file = records[index].playing {
            records[index].playing = nil
            emit(.played(records[index].snapshot, file: file, completed: false))
        }
        let record = records.remove(at: index)
        var last = record
        last.group = nil
        emit(.ended(last.snapshot))
        tidyGroups()
        leaveFloor(call, because: CallError(.cancelled, "Call \(call) ended (\(reason.word))."))
        if record.machine.direction == .outgoing, record.connectedAt == nil, record.service == nil,
            let tone = CallSounds.failureTone(for: reason)
        {
            startFailureTone(tone)
        }
        if record.connectedAt == nil, let left = record.leftForIt { resumeSoon(left) }
        refuseReplacements(of: call)
        // A call that was dialled, too, has held the active one, whether it was answered or not.
        let wasActive = before.state == .connected ? !before.held : before.direction == .outgoing
        guard policy.autoResume, wasActive, record.service == nil,
            let last = conversations.filter({ $0.machine.held }).max(by: { $0.heldOrder < $1.heldOrder })
        else { return }
        resumeSoon(last.id)
    }

    // MARK: Sounds

    func updateSounds() {
        var wanted = CallSounds(of: conversations.map { $0.machine }, warned: callBeingWarnedOf, failure: failureTone)
        if let ring = wanted.ring {
            let sound = isRingerSilent ? .silent : ringSound
            if media.ringSound != sound { media.ringSound = sound }
            // The tone of a second call in a conversation stays.
            if ring == .ring, sound == .silent { wanted.ring = nil }
        }
        if wanted.ring != sounds.ring { media.ring(wanted.ring) }
        if wanted.tone != sounds.tone { media.playTone(wanted.tone) }
        sounds = wanted
    }

    /// Of the call that has rung longest: its contact's, else its account's.
    private var ringSound: RingSound {
        let ringing = conversations.first { $0.machine.isRinging }
        if let tone = ringing?.ringTone { return RingSound(setting: tone) }
        return ringing?.account.flatMap { policy.ringSoundByAccount[$0] } ?? policy.ringSound
    }

    /// Long enough to be understood; then the line is quiet and the devices close.
    private func startFailureTone(_ tone: CallTone) {
        stopFailureTone()
        guard !isShuttingDown else { return }
        failureTone = tone
        cancelFailureTone = clock.schedule(after: .seconds(4)) { [weak self] in
            self?.stopFailureTone()
            self?.settle()
        }
    }

    func stopFailureTone() {
        cancelFailureTone?()
        cancelFailureTone = nil
        failureTone = nil
    }
}
