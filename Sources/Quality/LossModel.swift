/// Loss as a chain of two states: in the bad one all is lost, in the good one nothing. Two figures say how much is lost, and
/// how much of it in a row.
public struct LossModel: Sendable, Hashable {
    /// Share of the packets that is lost, 0...1.
    public private(set) var loss = 0.0
    /// Share of the packets after a lost one that is lost, too, 0...1.
    public private(set) var repeated = 0.0

    /// Losses, and those of them that follow another one, of late, where the receiver says which.
    private var losses = 0.0
    private var repeats = 0.0
    /// Packets sent and lost in the last intervals of which only that is known.
    private var intervals: [(sent: Double, lost: Double)] = []
    private static let memory = 8
    /// Packets sent and lost of late. Those before the first report are taken to have come: a few are no rate.
    private var sentLately = 100.0
    private var lostLately = 0.0
    /// Packets, after which two thirds of what was known are forgotten: 10 s of packets of 20 ms.
    private static let forgetting = 500.0

    public init() {}

    public static func == (one: LossModel, other: LossModel) -> Bool {
        (one.loss, one.repeated) == (other.loss, other.repeated)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(loss)
        hasher.combine(repeated)
    }

    /// Takes what came of the last `sent` packets.
    ///
    /// - Parameters:
    ///   - pattern: which of them came, where the receiver says so.
    ///   - burstDensity: share lost within bursts (RFC 3611 §4.7.2), where it says that.
    public mutating func take(sent: Int, lost: Double, pattern: [Bool]?, burstDensity: Double?) {
        guard sent > 0 else { return }
        let share = min(max(lost, 0), 1)
        follow(Double(sent), lost: Double(sent) * share)
        intervals.append((Double(sent), Double(sent) * share))
        if intervals.count > Self.memory { intervals.removeFirst() }
        if let pattern {
            take(pattern)
            // One pair is no habit: by chance there is one now and then.
            repeated = (max(repeats - 1, 0) + 4 * loss) / (losses + 4)
        } else {
            losses = 0
            // Within bursts of losses that only stand near each other, about a quarter is lost.
            let dense = burstDensity.map { max(0, ($0 - 0.25) / 0.75) }
            repeated = max(loss, dense ?? 0, scattered)
        }
        repeated = max(loss, min(repeated, 0.95))
    }

    private mutating func follow(_ sent: Double, lost: Double) {
        // A network that has become worse is so from now on; one that has become better may be so for a moment.
        let isWorse = lost >= 3 && lost * sentLately > 1.5 * lostLately * sent
        let kept = isWorse ? 0.25 : Self.forgetting / (Self.forgetting + sent)
        sentLately = sentLately * kept + sent
        lostLately = lostLately * kept + lost
        loss = lostLately / sentLately
    }

    private mutating func take(_ pattern: [Bool]) {
        let forget = min(1, Double(pattern.count) / 500)
        losses *= 1 - forget / 2
        repeats *= 1 - forget / 2
        for index in pattern.indices where !pattern[index] {
            losses += 1
            if index > 0, !pattern[index - 1] { repeats += 1 }
        }
    }

    /// What the differences between intervals say: losses in a row make the counts vary more than chance would.
    private var scattered: Double {
        let sent = intervals.reduce(0) { $0 + $1.sent }
        let share = sent > 0 ? intervals.reduce(0) { $0 + $1.lost } / sent : 0
        guard intervals.count >= 4, share > 0.01, share < 1 else { return 0 }
        let squares = intervals.reduce(0) { sum, interval in
            let difference = interval.lost - interval.sent * share
            return sum + difference * difference / (interval.sent * share * (1 - share))
        }
        let dispersion = squares / Double(intervals.count - 1)
        guard dispersion > 1 else { return 0 }
        let memory = (dispersion - 1) / (dispersion + 1)
        return share + (1 - share) * memory
    }

    /// What a way of sending leaves of such loss; see `LossHistory`.
    func residue(distances: [Int], corrected: Bool) -> Residue {
        let copied = missing(withCopiesAt: distances)
        guard corrected else { return Residue(missing: copied, mended: 0) }
        let missing = missing(withCopiesAt: Array(Set(distances + [1])).sorted())
        return Residue(missing: missing, mended: max(0, copied - missing))
    }

    /// The share of packets of which neither the packet itself comes nor any of those at `distances` after it, ascending.
    public func missing(withCopiesAt distances: [Int]) -> Double {
        let memory = loss < 1 ? max(0, (repeated - loss) / (1 - loss)) : 1
        var probability = loss
        var before = 0
        for distance in distances where distance > before {
            var fading = 1.0
            for _ in before..<distance { fading *= memory }
            probability *= loss + (1 - loss) * fading
            before = distance
        }
        return probability
    }
}
