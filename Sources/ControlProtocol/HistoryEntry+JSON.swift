public import CallModel

extension CallQuality {
    public var json: JSONValue {
        [
            "packetsSent": JSONValue(packetsSent), "packetsReceived": JSONValue(packetsReceived),
            "lost": JSONValue(lost), "late": JSONValue(late), "concealedMs": JSONValue(thousandths: concealedMs),
            "jitterMs": JSONValue(thousandths: jitterMs), "roundTripMs": JSONValue(thousandths: roundTripMs),
            "mos": JSONValue(thousandths: mos),
        ]
    }

    public init?(json: JSONValue) {
        guard json.object != nil else { return nil }
        self.init()
        packetsSent = json["packetsSent"]?.integer ?? 0
        packetsReceived = json["packetsReceived"]?.integer ?? 0
        lost = json["lost"]?.integer ?? 0
        late = json["late"]?.integer ?? 0
        concealedMs = json["concealedMs"]?.double ?? 0
        jitterMs = json["jitterMs"]?.double ?? 0
        roundTripMs = json["roundTripMs"]?.double
        mos = json["mos"]?.double
    }
}

extension HistoryEntry {
    /// A call's members, and what only the past has.
    public var json: JSONValue {
        guard case .object(var object) = call.json else { return .null }
        object["durationSeconds"] = JSONValue(thousandths: durationSeconds)
        object["missed"] = .bool(missed)
        object["seen"] = .bool(seen)
        return .object(object)
    }

    public init?(json: JSONValue) {
        guard let call = CallSnapshot(json: json) else { return nil }
        self.init(call: call, missed: json["missed"]?.bool ?? false, seen: json["seen"]?.bool ?? false)
    }
}

extension HistoryQuery {
    var params: JSONObject {
        var params: JSONObject = ["limit": JSONValue(limit)]
        if let before { params["before"] = .string(before.description) }
        if missedOnly { params["missed"] = .bool(true) }
        if let direction { params["direction"] = .string(direction.rawValue) }
        if let handle { params["handle"] = .string(handle) }
        return params
    }

    init(params: JSONObject) throws(ControlError) {
        var direction: CallDirection?
        if let word = try params.optionalString("direction") {
            direction = CallDirection(rawValue: word)
            guard direction != nil else { throw .invalidParams("direction is \"incoming\" or \"outgoing\"") }
        }
        self.init(
            limit: try params.optionalInteger("limit", in: 1...Self.maximumLimit) ?? 50,
            before: try params.optionalCallID("before"), missedOnly: try params.optionalBoolean("missed") ?? false,
            direction: direction, handle: try params.optionalString("handle"))
    }
}
