public import CallModel
public import MediaDescription
public import Screening

/// Where a client's knowledge of the events ends.
public struct EventCursor: Sendable, Hashable {
    /// The daemon run in which the numbers count.
    public var instance: String
    /// The last event that was seen.
    public var seq: Int

    public init(instance: String, seq: Int) {
        self.instance = instance
        self.seq = seq
    }

    public var json: JSONValue { ["instance": .string(instance), "seq": JSONValue(seq)] }
}

/// A request whose method and params mean something.
public enum ControlRequest: Sendable, Hashable {
    case daemonStatus
    case daemonReload
    case callList
    case action(CallRequest)
    /// Has the remote party hear a file in place of the microphone.
    case callPlay(CallID, file: String, loops: Bool)
    case callStopPlaying(CallID)
    /// `file`: a path, or a name in the folder of recordings; nil: a name is made.
    case recordingStart(CallID, file: String?)
    case recordingStop(CallID)
    /// Answered when it has been measured.
    case probeRun(ProbeWish)
    /// Carried out in order; not empty.
    case transaction([CallRequest])
    /// `seen`: after it the missed calls count as seen.
    case historyList(HistoryQuery, seen: Bool)
    case historyClear
    /// nil: only asks.
    case dndSet(on: Bool?)
    case blockAdd(String)
    case blockRemove(String)
    case blockList
    case contactsAdd(Contact)
    case contactsRemove(name: String)
    /// From the contact of that number on, 0 or more.
    case contactsList(from: Int)
    case devicesList
    /// 0...100; nil leaves a side as it is. Both nil: only asks.
    case volumeSet(capture: Int?, playback: Int?)
    /// nil: only asks.
    case profileSet(ProfileChoice?)
    /// nil: only asks.
    case ringerSet(silent: Bool?)
    /// nil: all calls.
    case statsGet(CallID?)
    case eventsSubscribe(since: EventCursor?)

    /// Bytes of a token, at most.
    public static let maximumTokenLength = 128

    /// Reads a request. Throws -32601, -32602, or -32000 `invalidHandle` or `emptyTransaction`.
    public init(_ envelope: ControlEnvelope) throws(ControlError) {
        guard let method = ControlMethod(rawValue: envelope.method) else {
            throw .unknownMethod("there is no method \"\(envelope.method.prefix(64))\"")
        }
        let params = envelope.params
        if let action = try CallRequest(method: method, params: params) {
            self = .action(action)
            return
        }
        switch method {
        case .daemonStatus: self = .daemonStatus
        case .daemonReload: self = .daemonReload
        case .callList: self = .callList
        case .callPlay:
            self = .callPlay(
                try params.callID("id"), file: try params.path("file"),
                loops: try params.optionalBoolean("loop") ?? false)
        case .callStopPlaying: self = .callStopPlaying(try params.callID("id"))
        case .recordingStart:
            self = .recordingStart(try params.callID("id"), file: try params.recordingName("file"))
        case .recordingStop: self = .recordingStop(try params.callID("id"))
        case .probeRun: self = .probeRun(try ProbeWish(params: params))
        case .transactionRequest: self = .transaction(try Self.actions(params))
        case .historyList:
            self = .historyList(
                try HistoryQuery(params: params), seen: try params.optionalBoolean("seen") ?? false)
        case .historyClear: self = .historyClear
        case .dndSet: self = .dndSet(on: try params.optionalBoolean("on"))
        case .blockAdd: self = .blockAdd(try params.blockEntry())
        case .blockRemove: self = .blockRemove(try params.blockEntry())
        case .blockList: self = .blockList
        case .contactsAdd: self = .contactsAdd(try Contact(params: params))
        case .contactsRemove: self = .contactsRemove(name: try params.contactName())
        case .contactsList:
            self = .contactsList(from: try params.optionalInteger("from", in: 0...PhoneBook.maximumCount) ?? 0)
        case .devicesList: self = .devicesList
        case .volumeSet:
            self = .volumeSet(
                capture: try params.optionalInteger("capture", in: 0...100),
                playback: try params.optionalInteger("playback", in: 0...100))
        case .profileSet: self = .profileSet(try params.profileChoice())
        case .ringerSet: self = .ringerSet(silent: try params.optionalBoolean("silent"))
        case .statsGet: self = .statsGet(try params.optionalCallID("id"))
        case .eventsSubscribe: self = .eventsSubscribe(since: try Self.cursor(params["since"]))
        // An action, which was read above.
        default: throw .invalidParams("\(method.rawValue) is an action about a call")
        }
    }

    /// The `token` of a request, by which a repeated one is known; nil where it has none.
    public static func token(of envelope: ControlEnvelope) throws(ControlError) -> String? {
        guard let token = try envelope.params.optionalString("token") else { return nil }
        guard 1...maximumTokenLength ~= token.utf8.count else {
            throw .invalidParams("token is a string of 1 to \(maximumTokenLength) bytes")
        }
        return token
    }

    private static func actions(_ params: JSONObject) throws(ControlError) -> [CallRequest] {
        guard let list = params["actions"]?.array else {
            throw .invalidParams("actions is missing: a list of {\"method\", \"params\"}")
        }
        guard !list.isEmpty else { throw .failed(.emptyTransaction, "the transaction has no actions") }
        guard list.count <= CallRequest.maximumPerTransaction else {
            throw .invalidParams("a transaction has \(CallRequest.maximumPerTransaction) actions at most")
        }
        var actions: [CallRequest] = []
        for (index, entry) in list.enumerated() {
            do throws(ControlError) {
                actions.append(try action(entry))
            } catch {
                var named = error
                named.message = "actions[\(index)]: \(error.message)"
                throw named
            }
        }
        return actions
    }

    private static func action(_ entry: JSONValue) throws(ControlError) -> CallRequest {
        guard let name = entry["method"]?.string else { throw .invalidParams("method is missing, or not a string") }
        guard let method = ControlMethod(rawValue: name) else {
            throw .invalidParams("there is no method \"\(name.prefix(64))\"")
        }
        let params: JSONObject
        switch entry["params"] {
        case nil, .null?: params = [:]
        case .object(let object)?: params = object
        default: throw .invalidParams("params is an object: parameters have names")
        }
        guard let action = try CallRequest(method: method, params: params) else {
            throw .invalidParams("\(name) is not an action about a call")
        }
        return action
    }

    private static func cursor(_ since: JSONValue?) throws(ControlError) -> EventCursor? {
        guard let since, since != .null else { return nil }
        guard let instance = since["instance"]?.string, let seq = since["seq"]?.integer, seq >= 0 else {
            throw .invalidParams("since is {\"instance\", \"seq\"} as an earlier events.subscribe and the events said")
        }
        return EventCursor(instance: instance, seq: seq)
    }

    /// The request as the client sends it.
    public func envelope(id: JSONValue) -> ControlEnvelope {
        switch self {
        case .daemonStatus: return ControlEnvelope(id: id, .daemonStatus)
        case .daemonReload: return ControlEnvelope(id: id, .daemonReload)
        case .callList: return ControlEnvelope(id: id, .callList)
        case .action(let action): return ControlEnvelope(id: id, action.method, action.params)
        case .callPlay(let call, let file, let loops):
            var params: JSONObject = ["id": .string(call.description), "file": .string(file)]
            if loops { params["loop"] = .bool(true) }
            return ControlEnvelope(id: id, .callPlay, params)
        case .callStopPlaying(let call):
            return ControlEnvelope(id: id, .callStopPlaying, ["id": .string(call.description)])
        case .recordingStart(let call, let file):
            var params: JSONObject = ["id": .string(call.description)]
            if let file { params["file"] = .string(file) }
            return ControlEnvelope(id: id, .recordingStart, params)
        case .recordingStop(let call):
            return ControlEnvelope(id: id, .recordingStop, ["id": .string(call.description)])
        case .probeRun(let wish): return ControlEnvelope(id: id, .probeRun, wish.params)
        case .transaction(let actions):
            let list = actions.map { action -> JSONValue in
                ["method": .string(action.method.rawValue), "params": .object(action.params)]
            }
            return ControlEnvelope(id: id, .transactionRequest, ["actions": .array(list)])
        case .historyList(let query, let seen):
            var params = query.params
            if seen { params["seen"] = .bool(true) }
            return ControlEnvelope(id: id, .historyList, params)
        case .historyClear: return ControlEnvelope(id: id, .historyClear)
        case .dndSet(let on): return ControlEnvelope(id: id, .dndSet, on.map { ["on": .bool($0)] } ?? [:])
        case .blockAdd(let entry): return ControlEnvelope(id: id, .blockAdd, ["handle": .string(entry)])
        case .blockRemove(let entry): return ControlEnvelope(id: id, .blockRemove, ["handle": .string(entry)])
        case .blockList: return ControlEnvelope(id: id, .blockList)
        case .contactsAdd(let contact): return ControlEnvelope(id: id, .contactsAdd, contact.json.object ?? [:])
        case .contactsRemove(let name): return ControlEnvelope(id: id, .contactsRemove, ["name": .string(name)])
        case .contactsList(let from): return ControlEnvelope(id: id, .contactsList, ["from": JSONValue(from)])
        case .devicesList: return ControlEnvelope(id: id, .devicesList)
        case .volumeSet(let capture, let playback):
            var params: JSONObject = [:]
            if let capture { params["capture"] = JSONValue(capture) }
            if let playback { params["playback"] = JSONValue(playback) }
            return ControlEnvelope(id: id, .volumeSet, params)
        case .profileSet(let choice):
            return ControlEnvelope(id: id, .profileSet, choice.map { ["profile": .string($0.word)] } ?? [:])
        case .ringerSet(let silent):
            return ControlEnvelope(id: id, .ringerSet, silent.map { ["silent": .bool($0)] } ?? [:])
        case .statsGet(let call):
            return ControlEnvelope(id: id, .statsGet, call.map { ["id": .string($0.description)] } ?? [:])
        case .eventsSubscribe(let since):
            return ControlEnvelope(id: id, .eventsSubscribe, since.map { ["since": $0.json] } ?? [:])
        }
    }
}

extension ControlEnvelope {
    public init(id: JSONValue?, _ method: ControlMethod, _ params: JSONObject = [:]) {
        self.init(id: id, method: method.rawValue, params: params)
    }
}
