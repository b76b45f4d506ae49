internal import Realtime

/// How long something took in the turns of a session: bounds that so many of 100 did not exceed, in microseconds.
public struct LoopTimes: Sendable, Hashable {
    public var median = 0
    public var p99 = 0
    public var p999 = 0
    public var longest = 0

    public init() {}

    init(_ statistics: borrowing TurnStatistics) {
        median = statistics.quantileMicroseconds(0.5)
        p99 = statistics.quantileMicroseconds(0.99)
        p999 = statistics.quantileMicroseconds(0.999)
        longest = statistics.longestMicroseconds
    }
}
