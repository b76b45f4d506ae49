public import MediaDescription

/// Follows how a call sounds at our end, and notices when it becomes bad and good again. Instants are nanoseconds of one
/// clock.
public struct QualityMeter: Sendable {
    /// What has been counted since the call began, and the delay now.
    public struct Figures: Sendable, Hashable {
        /// Packets whose time to be heard has come.
        public var due = 0
        /// Packets of these that were missing then.
        public var missing = 0
        /// Packets that are known to have been sent, or must have been, while nothing came at all.
        public var awaited = 0
        /// See `EModel`.
        public var burstRatio = 1.0
        /// Mouth to ear, in milliseconds.
        public var delay = 0.0

        public init(due: Int = 0, missing: Int = 0, awaited: Int = 0, burstRatio: Double = 1, delay: Double = 0) {
            self.due = due
            self.missing = missing
            self.awaited = awaited
            self.burstRatio = burstRatio
            self.delay = delay
        }
    }

    /// Something to tell.
    public enum Change: Sendable, Hashable {
        /// The mean opinion score has fallen below `lowMark`.
        case becamePoor
        /// It is above `highMark` again.
        case recovered
    }

    /// Below it many users are dissatisfied (R 60, ITU-T G.109).
    public static let lowMark = 3.1
    /// Above it only some are (R 70).
    public static let highMark = 3.6
    /// Nothing more is told for this long after something was, in nanoseconds.
    public static let quiet: UInt64 = 10_000_000_000
    /// Packets that make a measurement; fewer are counted with the next ones.
    static let leastPackets = 25

    /// Of the last few seconds; nil before the first measurement.
    public private(set) var recent: Double?
    /// Over the whole call; nil before the first measurement.
    public var mean: Double? { measured > 0 ? sum / Double(measured) : nil }
    /// The worst few seconds.
    public private(set) var lowest: Double?
    public private(set) var isPoor = false

    /// Which is heard.
    public var codec: Codec
    private var last: Figures?
    /// Awaited packets that were judged as missing, and that are counted as such once more when something comes.
    private var judged = 0
    private var sum = 0.0
    private var measured = 0
    private var toldAt: UInt64?

    public init(codec: Codec) { self.codec = codec }

    /// Takes the figures as they are now: every second or two.
    public mutating func take(_ figures: Figures, at now: UInt64) -> Change? {
        guard let before = last, figures.due >= before.due, figures.missing >= before.missing else {
            last = figures
            return nil
        }
        let due = figures.due - before.due
        guard due >= Self.leastPackets else { return takeOutage(figures, since: before, at: now) }
        last = figures
        let missing = figures.missing - before.missing
        let known = min(judged, missing)
        judged = 0
        guard due > known else { return nil }
        return measure(Double(missing - known) / Double(due - known), of: due - known, figures, at: now)
    }

    /// Nothing is played: a pause, or all of it is missing.
    private mutating func takeOutage(_ figures: Figures, since before: Figures, at now: UInt64) -> Change? {
        let awaited = figures.awaited - before.awaited
        guard awaited >= Self.leastPackets else { return nil }
        last?.awaited = figures.awaited
        judged += awaited
        return measure(1, of: awaited, figures, at: now)
    }

    private mutating func measure(_ missing: Double, of due: Int, _ figures: Figures, at now: UInt64) -> Change? {
        let loss = min(1, missing)
        let rating = EModel.rating(
            delay: figures.delay, loss: loss, burstRatio: figures.burstRatio, codec: codec)
        let score = EModel.meanOpinionScore(rating: rating)
        let smooth = recent.map { $0 + 0.4 * (score - $0) } ?? score
        recent = smooth
        lowest = min(lowest ?? smooth, smooth)
        sum += score * Double(due)
        measured += due
        return judge(smooth, at: now)
    }

    private mutating func judge(_ score: Double, at now: UInt64) -> Change? {
        if let toldAt, now &- toldAt < Self.quiet { return nil }
        guard isPoor ? score > Self.highMark : score < Self.lowMark else { return nil }
        isPoor.toggle()
        toldAt = now
        return isPoor ? .becamePoor : .recovered
    }
}
