public import MediaDescription

/// Decides from the peer's reports how we send: the loss that the encoder protects against, its bit rate, and which earlier
/// packets go along. Instants are nanoseconds of one clock.
public struct SendControl: Sendable {
    /// Between what it may decide.
    public struct Limits: Sendable, Hashable {
        /// Of the encoder, in bit/s: what is configured, and what the peer wants at most.
        public var bitRate: Int
        /// Of encoder and redundancy together, in bit/s; nil: the peer sets none.
        public var totalBitRate: Int?
        /// Whether the encoder's own forward error correction is on.
        public var inBandFEC: Bool
        /// When earlier packets are sent again; `off` where the peer does not take them.
        public var redundancy: RedundancyPolicy
        /// Length of a packet.
        public var packetMilliseconds: Int

        public init(
            bitRate: Int = 28_000, totalBitRate: Int? = nil, inBandFEC: Bool = true,
            redundancy: RedundancyPolicy = .off, packetMilliseconds: Int = 20
        ) {
            self.bitRate = max(6_000, bitRate)
            self.totalBitRate = totalBitRate
            self.inBandFEC = inBandFEC
            self.redundancy = redundancy
            self.packetMilliseconds = max(1, packetMilliseconds)
        }
    }

    /// How to send.
    public struct Plan: Sendable, Hashable {
        /// 0...30 percent.
        public var expectedLossPercent: Int
        /// Of the encoder, in bit/s.
        public var bitRate: Int
        /// How many packets back the sound lies that goes along; empty: none does.
        public var distances: [Int]

        public init(expectedLossPercent: Int, bitRate: Int, distances: [Int]) {
            self.expectedLossPercent = expectedLossPercent
            self.bitRate = bitRate
            self.distances = distances
        }
    }

    /// What the peer says of our packets.
    public struct Report: Sendable, Hashable {
        /// Packets since its last report.
        public var sent: Int
        /// Share of them that was lost, 0...1.
        public var lost: Double
        /// In milliseconds; nil where it is not known.
        public var roundTrip: Double?
        /// Which of them came (RFC 3611 §4.1); nil where it does not say.
        public var pattern: [Bool]?
        /// See `LossModel`.
        public var burstDensity: Double?

        public init(
            sent: Int, lost: Double, roundTrip: Double? = nil, pattern: [Bool]? = nil, burstDensity: Double? = nil
        ) {
            self.sent = sent
            self.lost = lost
            self.roundTrip = roundTrip
            self.pattern = pattern
            self.burstDensity = burstDensity
        }
    }

    /// Never less than this is protected against: without any there is no correction of the first loss.
    public static let leastExpectedLoss = 5
    /// Redundancy is of use only as long as the receiver waits for it.
    static let longestReach = 80
    /// An encoder below this spoils more than redundancy mends, in bit/s.
    static let leastBitRateWithRedundancy = 12_000
    /// Redundancy begins where more than this share of the sound would be spoilt without, and is needed no more below the
    /// other.
    static let beginImpairment = 0.025
    static let endImpairment = 0.015
    /// Redundancy goes on for this long after it was last needed, in nanoseconds.
    static let redundancyHold: UInt64 = 20_000_000_000
    /// Reports on fewer packets than this say nothing.
    static let leastPackets = 20

    public private(set) var plan: Plan
    public private(set) var model = LossModel()
    private var limits: Limits
    private var lowerReports = 0
    private var congestion: Congestion
    private var neededAt: UInt64?
    private var askedBefore = false

    public init(_ limits: Limits) {
        self.limits = limits
        congestion = Congestion()
        plan = Plan(expectedLossPercent: Self.leastExpectedLoss, bitRate: limits.bitRate, distances: [])
        settle(at: 0)
    }

    /// Goes on between other limits; what was learnt of the network is kept.
    public mutating func change(_ limits: Limits, at now: UInt64) {
        self.limits = limits
        settle(at: now)
    }

    /// Takes a report. Returns whether the plan is another one.
    @discardableResult
    public mutating func take(_ report: Report, at now: UInt64) -> Bool {
        guard report.sent >= Self.leastPackets else { return false }
        let before = plan
        model.take(
            sent: report.sent, lost: report.lost, pattern: report.pattern, burstDensity: report.burstDensity)
        congestion.take(loss: model.loss, roundTrip: report.roundTrip, at: now)
        expect()
        settle(at: now)
        return plan != before
    }

    // MARK: Expected loss

    /// Up at once, down only after two reports that allow it, and in steps: each change shifts bits between sound and
    /// correction.
    private mutating func expect() {
        let steps = [Self.leastExpectedLoss, 10, 15, 20, 30]
        let wanted = model.loss * 100
        let up = steps.first { Double($0) >= wanted } ?? 30
        if up > plan.expectedLossPercent {
            plan.expectedLossPercent = up
            lowerReports = 0
        } else if let down = steps.last(where: { $0 < plan.expectedLossPercent }), wanted <= Double(down) - 1 {
            lowerReports += 1
            if lowerReports >= 2 {
                plan.expectedLossPercent = down
                lowerReports = 0
            }
        } else {
            lowerReports = 0
        }
    }

    // MARK: Redundancy and bit rate

    private mutating func settle(at now: UInt64) {
        plan.distances = distances(at: now)
        let share = 1 + plan.distances.count
        var rate = Int(Double(limits.bitRate) * congestion.factor)
        if let total = limits.totalBitRate { rate = min(rate, total / share) }
        // In steps of 500 bit/s, so that the encoder is not told of every breath.
        plan.bitRate = max(6_000, min(rate / 500 * 500, limits.bitRate))
    }

    private mutating func distances(at now: UInt64) -> [Int] {
        guard limits.redundancy != .off, !congestion.isOn else { return [] }
        let plain = impairment([])
        let isOn = !plan.distances.isEmpty
        let asks = plain > (isOn ? Self.endImpairment : Self.beginImpairment)
        // What is little more than the codec mends may be chance, and is asked for twice.
        if asks, isOn || askedBefore || plain > 2 * Self.beginImpairment { neededAt = now }
        askedBefore = asks
        let isNeeded = neededAt.map { now &- $0 < Self.redundancyHold } ?? false
        guard isNeeded || limits.redundancy == .on else { return [] }
        let candidates = affordable
        guard let best = candidates.map(impairment).min() else { return [] }
        // The shortest reach, and the fewest copies, that come near to what the best would do.
        let enough = max(best * 1.35, 0.003, plain * 0.1)
        return candidates.first { impairment($0) <= enough } ?? []
    }

    /// One copy at each distance within reach, then two, where the bit rate allows them.
    private var affordable: [[Int]] {
        let reach = min(Self.longestReach / limits.packetMilliseconds, 8)
        func fits(_ copies: Int) -> Bool {
            guard let total = limits.totalBitRate else { return true }
            return total / (1 + copies) >= Self.leastBitRateWithRedundancy
        }
        guard fits(1) else { return [] }
        // Packets longer than the reach are followed by the next one at least.
        let single = (1...max(1, reach)).map { [$0] }
        guard fits(2), reach >= 2 else { return single }
        return single + [[max(1, reach / 2), reach]]
    }

    /// What is missing at the receiver, and a part of what the encoder's own correction mends, which sounds worse.
    private func impairment(_ distances: [Int]) -> Double {
        let copies = model.missing(withCopiesAt: distances)
        guard limits.inBandFEC else { return copies }
        let corrected = model.missing(withCopiesAt: Array(Set(distances + [1])).sorted())
        return corrected + 0.25 * (copies - corrected)
    }
}
