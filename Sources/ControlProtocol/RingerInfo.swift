/// Whether the ringer may sound: the result of `ringer.set`.
public struct RingerInfo: Sendable, Hashable {
    /// Calls that come in are shown, and no device rings.
    public var silent: Bool
    /// Where it was set: whether it is still so after a restart.
    public var saved: Bool?

    public init(silent: Bool, saved: Bool? = nil) {
        self.silent = silent
        self.saved = saved
    }

    public var json: JSONValue {
        var members: JSONObject = ["silent": .bool(silent)]
        if let saved { members["saved"] = .bool(saved) }
        return .object(members)
    }

    public init?(json: JSONValue) {
        guard let silent = json["silent"]?.bool else { return nil }
        self.init(silent: silent, saved: json["saved"]?.bool)
    }
}
