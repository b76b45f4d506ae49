/// Whether the ringer may sound: the result of `ringer.set`.
public struct RingerInfo: Sendable, Hashable {
    /// Calls that come in are shown, and no device rings.
    public var silent: Bool

    public init(silent: Bool) { self.silent = silent }

    public var json: JSONValue { ["silent": .bool(silent)] }

    public init?(json: JSONValue) {
        guard let silent = json["silent"]?.bool else { return nil }
        self.init(silent: silent)
    }
}
