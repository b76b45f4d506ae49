internal import CallModel
internal import EventLoop

/// Groups: calls that are mixed into one conference. For the one-active-call rule a group is one call.
extension CallCenter {
    // MARK: What is true

    /// The calls that are active or held together with `call`, itself among them: its group, or it alone.
    func party(of call: CallID) -> [CallID] {
        guard let group = record(of: call)?.group else { return [call] }
        return records.filter { $0.group == group }.map { $0.id }
    }

    /// The calls that are to be active when `request` has been carried out.
    func party(of request: FloorRequest) -> [CallID] {
        switch request.request {
        case .resume(let call): party(of: call)
        case .merge(let calls): party(of: calls)
        default: [request.call]
        }
    }

    func party(of calls: [CallID]) -> [CallID] {
        var all: [CallID] = []
        for call in calls {
            for member in party(of: call) where !all.contains(member) { all.append(member) }
        }
        return all
    }

    /// The call as clients see it: with its group, and what may be done about that.
    func snapshot(of record: CallRecord) -> CallSnapshot {
        var snapshot = record.snapshot
        snapshot.capabilities.group =
            record.canBeGrouped
            && records.contains {
                $0.id != record.id && $0.canBeGrouped && ($0.group == nil || $0.group != record.group)
            }
        snapshot.capabilities.ungroup = record.canBeGrouped && record.group != nil
        return snapshot
    }

    /// How `call` is to be held: in a group whose others go on, without the remote party's knowledge.
    ///
    /// - Parameter leaving: a call that is about to leave the group.
    func holdAction(for call: CallID, leaving: CallID? = nil) -> CallAction {
        policy.groupHold == .keep && party(of: call).count { $0 != leaving } > 1 ? .setAside : .setHeld(true)
    }

    // MARK: Checks

    /// Throws why these calls cannot be made one group.
    func checkMerge(_ calls: [CallID]) throws(CallError) {
        guard Set(calls).count > 1 else { throw Self.tooFewToMerge }
        for call in calls { try checkGrouping(call) }
    }

    /// Throws why `call` cannot be taken out of a group.
    func checkSplit(_ call: CallID) throws(CallError) {
        try checkGrouping(call)
        guard record(of: call)?.group != nil else { throw Self.inNoGroup(call) }
    }

    nonisolated static var tooFewToMerge: CallError {
        CallError(.invalidState, "A group is made of two or more calls; name another one.")
    }

    nonisolated static func inNoGroup(_ call: CallID) -> CallError {
        CallError(.invalidState, "Call \(call) is in no group.")
    }

    /// Whether there is nothing to do: they are one group already, and it is active.
    func isMerged(_ calls: [CallID]) -> Bool {
        guard let group = calls.first.flatMap({ record(of: $0)?.group }) else { return false }
        return calls.allSatisfy { record(of: $0)?.group == group && isFulfilledAlready(.setHeld(false), of: $0) }
    }

    // MARK: Requests

    /// Holds or resumes the group of `call`, or it alone where it is in none.
    ///
    /// The request is about `call`: it ends as the action on it does. A member whose remote party refuses to be resumed
    /// stays in the group, held.
    func askParty(
        _ call: CallID, held: Bool, readAt: MonotonicInstant, floor: Int? = nil, since: Duration? = nil,
        _ done: Completion?
    ) {
        let members = party(of: call)
        func action(_ member: CallID) -> CallAction { held ? holdAction(for: member) : .setHeld(false) }
        guard members.count > 1 else {
            return ask(call, action(call), readAt: readAt, floor: floor, since: since, done)
        }
        askEach(members.map { ($0, action($0)) }, readAt: readAt, since: since) { [self] results in
            let result = results[call] ?? .failure(gone(call))
            finish(floor, done, result.map { summary($0, of: results, readAt: readAt) })
        }
    }

    /// Carries out a merge that has the floor. Where one of the calls will not be resumed, all is as it was before.
    func merge(_ calls: [CallID], as head: FloorRequest) {
        do throws(CallError) {
            try checkMerge(calls)
        } catch {
            return giveUp(head, because: error)
        }
        // One that is just being ended has no say.
        let members = party(of: calls).filter { record(of: $0)?.canBeGrouped == true }
        let before = members.map { ($0, record(of: $0)?.group) }
        let active = members.filter { record(of: $0)?.machine.isActive == true }
        let group = before.lazy.compactMap { $0.1 }.first ?? GroupID()
        for member in members { setGroup(of: member, group) }
        // They may have left one alone that is just being ended.
        tidyGroups()
        askEach(members.map { ($0, .setHeld(false)) }, readAt: head.readAt, since: head.askedAt) { [self] results in
            let failure = members.lazy.compactMap { results[$0]?.failure }.first
            guard let failure else {
                let first = results[calls[0]].flatMap { try? $0.get() }
                let result = first.map { first in
                    var result = summary(first, of: results, readAt: head.readAt)
                    result.changed = true
                    return result
                }
                return finish(head.number, head.done, result.map { .success($0) } ?? .failure(gone(calls[0])))
            }
            for (member, group) in before { setGroup(of: member, group) }
            tidyGroups()
            // Also one whose resume was under way already and ended with ours.
            let resumed = members.filter { !active.contains($0) && record(of: $0)?.machine.isActive == true }
            askEach(resumed.map { ($0, holdAction(for: $0)) }, readAt: head.readAt) { [self] _ in
                finish(head.number, head.done, .failure(failure))
            }
            settle()
        }
        settle()
    }

    /// Carries out a split that has the floor: the rest of the group is held. Where the call will not be resumed, it stays
    /// in the group.
    func split(_ call: CallID, as head: FloorRequest) {
        do throws(CallError) {
            try checkSplit(call)
        } catch {
            return giveUp(head, because: error)
        }
        guard let group = record(of: call)?.group else { return }
        let rest = party(of: call).filter { $0 != call }
        setGroup(of: call, nil)
        tidyGroups(but: call)
        askEach([(call, .setHeld(false))], readAt: head.readAt, since: head.askedAt) { [self] results in
            var result = results[call] ?? .failure(gone(call))
            if case .success(var fulfilled) = result {
                fulfilled.changed = true
                result = .success(fulfilled)
            } else {
                for member in rest + [call] { setGroup(of: member, group) }
                tidyGroups()
            }
            finish(head.number, head.done, result)
        }
        settle()
    }

    private func gone(_ call: CallID) -> CallError { CallError(.unknownCall, "Call \(call) is gone.") }

    // MARK: Membership

    func setGroup(of call: CallID, _ group: GroupID?) {
        guard let index = records.firstIndex(where: { $0.id == call }), records[index].group != group else { return }
        records[index].group = group
        media.setGroup(call, group)
    }

    /// A group with one member left is no group; a call outside a group that is held without the remote party's knowledge
    /// is held now as any other call.
    ///
    /// - Parameter resuming: a call that is about to be resumed.
    func tidyGroups(but resuming: CallID? = nil) {
        for record in records where record.id != resuming && party(of: record.id).count == 1 {
            setGroup(of: record.id, nil)
            if record.machine.isAside { ask(record.id, .setHeld(true), readAt: clock.now, nil) }
        }
    }

    // MARK: Several actions as one

    /// Gives each call its action; `done` when all have ended, never from within this method.
    private func askEach(
        _ actions: [(call: CallID, action: CallAction)], readAt: MonotonicInstant, since: Duration? = nil,
        _ done: @escaping @DaemonActor ([CallID: Result<ActionResult, CallError>]) -> Void
    ) {
        guard !actions.isEmpty else { return later { done([:]) } }
        var results: [CallID: Result<ActionResult, CallError>] = [:]
        for (call, action) in actions {
            ask(call, action, readAt: readAt, since: since) { result in
                results[call] = result
                if results.count == actions.count { done(results) }
            }
        }
    }

    /// The result of several actions that were asked for as one, told of the call that was named.
    private func summary(
        _ named: ActionResult, of results: [CallID: Result<ActionResult, CallError>], readAt: MonotonicInstant
    ) -> ActionResult {
        let fulfilled = results.values.compactMap { try? $0.get() }
        var summary = named
        if let now = snapshot(of: named.call.id) { summary.call = now }
        summary.changed = fulfilled.contains { $0.changed }
        summary.elapsedMs = clock.now.milliseconds(since: readAt)
        summary.appliedMs = fulfilled.compactMap { $0.appliedMs }.max()
        let notified = fulfilled.compactMap { $0.peerNotified }
        summary.peerNotified = notified.isEmpty ? nil : notified.allSatisfy { $0 }
        return summary
    }

    /// Ends a request that was several actions.
    private func finish(_ floor: Int?, _ done: Completion?, _ result: Result<ActionResult, CallError>) {
        tell(done, result)
        if let floor { floorRequestEnded(floor, succeeded: result.failure == nil) }
        settle()
    }
}

extension Result {
    /// Why it failed; nil where it did not.
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}

extension CallRecord {
    /// Whether it is a conversation that a group can have.
    fileprivate var canBeGrouped: Bool { service == nil && machine.capabilities.hold }
}
