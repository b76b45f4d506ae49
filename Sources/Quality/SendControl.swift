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
        /// For the encoder: 0 where its forward error correction is of no use, else `correctedLoss`.
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

    /// What an encoder is told that is to correct: the least that it takes. To one that expects more, libopus gives fewer bits
    /// for the sound itself, and mends no better.
    public static let correctedLoss = 1
    /// Redundancy is of use only as long as the receiver waits for it, in milliseconds.
    static let longestReach = 80
    /// An encoder below this spoils more than redundancy mends, in bit/s.
    static let leastBitRateWithRedundancy = 12_000
    /// An encoder below this makes no correction, in bit/s.
    static let leastBitRateWithCorrection = 20_000

    /// What a way of sending costs beside what it leaves missing, as points of the mean opinion score.
    enum Price {
        /// Of the first copy, and of the second beside it: each takes the bit rate once more.
        static let firstCopy = 0.12
        static let secondCopy = 0.25
        /// Of the codec's own correction: sound above 8 kHz is left out for it, and some of what is below.
        static let correction = 0.15
        /// Of a millisecond that the receiver waits for a copy.
        static let millisecond = 0.002
        /// Another way must be better by so much: each change is heard, where the receiver has to wait longer for it.
        static let change = 0.12
    }
    /// Reports on fewer packets than this say nothing.
    static let leastPackets = 20

    public private(set) var plan: Plan
    public private(set) var model = LossModel()
    private var history = LossHistory()
    /// Reports in a row that did not say which packets came.
    private var unspecificReports = 0
    private var limits: Limits
    private var congestion = Congestion()

    public init(_ limits: Limits) {
        self.limits = limits
        plan = Plan(expectedLossPercent: 0, bitRate: limits.bitRate, distances: [])
        settle()
    }

    /// Goes on between other limits; what was learnt of the network is kept.
    public mutating func change(_ limits: Limits) {
        self.limits = limits
        settle()
    }

    /// Takes a report. Returns whether the plan is another one.
    @discardableResult
    public mutating func take(_ report: Report, at now: UInt64) -> Bool {
        guard report.sent >= Self.leastPackets else { return false }
        let before = plan
        model.take(
            sent: report.sent, lost: report.lost, pattern: report.pattern, burstDensity: report.burstDensity)
        remember(report.pattern)
        congestion.take(loss: model.loss, roundTrip: report.roundTrip, at: now)
        settle()
        return plan != before
    }

    /// What was known packet by packet is of no use once the peer no longer says it.
    private mutating func remember(_ pattern: [Bool]?) {
        unspecificReports = pattern == nil ? unspecificReports + 1 : 0
        if let pattern { history.take(pattern) } else if unspecificReports >= 3 { history = LossHistory() }
    }

    /// A way of sending.
    private struct Way: Hashable {
        var distances: [Int] = []
        var corrected = false
    }

    private mutating func settle() {
        let current = Way(distances: plan.distances, corrected: plan.expectedLossPercent > 0)
        let ways = possibleWays
        let best = ways.min { cost($0) < cost($1) } ?? Way()
        let way = ways.contains(current) && cost(current) <= cost(best) + Price.change ? current : best
        plan = Plan(
            expectedLossPercent: way.corrected ? Self.correctedLoss : 0, bitRate: bitRate(copies: way.distances.count),
            distances: way.distances)
    }

    /// What the encoder may use beside so many copies.
    private func bitRate(copies: Int) -> Int {
        var rate = Int(Double(limits.bitRate) * congestion.factor)
        if let share = share(copies: copies) { rate = min(rate, share) }
        // In steps of 500 bit/s, so that the encoder is not told of every breath.
        return max(6_000, min(rate / 500 * 500, limits.bitRate))
    }

    /// All that the limits and the network allow, with and without correction.
    private var possibleWays: [Way] {
        copies.flatMap { distances in
            let corrects = limits.inBandFEC && bitRate(copies: distances.count) >= Self.leastBitRateWithCorrection
            return [Way(distances: distances)] + (corrects ? [Way(distances: distances, corrected: true)] : [])
        }
    }

    /// No copy, one at each distance within reach, then two, where the bit rate allows them.
    private var copies: [[Int]] {
        // Packets longer than the reach are followed by the next one at least.
        let reach = max(1, min(Self.longestReach / limits.packetMilliseconds, 8))
        guard limits.redundancy != .off, !congestion.isOn, fits(1) else { return [[]] }
        let single = (limits.redundancy == .on ? [] : [[]]) + (1...reach).map { [$0] }
        guard fits(2), reach >= 2 else { return single }
        return single + (1..<reach).flatMap { first in (first + 1...reach).map { [first, $0] } }
    }

    private func fits(_ copies: Int) -> Bool {
        share(copies: copies).map { $0 >= Self.leastBitRateWithRedundancy } ?? true
    }

    /// What the peer's bandwidth leaves for one sound of several in a packet: each but the last has a header of four octets,
    /// the last one of one (RFC 2198 §3). nil where the peer sets no limit.
    private func share(copies: Int) -> Int? {
        guard let total = limits.totalBitRate else { return nil }
        let headers = copies > 0 ? (4 * copies + 1) * 8 * 1_000 / limits.packetMilliseconds : 0
        return max(0, total - headers) / (1 + copies)
    }

    /// What is heard of the loss in spite of it, and what it costs itself, as points of the mean opinion score.
    private func cost(_ way: Way) -> Double {
        let expected = model.residue(distances: way.distances, corrected: way.corrected)
        let residue =
            history.residue(distances: way.distances, corrected: way.corrected, expected: expected) ?? expected
        let copies = [0, Price.firstCopy, Price.firstCopy + Price.secondCopy][min(way.distances.count, 2)]
        let wait = Double((way.distances.max() ?? 0) * limits.packetMilliseconds)
        return residue.impairment + copies + (way.corrected ? Price.correction : 0) + wait * Price.millisecond
    }
}
