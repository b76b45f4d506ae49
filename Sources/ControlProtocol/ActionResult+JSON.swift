public import CallModel

extension ActionResult {
    public var json: JSONValue {
        var object: JSONObject = [
            "call": call.json, "changed": .bool(changed), "elapsedMs": JSONValue(thousandths: elapsedMs),
        ]
        if let appliedMs { object["appliedMs"] = JSONValue(thousandths: appliedMs) }
        if let peerNotified { object["peerNotified"] = .bool(peerNotified) }
        return .object(object)
    }

    public init?(json: JSONValue) {
        guard let call = json["call"].flatMap(CallSnapshot.init(json:)), let changed = json["changed"]?.bool,
            let elapsedMs = json["elapsedMs"]?.double
        else { return nil }
        self.init(
            call: call, changed: changed, elapsedMs: elapsedMs, appliedMs: json["appliedMs"]?.double,
            peerNotified: json["peerNotified"]?.bool)
    }
}

/// One action of a transaction that has come to its end.
public struct TransactionEntry: Sendable, Hashable {
    public var method: ControlMethod
    public var fulfilled: Bool
    /// Why it failed; nil where it is fulfilled.
    public var reason: String?
    /// For people, where it failed.
    public var message: String?
    public var sipStatus: Int?
    public var call: CallSnapshot?
    /// Milliseconds from the request read to the action's end, or to that of its undoing.
    public var elapsedMs: Double
    /// Whether it had been fulfilled and was undone, because a later one failed.
    public var undone = false

    public init(_ report: ActionReport) {
        method = report.request.method
        elapsedMs = report.elapsedMs
        undone = report.isUndone
        switch report.result {
        case .success(let result):
            fulfilled = true
            call = result.call
        case .failure(let error):
            fulfilled = false
            reason = error.reason.rawValue
            message = error.message
            sipStatus = error.sipStatus
        }
    }

    public var json: JSONValue {
        var object: JSONObject = ["method": .string(method.rawValue), "fulfilled": .bool(fulfilled)]
        if let reason { object["reason"] = .string(reason) }
        if let message { object["message"] = .string(message) }
        if let sipStatus { object["sipStatus"] = JSONValue(sipStatus) }
        if let call { object["call"] = call.json }
        if undone { object["undone"] = .bool(true) }
        object["elapsedMs"] = JSONValue(thousandths: elapsedMs)
        return .object(object)
    }

    public init?(json: JSONValue) {
        guard let method = json["method"]?.string.flatMap(ControlMethod.init(rawValue:)),
            let fulfilled = json["fulfilled"]?.bool
        else { return nil }
        self.method = method
        self.fulfilled = fulfilled
        reason = json["reason"]?.string
        message = json["message"]?.string
        sipStatus = json["sipStatus"]?.integer
        call = json["call"].flatMap(CallSnapshot.init(json:))
        elapsedMs = json["elapsedMs"]?.double ?? 0
        undone = json["undone"]?.bool ?? false
    }
}
