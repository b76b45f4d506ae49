/// When the next RTCP report is due (RFC 3550 §6.2, §6.3, A.7), for a session of two. Instants are nanoseconds of one
/// clock.
public struct RTCPSchedule: Sendable {
    /// RTCP's share of the session's bandwidth, in octets a second.
    public var bandwidth: Double
    /// Least time between two reports, in seconds: 5, if nobody has agreed on something else.
    public var minimumInterval: Double
    /// Participants, ourselves included.
    public var members = 1
    /// Participants that have sent RTP since the report before the last.
    public var senders = 0
    public var weSent = false
    private var averageSize: Double
    private var lastReport: UInt64
    public private(set) var due: UInt64

    /// The first report of a session of two may leave at once (RFC 3550 §6.2).
    public init(start: UInt64, bandwidth: Double, minimumInterval: Double = 5, firstSize: Int = 100) {
        self.bandwidth = max(1, bandwidth)
        self.minimumInterval = minimumInterval
        averageSize = Double(firstSize)
        lastReport = start
        due = start
    }

    /// Counts a compound packet, sent or received; `size` with its UDP and IP headers.
    public mutating func count(size: Int) { averageSize += (Double(size) - averageSize) / 16 }

    /// The time between reports before it is randomised, in seconds.
    public var deterministicInterval: Double {
        var share = bandwidth
        var sharers = members
        if senders > 0, Double(senders) <= Double(members) * 0.25 {
            share *= weSent ? 0.25 : 0.75
            sharers = weSent ? senders : members - senders
        }
        return max(minimumInterval, averageSize * Double(sharers) / share)
    }

    /// What is to be done when `due` has come: true where a report is to leave now. A new time was set either way.
    ///
    /// `random` is uniform in 0..<1, a new one each time.
    public mutating func expire(at now: UInt64, random: Double) -> Bool {
        // The constant, e - 3/2, makes up for the reconsideration's bias (RFC 3550 §6.3.1).
        let interval = UInt64(max(0, deterministicInterval * (0.5 + random) / 1.21828) * 1e9)
        let first = due == lastReport
        guard first || lastReport &+ interval <= now else {
            due = lastReport &+ interval
            return false
        }
        lastReport = now
        due = now &+ max(interval, 1)
        return true
    }
}
