/// Notices when a source's timestamps leave the course of time, as after a transfer or an un-park, so that playout
/// starts anew instead of waiting for, or throwing away, everything that follows.
public struct TimestampWatch: Sendable {
    public enum Verdict: Hashable, Sendable {
        case steady
        /// Far ahead of time, for now taken as garbage: `jumped` follows where the next packet confirms it.
        case suspect
        /// This packet is the first of a new course.
        case jumped
    }

    /// Deviations up to this are the network's or a clock's.
    public static let toleranceSeconds: Int64 = 1
    /// Packets behind time are also what a stalled network delivers in one burst; those that stay behind for this many
    /// nanoseconds are a jump.
    public static let patience: UInt64 = 100_000_000

    private let clockRate: Int64
    private var reference: (timestamp: UInt32, arrival: UInt64)?
    private var ahead: UInt32?
    private var behindSince: UInt64?

    /// `clockRate` in Hz.
    public init(clockRate: Int) { self.clockRate = Int64(max(1, clockRate)) }

    /// Judges the next packet in sequence; reordered ones are not shown. `arrival` in nanoseconds, never going back.
    public mutating func receive(timestamp: UInt32, arrival: UInt64) -> Verdict {
        guard let last = reference else {
            reference = (timestamp, arrival)
            return .steady
        }
        let elapsed = Int64(clamping: arrival &- last.arrival)
        // 32 bits of timestamp say nothing about pauses longer than half their circle.
        let elapsedUnits = Int32(truncatingIfNeeded: elapsed / 1_000_000 * clockRate / 1_000)
        let deviation = Int64(
            Int32(
                truncatingIfNeeded: Int64(timestampDistance(from: last.timestamp, to: timestamp)) - Int64(elapsedUnits))
        )
        let limit = clockRate * Self.toleranceSeconds
        if abs(deviation) <= limit { return follow(timestamp, arrival, .steady) }
        if deviation > limit {
            behindSince = nil
            if let ahead, abs(timestampDistance(from: ahead, to: timestamp)) <= Int(limit) {
                return follow(timestamp, arrival, .jumped)
            }
            ahead = timestamp
            return .suspect
        }
        ahead = nil
        guard let since = behindSince else {
            behindSince = arrival
            return .steady
        }
        return arrival &- since >= Self.patience ? follow(timestamp, arrival, .jumped) : .steady
    }

    private mutating func follow(_ timestamp: UInt32, _ arrival: UInt64, _ verdict: Verdict) -> Verdict {
        reference = (timestamp, arrival)
        ahead = nil
        behindSince = nil
        return verdict
    }
}
