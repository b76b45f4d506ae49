internal import CallModel
internal import ControlProtocol
internal import HandsetKit
internal import MediaDescription

/// Carries out commands against a daemon.
struct Runner {
    let handset: Handset
    let terminal: Terminal
    let json: Bool

    func run(_ command: Command) async throws(Failure) {
        switch command {
        case .status: try await show(.daemonStatus) { DaemonStatus(json: $0).map(Reports.status) }
        case .calls: try await show(.callList) { Reports.calls(Self.calls(in: $0), in: terminal.room) }
        case .dial(let handle, let account, let id, let wait):
            try await dial(parsed(handle), account: account, id: id, wait: wait)
        case .act(let verb, let name): try await act(verb, name)
        case .swap: try await swap()
        case .devices:
            try await show(.devicesList) {
                Reports.devices($0["devices"]?.array?.compactMap(DeviceInfo.init(json:)) ?? [])
            }
        case .volume(let capture, let playback):
            try await show(.volumeSet(capture: capture, playback: playback)) { Reports.volume(VolumeInfo(json: $0)) }
        case .profile(let choice):
            try await show(.profileSet(choice)) { ProfileState(json: $0).map { "profile: \(Reports.profile($0))" } }
        case .stats(let name):
            var id: CallID?
            if let name { id = try CallSelection.named(name, among: await calls()).id }
            try await show(.statsGet(id)) { StatisticsReport(json: $0).map(Reports.statistics) }
        case .monitor: try await Monitor(handset: handset, terminal: terminal, json: json).run()
        case .doctor, .complete: break  // The program itself starts them.
        case .reload: try await show(.daemonReload) { Reports.reload(ReloadReport(json: $0)) }
        case .merge(let names):
            let known = try await calls()
            try await show(.action(.merge(CallSelection.merged(names, among: known)))) {
                ActionResult(json: $0).map(Reports.action)
            }
        case .split(let name):
            let call = try CallSelection.named(name, among: await calls())
            try await show(.action(.split(call.id))) { ActionResult(json: $0).map(Reports.action) }
        case .transfer(let handle, let name):
            let target = TransferTarget.handle(try parsed(handle))
            try await transfer(Self.call(name, impliedBy: .hold, among: await calls()), to: target)
        case .attendedTransfer:
            let pair = try CallSelection.swap(among: await calls(), for: "transfer --attended")
            // Who waits on hold is the one who shall go on with whom we have asked.
            try await transfer(pair.held, to: .call(pair.active.id))
        case .history(let query):
            // A person who looks has seen what was missed; a program says so itself.
            try await show(.historyList(query, seen: !json)) {
                let entries = $0["entries"]?.array?.compactMap(HistoryEntry.init(json:)) ?? []
                return Reports.history(entries, in: terminal.room)
            }
        case .redial: try await redial()
        case .probe(let order): try await probe(order)
        case .contacts: try await contacts()
        case .reception(let request): try await show(request) { Reports.reception(request, $0) }
        }
    }

    // MARK: Parts

    private func ask(_ request: ControlRequest) async throws(Failure) -> JSONValue {
        do throws(HandsetError) { return try await handset.request(request) } catch { throw Failure(error) }
    }

    private static func calls(in json: JSONValue) -> [CallSnapshot] {
        json["calls"]?.array?.compactMap(CallSnapshot.init(json:)) ?? []
    }

    private func calls() async throws(Failure) -> [CallSnapshot] { try await Self.calls(in: ask(.callList)) }

    /// The call that is named, or meant.
    private static func call(
        _ name: String?, impliedBy verb: CallVerb, among known: [CallSnapshot]
    ) throws(Failure) -> CallSnapshot {
        guard let name else { return try CallSelection.implied(by: verb, among: known) }
        return try CallSelection.named(name, among: known)
    }

    private func parsed(_ handle: String) throws(Failure) -> Handle {
        do throws(CallError) {
            return try Handle(parsing: handle)
        } catch {
            throw Failure(HandsetError.refused(ControlError(error)))
        }
    }

    /// Prints a result as JSON, or as `report` words it.
    private func print(_ result: JSONValue, _ report: (JSONValue) -> String?) throws(Failure) {
        try terminal.write((json ? result.text : report(result) ?? result.text) + "\n")
    }

    private func show(_ request: ControlRequest, _ report: (JSONValue) -> String?) async throws(Failure) {
        try await print(ask(request), report)
    }

    private func act(_ verb: CallVerb, _ name: String?) async throws(Failure) {
        let known = try await calls()
        if name == nil, let members = CallSelection.impliedMembers(by: verb, among: known) {
            return try await transaction(
                members.compactMap {
                    if case .action(let action) = verb.request($0.id) { action } else { nil }
                })
        }
        let meant = try Self.call(name, impliedBy: verb, among: known)
        let isRecord = if case .record = verb { true } else { false }
        try await show(verb.request(meant.id)) {
            ActionResult(json: $0).map(isRecord ? Reports.recording : Reports.action)
        }
    }

    private func swap() async throws(Failure) {
        let pair = try CallSelection.swap(among: await calls())
        try await transaction([.hold(pair.active.id), .resume(pair.held.id)])
    }

    private func transaction(_ actions: [CallRequest]) async throws(Failure) {
        let result = try await ask(.transaction(actions))
        let entries = result["actions"]?.array?.compactMap(TransactionEntry.init(json:)) ?? []
        try print(result) { _ in Reports.transaction(entries) }
        if let failed = entries.first(where: { !$0.fulfilled }) {
            throw .failed("\(failed.reason ?? "failed"): \(failed.method.rawValue): \(failed.message ?? "not done")")
        }
    }

    /// `--wait` listens before it dials, so that no event can be missed.
    private func dial(_ handle: Handle, account: String?, id: CallID?, wait: Bool) async throws(Failure) {
        var result: JSONValue
        do throws(HandsetError) {
            let events = wait ? try await handset.events() : nil
            result = try await handset.request(.action(.start(handle, account: account, id: id)))
            if let events, let call = result["call"].flatMap(CallSnapshot.init(json:)), var object = result.object {
                object["call"] = try await handset.connected(call, events).json
                result = .object(object)
            }
        } catch {
            throw Failure(error)
        }
        try print(result) { ActionResult(json: $0).map(Reports.action) }
    }

    private func transfer(_ call: CallSnapshot, to target: TransferTarget) async throws(Failure) {
        try await show(.action(.transfer(call.id, to: target))) { ActionResult(json: $0).map(Reports.action) }
    }

    private func redial() async throws(Failure) {
        let last: CallSnapshot?
        do throws(HandsetError) { last = try await handset.lastDialled() } catch { throw Failure(error) }
        guard let last else { throw .failed("there is no outgoing call in the history") }
        try await dial(last.handle, account: last.account, id: nil, wait: false)
    }

    /// Interrupted, it ends its call and shows what was measured until then.
    private func probe(_ order: ProbeOrder) async throws(Failure) {
        let (call, interruption) = (CallID(), Interruption())
        let wish = order.wish(try parsed(order.handle), id: call)
        try terminal.onSignal { [handset] signal in
            interruption.note(signal)
            Task { await Self.end(call, handset) }
        }
        let result: JSONValue
        do throws(Failure) { result = try await ask(.probeRun(wish)) } catch {
            throw interruption.failure("nothing was measured") ?? error
        }
        let report = ProbeReport(json: result)
        try print(result) { _ in report.map(Reports.probe) }
        if let failure = interruption.failure("these are the figures until then") { throw failure }
        let complaints = report.map(order.complaints) ?? []
        guard complaints.isEmpty else { throw .failed(complaints.joined(separator: "\n")) }
    }

    /// Ends a call that is perhaps only about to begin.
    private static func end(_ call: CallID, _ handset: Handset) async {
        for _ in 0..<50 {
            do throws(HandsetError) {
                _ = try await handset.request(.action(.end(call)))
                return
            } catch {
                guard case .refused = error else { return }
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    private func contacts() async throws(Failure) {
        let report: ContactsReport
        do throws(HandsetError) { report = try await handset.contacts() } catch { throw Failure(error) }
        try print(report.json) { _ in Reports.contacts(report) }
    }
}
