public import CallModel
public import EventLoop

/// What clients ask for.
extension CallCenter {
    /// How many requests may wait for the floor.
    static let floorCapacity = 64

    /// Carries out `request`, which was read at `readAt`; `done` is called once, on the event loop, when it is fulfilled
    /// or has failed; never from within this method.
    public func perform(
        _ request: CallRequest, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void
    ) {
        carryOut(request, readAt: readAt, done)
    }

    func carryOut(_ request: CallRequest, readAt: MonotonicInstant, _ done: Completion?) {
        do throws(CallError) {
            try check(request)
        } catch {
            return tell(done, .failure(error))
        }
        switch request {
        case .start, .answer, .endAndAnswer: takeFloor(request, readAt: readAt, done)
        case .resume(let call):
            if party(of: call).allSatisfy({ isFulfilledAlready(.setHeld(false), of: $0) }) {
                askParty(call, held: false, readAt: readAt, done)
            } else {
                takeFloor(request, readAt: readAt, done)
            }
        case .hold(let call):
            for member in party(of: call) {
                leaveFloor(member, because: CallError(.superseded, "Call \(call) was asked to be held meanwhile."))
            }
            askParty(call, held: true, readAt: readAt, done)
        case .end(let call):
            leaveFloor(call, because: CallError(.cancelled, "Call \(call) was ended."))
            askAction(of: request, readAt: readAt, done)
        case .reject(let call, _):
            leaveFloor(call, because: CallError(.superseded, "Call \(call) was rejected."))
            askAction(of: request, readAt: readAt, done)
        case .transfer(let call, _):
            leaveFloor(call, because: CallError(.superseded, "Call \(call) is to be transferred."))
            askAction(of: request, readAt: readAt, done)
        case .mute, .unmute, .earmuff, .unearmuff: askAction(of: request, readAt: readAt, done)
        case .dtmf(let call, let digits):
            askAction(of: .dtmf(call, digits.completed(by: policy.digitTiming)), readAt: readAt, done)
        case .merge(let calls):
            if isMerged(calls), let snapshot = snapshot(of: calls[0]) {
                let elapsed = clock.now.milliseconds(since: readAt)
                tell(done, .success(ActionResult(call: snapshot, changed: false, elapsedMs: elapsed)))
            } else {
                takeFloor(request, readAt: readAt, done)
            }
        case .split: takeFloor(request, readAt: readAt, done)
        }
        settle()
    }

    private func askAction(of request: CallRequest, readAt: MonotonicInstant, _ done: Completion?) {
        if let (call, action) = request.action { ask(call, action, readAt: readAt, done) }
    }

    // MARK: Checks

    /// Throws why `request` cannot be carried out as things are. Changes nothing.
    func check(_ request: CallRequest) throws(CallError) {
        guard !isShuttingDown else { throw CallError(.cancelled, "The daemon is stopping.") }
        switch request {
        case .start(let handle, let account, let id):
            let starting = floor.filter { !$0.isRunning && $0.request.isStart }
            if let id, record(of: id) != nil || starting.contains(where: { $0.call == id }) {
                throw CallError(.callAlreadyExists, "There is a call \(id) already; choose another id.")
            }
            guard conversations.count + starting.count < policy.maximumCalls else {
                throw CallError(
                    .maximumCallsReached,
                    "There are \(conversations.count) calls, and maximum_calls is \(policy.maximumCalls); end one first."
                )
            }
            // Before anybody is held for it.
            try signalling.check(handle, account: account)
        case .merge(let calls): try checkMerge(calls)
        case .split(let call): try checkSplit(call)
        default:
            if case .transfer(let call, let target) = request {
                try checkConversation(call)
                if case .call(let other) = target {
                    try checkConversation(other)
                    if let reason = cannotMeet(other) { throw reason }
                }
            }
            if let (call, action) = request.action { try dryRun(action, of: call) }
        }
    }

    /// Throws why `call` cannot be in a group.
    func checkGrouping(_ call: CallID) throws(CallError) {
        try checkConversation(call)
        try dryRun(.setHeld(false), of: call)
        // A group is held as one: who cannot be held would stay audible.
        try dryRun(.setHeld(true), of: call)
    }

    /// Throws where `call` is a service's.
    private func checkConversation(_ call: CallID) throws(CallError) {
        guard let service = record(of: call)?.service else { return }
        throw CallError(
            .notSupported,
            "Call \(call) is the \(service.rawValue) service's, which is in no group and cannot be transferred.")
    }

    /// The machine is a value: a copy of it says what would become of the request.
    @discardableResult
    private func dryRun(_ action: CallAction, of call: CallID) throws(CallError) -> [CallEffect] {
        guard var machine = record(of: call)?.machine else { throw Self.unknown(call) }
        return try machine.handle(.request(ActionID(-1), action), at: now)
    }

    func isFulfilledAlready(_ action: CallAction, of call: CallID) -> Bool {
        do throws(CallError) {
            return try dryRun(action, of: call).contains {
                if case .fulfil(ActionID(-1), _, _) = $0 { true } else { false }
            }
        } catch {
            return false
        }
    }

    // MARK: Actions

    /// Gives a request to the call's machine.
    ///
    /// - Parameter since: from when its time counts; nil: from now.
    func ask(
        _ call: CallID, _ action: CallAction, readAt: MonotonicInstant, floor: Int? = nil, since: Duration? = nil,
        _ done: Completion?
    ) {
        let id = newAction(call, readAt: readAt, floor: floor, done)
        if let error = handle(.request(id, action), of: call, since: since) { fail(id, error) }
    }

    func newAction(_ call: CallID, readAt: MonotonicInstant, floor: Int?, _ done: Completion?) -> ActionID {
        nextAction += 1
        let id = ActionID(nextAction)
        actions[id] = ActionRecord(call: call, readAt: readAt, done: done, floor: floor)
        return id
    }

    func fail(_ id: ActionID, _ error: CallError) {
        guard let action = actions.removeValue(forKey: id) else { return }
        tell(action.done, .failure(error))
        if let number = action.floor { floorRequestEnded(number, succeeded: false) }
    }

    func fulfil(_ id: ActionID, changed: Bool, peerNotified: Bool?) {
        guard let action = actions.removeValue(forKey: id) else { return }
        if let snapshot = snapshot(of: action.call) {
            let result = ActionResult(
                call: snapshot, changed: changed, elapsedMs: clock.now.milliseconds(since: action.readAt),
                appliedMs: action.appliedAt.map { $0.milliseconds(since: action.readAt) }, peerNotified: peerNotified)
            tell(action.done, .success(result))
        } else {
            tell(action.done, .failure(CallError(.unknownCall, "Call \(action.call) is gone.")))
        }
        if let number = action.floor { floorRequestEnded(number, succeeded: true) }
    }
}

extension CallRequest {
    var isStart: Bool {
        if case .start = self { true } else { false }
    }
}
