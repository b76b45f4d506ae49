internal import CallModel

/// The calls as they will be when the first actions of a transaction have been fulfilled: says of each further one whether
/// it can be, before any is begun. What the remote parties will say is not known; it is taken to be yes.
struct TransactionForesight {
    private var machines: [CallMachine]
    private var groups: [CallID: GroupID] = [:]
    /// Calls that are nobody's conversation: they make room for none, and none for them.
    private let services: Set<CallID>
    /// Calls whose start waits for its turn.
    private let starting: [CallID]
    private let policy: CallPolicy
    private let now: Duration
    private var endedCalls: Set<CallID> = []

    init(_ records: [CallRecord], starting: [CallID], policy: CallPolicy, at now: Duration) {
        machines = records.map(\.machine)
        services = Set(records.filter { $0.service != nil }.map(\.id))
        for record in records { groups[record.id] = record.group }
        self.starting = starting
        self.policy = policy
        self.now = now
    }

    /// Throws why `request` will not be possible after those that were foreseen before it.
    mutating func foresee(_ request: CallRequest) throws(CallError) {
        switch request {
        case .start(_, _, let id): try start(id ?? CallID())
        case .answer(let call): try activate([call], by: .answer)
        case .endAndAnswer(let call): try activate([call], by: .answer, endingOthers: true)
        case .resume(let call): try activate(party(of: call), by: .setHeld(false))
        case .merge(let calls): try merge(calls)
        case .split(let call): try split(call)
        case .hold(let call): for member in party(of: call) { try apply(.setHeld(true), to: member) }
        case .transfer(_, .call(let other)):
            if let reason = CallCenter.cannotMeet(other, machine(other)) { throw reason }
            try applyAction(of: request)
        case .transfer, .reject, .end, .mute, .unmute, .earmuff, .unearmuff, .dtmf: try applyAction(of: request)
        }
    }

    private mutating func applyAction(of request: CallRequest) throws(CallError) {
        if let (call, action) = request.action { try apply(action, to: call) }
    }

    private func machine(_ call: CallID) -> CallMachine? { machines.first { $0.id == call } }

    private func party(of call: CallID) -> [CallID] {
        guard let group = groups[call] else { return [call] }
        return machines.map(\.id).filter { groups[$0] == group }
    }

    private mutating func apply(_ action: CallAction, to call: CallID) throws(CallError) {
        guard let index = machines.firstIndex(where: { $0.id == call }) else {
            throw endedCalls.contains(call)
                ? CallError(.unknownCall, "Call \(call) is over after an earlier action of the transaction.")
                : CallCenter.unknown(call)
        }
        _ = try machines[index].handle(.request(ActionID(-1), action), at: now)
        machines[index].foresee(at: now)
        guard machines[index].state == .ended else { return }
        endedCalls.insert(call)
        machines.remove(at: index)
        groups[call] = nil
        tidyGroups()
    }

    private mutating func tidyGroups() {
        for call in machines.map(\.id) where party(of: call).count == 1 { groups[call] = nil }
    }

    /// - Parameter calls: what is to be active together.
    private mutating func activate(
        _ calls: [CallID], by action: CallAction, endingOthers: Bool = false
    ) throws(CallError) {
        // What is wrong with these themselves comes first.
        var copy = self
        for call in calls { try copy.apply(action, to: call) }
        if !calls.allSatisfy({ machine($0)?.isActive == true }) {
            try makeRoom(for: calls, endingOthers: endingOthers)
        }
        for call in calls { try apply(action, to: call) }
    }

    private mutating func start(_ call: CallID) throws(CallError) {
        if machine(call) != nil || endedCalls.contains(call) || starting.contains(call) {
            throw CallError(.callAlreadyExists, "There is a call \(call) already; choose another id.")
        }
        let count = machines.count { !services.contains($0.id) } + starting.count
        guard count < policy.maximumCalls else {
            throw CallError(
                .maximumCallsReached,
                "There are \(count) calls, and maximum_calls is \(policy.maximumCalls); end one first.")
        }
        try makeRoom(for: [call], endingOthers: false)
        var machine = CallMachine(outgoing: call, start: ActionID(-1), ringTimeout: .seconds(60), at: now)
        machine.foresee(at: now)
        machines.append(machine)
    }

    private mutating func merge(_ calls: [CallID]) throws(CallError) {
        guard Set(calls).count > 1 else { throw CallCenter.tooFewToMerge }
        var members: [CallID] = []
        for call in calls { for member in party(of: call) where !members.contains(member) { members.append(member) } }
        var copy = self
        for call in calls { try copy.apply(.setHeld(true), to: call) }
        try activate(members, by: .setHeld(false))
        let group = members.compactMap { groups[$0] }.first ?? GroupID()
        for member in members { groups[member] = group }
    }

    private mutating func split(_ call: CallID) throws(CallError) {
        if machine(call) != nil, groups[call] == nil { throw CallCenter.inNoGroup(call) }
        groups[call] = nil
        try activate([call], by: .setHeld(false))
        // It was active with them: they are held now.
        try makeRoom(for: [call], endingOthers: false)
        tidyGroups()
    }

    /// What the floor does before it is the turn of `calls`.
    private mutating func makeRoom(for calls: [CallID], endingOthers: Bool) throws(CallError) {
        guard !calls.contains(where: services.contains) else { return }
        for other in machines where !calls.contains(other.id) && !services.contains(other.id) {
            if other.isActive || (endingOthers && other.isDialling) {
                try apply(endingOthers ? .end : .setHeld(true), to: other.id)
            } else if let occupied = other.excludesOthers {
                throw occupied
            }
        }
    }
}
