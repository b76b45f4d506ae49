/// Tells bursts of loss from loss that stands alone (RFC 3611 §4.7.2): losses with fewer than 16 packets in sequence between
/// them are of one burst. Counts since the beginning.
public struct BurstGapCounter: Hashable, Sendable {
    /// Gmin, as the RFC recommends it.
    public static let minimumGap = 16

    /// Packets, those missing included.
    public private(set) var packets = 0
    /// Packets that are missing.
    public private(set) var missing = 0
    /// Stretches of missing packets that follow each other.
    public private(set) var runs = 0
    public private(set) var bursts = 0
    /// Packets within bursts, from the first to the last that is missing.
    public private(set) var burstPackets = 0
    public private(set) var burstMissing = 0

    /// Packets that came since one was missing.
    private var cameSince = Int.max
    /// Of the losses that are near to each other: how many, and from the first to the last.
    private var nearMissing = 0
    private var nearPackets = 0

    public init() {}

    /// Counts the next packet of the sequence.
    public mutating func count(isMissing: Bool) {
        packets += 1
        guard isMissing else {
            if cameSince != .max { cameSince += 1 }
            return
        }
        missing += 1
        if cameSince != 0 { runs += 1 }
        if cameSince >= Self.minimumGap {
            (nearMissing, nearPackets) = (1, 1)
        } else {
            let step = cameSince + 1
            if nearMissing == 1 {
                bursts += 1
                burstMissing += 1
                burstPackets += 1
            }
            nearMissing += 1
            nearPackets += step
            burstMissing += 1
            burstPackets += step
        }
        cameSince = 0
    }

    /// Share of packets missing within bursts and outside them, 0...1.
    public var burstDensity: Double { burstPackets > 0 ? Double(burstMissing) / Double(burstPackets) : 0 }
    public var gapDensity: Double {
        packets > burstPackets ? Double(missing - burstMissing) / Double(packets - burstPackets) : 0
    }

    /// Mean lengths, in packets. Without a burst all is one gap.
    public var meanBurst: Double { bursts > 0 ? Double(burstPackets) / Double(bursts) : 0 }
    public var meanGap: Double { Double(packets - burstPackets) / Double(max(1, bursts)) }

    /// How much longer the stretches of loss are than they would be by chance (BurstR of ITU-T G.107), at least 1.
    public var burstRatio: Double {
        guard missing > 0, runs > 0, packets > missing else { return 1 }
        let share = Double(missing) / Double(packets)
        return max(1, Double(missing) / Double(runs) * (1 - share))
    }
}
