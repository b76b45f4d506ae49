internal import CallModel
internal import EventLoop

/// The one-active-call rule: who wants to be active has the floor, one request at a time, once all others are silent.
extension CallCenter {
    /// `follows`: a start that the peer of this call has asked for.
    func takeFloor(
        _ request: CallRequest, readAt: MonotonicInstant, follows: CallID? = nil, _ done: Completion?
    ) {
        guard floor.count < Self.floorCapacity else {
            return tell(
                done, .failure(CallError(.busy, "\(floor.count) requests wait already; wait for some of them to end.")))
        }
        nextFloor += 1
        let limit =
            switch request {
            case .start: CallMachine.Limit.start
            case .resume, .merge, .split: CallMachine.Limit.resume
            default: CallMachine.Limit.answer
            }
        floor.append(
            FloorRequest(
                number: nextFloor, request: request, call: request.call ?? newName(), readAt: readAt, askedAt: now,
                deadline: now + limit, done: done,
                follows: follows))
    }

    /// When the first of those that wait has waited too long.
    var floorDeadline: Duration? { floor.filter { !$0.isRunning }.map(\.deadline).min() }

    /// Fails those that have waited for their turn as long as they may take. What has it is the machine's business.
    func floorTimePassed() {
        for waiting in floor where !waiting.isRunning && waiting.deadline <= now {
            giveUp(
                waiting,
                because: CallError(.timedOut, "Call \(waiting.call): its turn did not come in time; ask again."))
        }
    }

    /// Fails what waits for the floor on behalf of `call`. What has it already is the machine's business.
    func leaveFloor(_ call: CallID, because error: CallError) {
        for waiting in floor where waiting.concerns(call) && !waiting.isRunning {
            floor.removeAll { $0.number == waiting.number }
            tell(waiting.done, .failure(error))
            rollBack(waiting.held)
        }
    }

    /// Takes the first request as far as it goes now.
    func advanceFloor() {
        while let head = floor.first, !head.isRunning {
            if case .endAndAnswer(let call) = head.request { endOthers(than: call, readAt: head.readAt) }
            let party = party(of: head)
            // A service is beside all conversations.
            let isService = record(of: head.call)?.service != nil
            let others = isService ? [] : conversations.map { $0.machine }.filter { !party.contains($0.id) }
            if let busy = others.lazy.compactMap(\.excludesOthers).first {
                giveUp(head, because: busy)
                continue
            }
            let active = others.filter { $0.isActive }
            guard !active.isEmpty else {
                floor[0].isRunning = true
                run(floor[0])
                settle()
                continue
            }
            guard let toHold = active.first(where: { !head.held.contains($0.id) }) else { return }
            floor[0].held.append(toHold.id)
            let number = head.number
            let action = holdAction(for: toHold.id, leaving: head.call)
            ask(toHold.id, action, readAt: head.readAt) { [weak self] result in
                if case .failure(let error) = result { self?.holdFailed(for: number, of: toHold.id, error) }
            }
            settle()
        }
    }

    private func endOthers(than call: CallID, readAt: MonotonicInstant) {
        for other in conversations.map(\.machine) where other.id != call && (other.isActive || other.isDialling) {
            ask(other.id, .end, readAt: readAt, nil)
        }
    }

    /// Holds again what two failures have left active beside another: the newest stays.
    ///
    /// A call is as it was where the loop does not acknowledge that it is held; so might be one that made room for it.
    func keepOneActive() {
        var active: [CallID] = []
        for record in conversations.reversed() where record.machine.isAudible {
            if !active.contains(where: { party(of: $0).contains(record.id) }) { active.append(record.id) }
        }
        for call in active.dropFirst() {
            askParty(call, held: true, readAt: clock.now, nil)
            if record(of: call)?.machine.isAudible == false { settlesAgain = true }
        }
    }

    /// A call that would not be held, but is not over either, keeps the floor.
    private func holdFailed(for number: Int, of call: CallID, _ error: CallError) {
        guard let waiting = floor.first(where: { $0.number == number && !$0.isRunning }),
            let machine = record(of: call)?.machine, machine.isActive
        else { return }
        giveUp(waiting, because: error)
        settle()
    }

    func giveUp(_ request: FloorRequest, because error: CallError) {
        floor.removeAll { $0.number == request.number }
        if let followed = request.follows { signalling.refuseTransfer(followed) }
        tell(request.done, .failure(error))
        rollBack(request.held)
    }

    private func run(_ head: FloorRequest) {
        switch head.request {
        case .start(let handle, let account, _): start(head, handle, account: account)
        case .resume(let call):
            askParty(call, held: false, readAt: head.readAt, floor: head.number, since: head.askedAt, head.done)
        case .merge(let calls): merge(calls, as: head)
        case .split(let call): split(call, as: head)
        default:
            ask(head.call, .answer, readAt: head.readAt, floor: head.number, since: head.askedAt, head.done)
        }
    }

    func start(_ head: FloorRequest, _ handle: Handle, account: String?) {
        let call = head.call
        let used: String?
        do throws(CallError) {
            // Who could not be heard calls nobody.
            _ = try openMedia(of: call)
            if let followed = head.follows {
                try signalling.followTransfer(followed, as: call)
                used = account
            } else {
                used = try signalling.start(call, to: handle, account: account)
            }
        } catch {
            closeMedia(of: call)
            return giveUp(head, because: error)
        }
        if head.service == nil { stopFailureTone() }
        let action = newAction(call, readAt: head.readAt, floor: head.number, head.done)
        let machine = CallMachine(
            outgoing: call, start: action, ringTimeout: .seconds(policy.ringTimeoutSeconds),
            as: head.follows.flatMap { self.record(of: $0)?.machine }, at: head.askedAt)
        var record = CallRecord(machine: machine, handle: handle, startedConnectingAt: clock.date)
        record.account = used
        record.follows = head.follows
        record.service = head.service
        record.leftForIt = head.follows.flatMap { head.held.contains($0) ? $0 : nil }
        record.displayName = screening?.name(of: handle)
        let snapshot = add(record)
        setFirstGates(of: call)
        tellService(of: call)
        emit(.started(snapshot))
    }

    /// Called when the action of the request that has the floor has ended, amid the effects that end it: who is next
    /// comes with the `settle` that follows them.
    func floorRequestEnded(_ number: Int, succeeded: Bool) {
        guard let index = floor.firstIndex(where: { $0.number == number }) else { return }
        let request = floor.remove(at: index)
        if !succeeded { rollBack(request.held) }
    }

    /// What was held to make room for a request that failed is active again: all or nothing.
    private func rollBack(_ held: [CallID]) {
        if !isShuttingDown, let call = held.last { resumeSoon(call) }
    }

    /// Resumes `call` by rule when the effects under way are done.
    func resumeSoon(_ call: CallID) { later { [weak self] in self?.resumeUnlessBusy(call) } }

    /// Resumes `call` by rule, where nobody else has or wants the floor.
    func resumeUnlessBusy(_ call: CallID) {
        let party = party(of: call)
        guard !isShuttingDown, floor.isEmpty, let machine = record(of: call)?.machine, machine.state == .connected,
            !conversations.contains(where: { $0.machine.isActive && !party.contains($0.id) }),
            !conversations.contains(where: { $0.machine.excludesOthers != nil })
        else { return }
        carryOut(.resume(call), readAt: clock.now, nil)
    }
}
