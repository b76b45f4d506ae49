internal import CallModel
internal import EventLoop

/// Calls that go on without us, or with somebody else: transfers that we ask for, that are asked of us, and calls that
/// take the place of another one.
extension CallCenter {
    // MARK: We transfer

    /// Why the remote party of `call` cannot be whom another one is transferred to; nil where it can.
    func cannotMeet(_ call: CallID) -> CallError? { Self.cannotMeet(call, record(of: call)?.machine) }

    nonisolated static func cannotMeet(_ call: CallID, _ machine: CallMachine?) -> CallError? {
        guard let machine else { return unknown(call) }
        return machine.cannotBeMet
    }

    func transfer(_ call: CallID, to target: TransferTarget, attempt: Int) {
        switch target {
        case .handle(let handle): signalling.transfer(call, to: handle, attempt: attempt)
        case .call(let other):
            if let error = cannotMeet(other) {
                return later { [weak self] in self?.transferSettled(call, attempt, .failed(error)) }
            }
            signalling.transfer(call, replacing: other, attempt: attempt)
        }
    }

    func transferProgressed(_ call: CallID, _ status: Int) {
        if let snapshot = snapshot(of: call) { emit(.transferProgress(snapshot, sipStatus: status)) }
    }

    func transferSettled(_ call: CallID, _ attempt: Int, _ outcome: TransferOutcome) {
        let target = record(of: call)?.machine.transferTarget(of: attempt)
        follow(call, .transferSettled(attempt: attempt, outcome))
        // The two have each other now. Where the other one does not know Replaces, its call with us is still there.
        if case .call(let other)? = target, outcome == .answered { follow(other, .handedOver) }
    }

    // MARK: We are transferred

    /// The remote party of `call` asks us to call somebody instead. Never at the cost of another call.
    func transferRequested(_ call: CallID, to handle: Handle) {
        guard !isShuttingDown, policy.allowTransfer, let record = record(of: call),
            // A caller of a service has asked for no conversation, and is to have nobody's microphone.
            record.service == nil, record.machine.state == .connected, record.machine.capabilities.hold,
            record.machine.transferTarget == nil, floor.isEmpty,
            // It takes the place of the one it comes from.
            conversations.count <= policy.maximumCalls,
            !conversations.contains(where: { other in
                other.machine.excludesOthers != nil || (other.machine.isActive && other.id != call)
            })
        else { return signalling.refuseTransfer(call) }
        let request = CallRequest.start(handle, account: record.account, id: newName())
        takeFloor(request, readAt: clock.now, follows: call, nil)
        settle()
    }

    /// The remote party of `call` is back, or goes on in another call: whom it has sent us to is not called any more.
    ///
    /// Nothing in SIP takes a REFER back (RFC 3515 §2.4.4). But one that resumes the call, or has another call take its
    /// place, while nobody has answered means to talk to us itself.
    func stopFollowing(_ call: CallID) {
        for waiting in floor where waiting.follows == call && !waiting.isRunning {
            giveUp(
                waiting, because: CallError(.cancelled, "The remote party of call \(call) has taken the transfer back.")
            )
        }
        for follower in records where follower.follows == call && follower.machine.isDialling {
            ask(follower.id, .end, readAt: clock.now, nil)
        }
        settle()
    }

    /// Whether `call` is held only because we call somebody for its remote party.
    private func isHeldToFollow(_ call: CallID) -> Bool {
        records.contains { $0.leftForIt == call && $0.machine.isDialling }
            || floor.contains { $0.follows == call && $0.held.contains(call) }
    }

    // MARK: Another call takes the place of one of ours

    /// It does not ring: somebody is in the call already, or waits for it. What it replaces ends when it is connected.
    func comesIn(_ offered: IncomingCall, inPlaceOf replaced: CallID) {
        let call = offered.id
        guard !isShuttingDown, let old = record(of: replaced), old.machine.state != .incoming,
            // Nobody has agreed to talk in the place of a service.
            old.service == nil,
            !records.contains(where: { $0.replaces == replaced })
        else { return signalling.reject(call, .declined) }
        let machine = CallMachine(
            incoming: call, inPlaceOf: old.machine, keepingHold: !isHeldToFollow(replaced),
            ringTimeout: .seconds(policy.ringTimeoutSeconds), at: now)
        var record = CallRecord(machine: machine, handle: offered.from, startedConnectingAt: clock.date)
        record.displayName = offered.displayName
        record.account = offered.account
        record.replaces = replaced
        if machine.held {
            holds += 1
            record.heldOrder = holds
            signalling.setHeld(call, true)
        }
        emit(.incoming(add(record)))
        ask(call, .answer, readAt: clock.now) { [weak self] result in
            // Nobody is to find it ringing: the old call goes on.
            if case .failure = result { self?.refuse(call) }
        }
        settle()
    }

    /// `call` is connected: what it replaces ends, before two are active.
    func giveUpReplaced(by call: CallID) {
        guard let replaced = takePlace(call) else { return }
        follow(replaced, .handedOver)
    }

    /// Why `call` has ended, of which its remote party says `reason`.
    ///
    /// Nothing orders the BYE of one peer and the ACK of another (RFC 5589 §7.1: whoever transfers ends its call with us as
    /// soon as it has heard of our answer). So a call whose replacement is being answered has been handed over.
    func reasonOfEnd(of call: CallID, told reason: EndReason) -> EndReason {
        guard reason == .remoteEnded,
            let new = records.first(where: { $0.replaces == call && $0.machine.isBeingAnswered })
        else { return reason }
        _ = takePlace(new.id)
        return .transferred
    }

    /// Gives `call` what it inherits of the call that it replaces; that one, or nil where it replaces none.
    private func takePlace(_ call: CallID) -> CallID? {
        guard let index = records.firstIndex(where: { $0.id == call }), let replaced = records[index].replaces else {
            return nil
        }
        records[index].replaces = nil
        setGroup(of: call, record(of: replaced)?.group)
        stopFollowing(replaced)
        return replaced
    }

    /// The call that others were to replace is over: they are not wanted any more.
    func refuseReplacements(of call: CallID) {
        for other in records where other.replaces == call { refuse(other.id) }
    }

    private func refuse(_ call: CallID) {
        later { [weak self] in
            guard let self, self.record(of: call)?.machine.state == .incoming else { return }
            self.ask(call, .end, readAt: self.clock.now, nil)
            self.settle()
        }
    }
}
