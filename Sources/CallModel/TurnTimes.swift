/// Bounds that so many of 100 turns of the audio loop did not exceed, in microseconds.
public struct TurnTimes: Sendable, Hashable {
    public var median = 0.0
    public var p99 = 0.0
    public var p999 = 0.0
    public var longest = 0.0

    public init() {}
}
