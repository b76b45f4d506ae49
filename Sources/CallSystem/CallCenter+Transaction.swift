public import CallModel
public import EventLoop

/// Several actions, one after the other.
extension CallCenter {
    /// Carries out `requests` in order. They are checked as a whole first; where one cannot be carried out, none is.
    /// Where one fails, those after it fail as `cancelled`, and those before it are undone, the last one first, as far as
    /// telephony allows: a call that was ended or answered stays so, and what was dialled in digits has been heard.
    ///
    /// `done` is given one report for each request, in their order, when nothing of the transaction is under way any
    /// more; or `emptyTransaction` (`notSupported` for more than `CallRequest.maximumPerTransaction`). It is called once,
    /// on the event loop, never from within this method.
    public func transaction(
        _ requests: [CallRequest], readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<[ActionReport], CallError>) -> Void
    ) {
        guard !requests.isEmpty else {
            return later { done(.failure(CallError(.emptyTransaction, "The transaction has no actions."))) }
        }
        let most = CallRequest.maximumPerTransaction
        guard requests.count <= most else {
            let error = CallError(
                .notSupported, "The transaction has \(requests.count) actions; at most \(most) are taken.")
            return later { done(.failure(error)) }
        }
        // Each call has its name from here on, so that it can be undone.
        let named = requests.map { $0.named(by: newName) }
        if let (culprit, error) = firstImpossible(of: named) {
            let elapsed = clock.now.milliseconds(since: readAt)
            let because = CallError(
                .cancelled, "Nothing was done, because action \(culprit + 1) of the transaction is not possible.")
            let reports = named.enumerated().map { index, request in
                ActionReport(
                    request: request, result: .failure(index == culprit ? error : because), elapsedMs: elapsed)
            }
            return later { done(.success(reports)) }
        }
        step(TransactionProgress(requests: named, readAt: readAt, done: done))
    }

    /// The first request that cannot be carried out, as far as that is known before those ahead of it have been.
    private func firstImpossible(of requests: [CallRequest]) -> (index: Int, error: CallError)? {
        let starting = floor.filter { !$0.isRunning && $0.request.isStart }.map(\.call)
        var foresight = TransactionForesight(records, starting: starting, policy: policy, at: now)
        for (index, request) in requests.enumerated() {
            do throws(CallError) {
                if isShuttingDown { try check(request) }
                try foresight.foresee(request)
                if case .start(let handle, let account, _) = request {
                    try signalling.check(handle, account: account)
                }
            } catch {
                return (index, error)
            }
        }
        return nil
    }

    private func step(_ progress: TransactionProgress) {
        guard progress.reports.count < progress.requests.count else {
            return progress.done(.success(progress.reports))
        }
        let request = progress.requests[progress.reports.count]
        let inverse = inverse(of: request)
        let wasActive = activeConversation
        carryOut(request, readAt: progress.readAt) { [self] result in
            var progress = progress
            progress.add(result, of: request, inverse: inverse, wasActive: wasActive, at: clock.now)
            if case .failure = result { undo(progress) } else { step(progress) }
        }
    }

    /// Undoes the last action that is not yet undone; reports when there is none left.
    private func undo(_ progress: TransactionProgress) {
        var progress = progress
        guard let (index, whole) = progress.undoable.popLast() else {
            return progress.done(.success(progress.reports))
        }
        var inverse = whole[...]
        if case .end(let call)? = inverse.first {
            if let dialled = record(of: call) {
                // It is taken back as long as nobody has answered it.
                guard dialled.machine.isDialling else { return undo(progress) }
            } else {
                // It has come to nothing by itself: only what was held for it is left to take back.
                inverse.removeFirst()
            }
        }
        takeBack(inverse, readAt: progress.readAt) { [self] isUndone in
            if isUndone { progress.undone(index, at: clock.now) }
            undo(progress)
        }
    }

    /// Carries out `requests` one after the other, whatever becomes of each; tells whether the first was fulfilled.
    private func takeBack(
        _ requests: ArraySlice<CallRequest>, readAt: MonotonicInstant, _ done: @escaping @DaemonActor (Bool) -> Void
    ) {
        guard let first = requests.first else { return done(true) }
        carryOut(first, readAt: readAt) { [self] result in
            takeBack(requests.dropFirst(), readAt: readAt) { _ in
                if case .success = result { done(true) } else { done(false) }
            }
        }
    }
}

/// How far a transaction has come.
private struct TransactionProgress {
    let requests: [CallRequest]
    let readAt: MonotonicInstant
    let done: @DaemonActor (Result<[ActionReport], CallError>) -> Void
    private(set) var reports: [ActionReport] = []
    /// By the numbers of actions what takes them back, the last action's at the end; nil: of the one that has failed.
    var undoable: [(index: Int?, inverse: [CallRequest])] = []

    init(
        requests: [CallRequest], readAt: MonotonicInstant,
        done: @escaping @DaemonActor (Result<[ActionReport], CallError>) -> Void
    ) {
        self.requests = requests
        self.readAt = readAt
        self.done = done
    }

    /// Notes the end of `request`; where it has failed, also that of those after it.
    mutating func add(
        _ result: Result<ActionResult, CallError>, of request: CallRequest, inverse: [CallRequest],
        wasActive: CallID?, at now: MonotonicInstant
    ) {
        let elapsed = now.milliseconds(since: readAt)
        let index = reports.count
        reports.append(ActionReport(request: request, result: result, elapsedMs: elapsed))
        switch result {
        case .success(let result):
            if result.changed, !inverse.isEmpty { undoable.append((index, inverse)) }
        case .failure:
            // The floor gives it back by itself, too; here it is waited for.
            if request.takesFloor, let wasActive { undoable.append((nil, [.resume(wasActive)])) }
            let because = CallError(.cancelled, "Action \(index + 1) of the transaction failed.")
            for request in requests[reports.count...] {
                reports.append(ActionReport(request: request, result: .failure(because), elapsedMs: elapsed))
            }
        }
    }

    mutating func undone(_ index: Int?, at now: MonotonicInstant) {
        guard let index else { return }
        let culprit = (reports.firstIndex { if case .failure = $0.result { !$0.isUndone } else { false } } ?? 0) + 1
        let because = CallError(.cancelled, "It was undone, because action \(culprit) of the transaction failed.")
        reports[index].result = .failure(because)
        reports[index].isUndone = true
        reports[index].elapsedMs = now.milliseconds(since: readAt)
    }
}

extension CallCenter {
    /// What takes `request` back once it is fulfilled, as things are before it; empty where nothing does: what the remote
    /// party has seen or heard stays so, but for a call that is still being dialled.
    private func inverse(of request: CallRequest) -> [CallRequest] {
        let active = activeConversation
        let back = active.map { [CallRequest.resume($0)] } ?? []
        switch request {
        case .start(_, _, let id): return (id.map { [.end($0)] } ?? []) + back
        case .hold(let id): return [.resume(id)]
        case .resume(let id): return [.hold(id)] + back
        case .mute(let id): return [.unmute(id)]
        case .unmute(let id): return [.mute(id)]
        case .earmuff(let id): return [.unearmuff(id)]
        case .unearmuff(let id): return [.earmuff(id)]
        case .merge(let ids):
            // Whoever was in a group of its own before is not put together again.
            let members = party(of: ids)
            let home = members.lazy.compactMap { self.record(of: $0)?.group }.first
            let newcomers = home == nil ? Array(members.dropFirst()) : members.filter { record(of: $0)?.group != home }
            guard newcomers.allSatisfy({ record(of: $0)?.group == nil }) else { return [] }
            return newcomers.map { .split($0) } + (active == nil ? members.map { .hold($0) } : back)
        case .split(let id):
            guard let other = party(of: id).first(where: { $0 != id }) else { return [] }
            return [.merge([other, id])] + (record(of: id)?.machine.held == true ? [.hold(id)] : [])
        case .answer, .endAndAnswer, .reject, .end, .dtmf, .transfer: return []
        }
    }
}

extension CallRequest {

    /// Whether it makes its call the active one, which holds another.
    var takesFloor: Bool {
        switch self {
        case .start, .answer, .endAndAnswer, .resume, .merge, .split: true
        default: false
        }
    }

    /// A start that left the name of its call to the daemon has one now.
    @DaemonActor func named(by newName: @DaemonActor () -> CallID) -> CallRequest {
        if case .start(let handle, let account, nil) = self {
            .start(handle, account: account, id: newName())
        } else {
            self
        }
    }
}
