/// What is counted of one source's packets for reception reports (RFC 3550 §6.4.1, A.3, A.8).
public struct ReceptionStatistics: Hashable, Sendable {
    /// Packets received since the sequence began, duplicates included.
    public private(set) var received = 0
    private var base: Int64
    private var highest: Int64
    private var expectedBefore = 0
    private var receivedBefore = 0
    private var jitterTimes16: Int64 = 0
    private var transit: UInt32?
    /// In units of the RTP clock: one second. What takes so much longer or shorter than the packet before it does so since the
    /// timestamps have jumped.
    private let longestJitter: Int
    /// What was lost of sequences that have ended by a restart.
    private var formerLoss = 0

    /// Begins with the packet `first`. `clockRate` in Hz.
    public init(first: SequenceNumber, clockRate: Int) {
        longestJitter = max(1, clockRate)
        base = Int64(first.rawValue)
        highest = base
    }

    /// Begins a new sequence of the same source; loss counted so far is kept.
    public mutating func restart(at number: SequenceNumber) {
        formerLoss = lost
        base = Int64(number.rawValue)
        highest = base
        (received, expectedBefore, receivedBefore, transit) = (0, 0, 0, nil)
    }

    /// Counts a valid packet. `arrival` is its time in units of its RTP clock, from any origin.
    ///
    /// `contributesToJitter` is false for packets whose timestamp is not their sending time, such as RFC 4733 events.
    public mutating func receive(
        _ number: SequenceNumber, timestamp: UInt32, arrival: UInt32, contributesToJitter: Bool = true
    ) {
        received += 1
        let last = SequenceNumber(rawValue: UInt16(truncatingIfNeeded: highest))
        highest = max(highest, highest &+ Int64(last.distance(to: number)))
        guard contributesToJitter else { return }
        let now = arrival &- timestamp
        if let transit {
            let difference = abs(timestampDistance(from: transit, to: now))
            if difference <= longestJitter { jitterTimes16 += Int64(difference) - ((jitterTimes16 + 8) >> 4) }
        }
        transit = now
    }

    /// The highest sequence number received, with the count of wraps above it, as reports carry it.
    public var extendedHighest: UInt32 { UInt32(truncatingIfNeeded: highest) }

    /// Packets expected minus packets received: negative with duplicates.
    public var lost: Int { formerLoss + expected - received }

    /// Interarrival jitter in units of the RTP clock.
    public var jitter: UInt32 { UInt32(clamping: jitterTimes16 >> 4) }

    private var expected: Int { Int(highest - base) + 1 }

    /// The report on what came since the last call.
    ///
    /// `lastReport` is the middle of the NTP time of the source's last SR, `delay` the time since, in 1/65536 s.
    public mutating func makeReport(source: UInt32, lastReport: UInt32, delay: UInt32) -> ReportBlock {
        let expectedSince = expected - expectedBefore
        let lostSince = expectedSince - (received - receivedBefore)
        (expectedBefore, receivedBefore) = (expected, received)
        let fraction = expectedSince > 0 && lostSince > 0 ? min(255, (lostSince << 8) / expectedSince) : 0
        return ReportBlock(
            source: source, fractionLost: UInt8(fraction), cumulativeLost: min(max(lost, -0x80_0000), 0x7F_FFFF),
            extendedHighest: extendedHighest, jitter: jitter, lastSenderReport: lastReport,
            delaySinceLastSenderReport: delay)
    }
}
