internal import CallModel
internal import ControlProtocol

/// Carries out commands against a daemon.
struct Runner {
    let daemon: any Answering
    let terminal: Terminal
    let json: Bool

    func run(_ command: Command) throws(Failure) {
        switch command {
        case .status: try show(.daemonStatus) { DaemonStatus(json: $0).map(Reports.status) }
        case .calls: try show(.callList) { Reports.calls(Self.calls(in: $0)) }
        case .dial(let handle, let account, let id, let wait):
            try dial(try parsed(handle), account: account, id: id, wait: wait)
        case .act(let verb, let name): try act(verb, name)
        case .swap: try swap()
        case .devices:
            try show(.devicesList) { Reports.devices($0["devices"]?.array?.compactMap(DeviceInfo.init(json:)) ?? []) }
        case .volume(let capture, let playback):
            try show(.volumeSet(capture: capture, playback: playback)) { Reports.volume(VolumeInfo(json: $0)) }
        case .stats(let name):
            var id: CallID?
            if let name { id = try CallSelection.named(name, among: try calls()).id }
            try show(.statsGet(id)) { StatisticsReport(json: $0).map(Reports.statistics) }
        case .monitor: try Monitor(daemon: daemon, terminal: terminal, json: json).run()
        case .doctor: break  // It runs without a daemon, too: the program starts it.
        case .reload: try show(.daemonReload) { Reports.reload(ReloadReport(json: $0)) }
        case .merge(let names):
            let known = try calls()
            var ids = names.isEmpty ? known.filter { $0.state == .connected }.map(\.id) : []
            for name in names { ids.append(try CallSelection.named(name, among: known).id) }
            try request(.groupMerge, ["ids": .array(ids.map { .string($0.description) })])
        case .split(let name): try request(.groupSplit, try identified(name))
        case .transfer(let handle, let name):
            var params = identified(try call(name, impliedBy: .hold))
            params["handle"] = .string(handle)
            try request(.callTransfer, params)
        case .attendedTransfer:
            let pair = try CallSelection.swap(among: try calls(), for: "transfer --attended")
            var params = identified(pair.active)
            params["otherId"] = .string(pair.held.id.description)
            try request(.callTransfer, params)
        case .history(let missed, let limit):
            var params: JSONObject = missed ? ["missed": .bool(true)] : [:]
            if let limit { params["limit"] = JSONValue(limit) }
            try request(.historyList, params)
        case .redial: try redial()
        case .request(let method, let params): try request(method, params)
        }
    }

    // MARK: Parts

    private static func calls(in json: JSONValue) -> [CallSnapshot] {
        json["calls"]?.array?.compactMap(CallSnapshot.init(json:)) ?? []
    }

    private func calls() throws(Failure) -> [CallSnapshot] { Self.calls(in: try daemon.ask(.callList)) }

    /// The call that is named, or meant.
    private func call(_ name: String?, impliedBy verb: CallVerb) throws(Failure) -> CallSnapshot {
        let known = try calls()
        guard let name else { return try CallSelection.implied(by: verb, among: known) }
        return try CallSelection.named(name, among: known)
    }

    private func identified(_ name: String) throws(Failure) -> JSONObject {
        identified(try CallSelection.named(name, among: try calls()))
    }

    private func identified(_ call: CallSnapshot) -> JSONObject { ["id": .string(call.id.description)] }

    private func parsed(_ handle: String) throws(Failure) -> Handle {
        do throws(CallError) { return try Handle(parsing: handle) } catch { throw Failure(ControlError(error)) }
    }

    /// Prints a result as JSON, or as `report` words it.
    private func print(_ result: JSONValue, _ report: (JSONValue) -> String?) {
        terminal.write((json ? result.text : report(result) ?? result.text) + "\n")
    }

    private func show(_ request: ControlRequest, _ report: (JSONValue) -> String?) throws(Failure) {
        print(try daemon.ask(request), report)
    }

    private func request(_ method: ControlMethod, _ params: JSONObject) throws(Failure) {
        print(try daemon.ask(ControlEnvelope(id: nil, method, params))) { $0.text }
    }

    private func act(_ verb: CallVerb, _ name: String?) throws(Failure) {
        let call = try call(name, impliedBy: verb)
        try show(.action(verb.request(call.id))) { ActionResult(json: $0).map(Reports.action) }
    }

    private func swap() throws(Failure) {
        let pair = try CallSelection.swap(among: try calls())
        let result = try daemon.ask(.transaction([.hold(pair.active.id), .resume(pair.held.id)]))
        let entries = result["actions"]?.array?.compactMap(TransactionEntry.init(json:)) ?? []
        print(result) { _ in Reports.transaction(entries) }
        if let failed = entries.first(where: { !$0.fulfilled }) {
            throw .failed("\(failed.reason ?? "failed"): \(failed.method.rawValue): \(failed.message ?? "not done")")
        }
    }

    /// `--wait` listens before it dials, so that no event can be missed.
    private func dial(_ handle: Handle, account: String?, id: CallID?, wait: Bool) throws(Failure) {
        if wait { _ = try daemon.ask(.eventsSubscribe(since: nil)) }
        var result = try daemon.ask(.action(.start(handle, account: account, id: id)))
        if wait, let call = result["call"].flatMap(CallSnapshot.init(json:)), var object = result.object {
            object["call"] = try connected(call).json
            result = .object(object)
        }
        print(result) { ActionResult(json: $0).map(Reports.action) }
    }

    private func connected(_ call: CallSnapshot) throws(Failure) -> CallSnapshot {
        var call = call
        while call.state != .connected {
            guard call.state != .ended else { throw .failed(EventLine.end(call.endReason)) }
            guard let params = try daemon.nextEvent(within: -1) else { continue }
            switch ControlEvent(params: params) {
            case .callUpdated(let news, _)? where news.id == call.id: call = news
            case .callEnded(let news)? where news.id == call.id: call = news
            default: break
            }
        }
        return call
    }

    private func redial() throws(Failure) {
        let history = try daemon.ask(ControlEnvelope(id: nil, .historyList, ["limit": JSONValue(100)]))
        let entries = history["entries"]?.array?.compactMap(CallSnapshot.init(json:)) ?? []
        guard let last = entries.first(where: { $0.direction == .outgoing }) else {
            throw .failed("there is no outgoing call in the history")
        }
        try dial(last.handle, account: last.account, id: nil, wait: false)
    }
}
