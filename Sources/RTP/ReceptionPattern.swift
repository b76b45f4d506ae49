/// Which packets of a source have come, decided once the network has had its time to bring those that were overtaken.
public struct ReceptionPattern: Sendable {
    /// A packet that is this many numbers behind the newest has had its time.
    public static let patience = 32
    /// Packets that are remembered for the next report, at most.
    private static let maximumRemembered = 1_024

    /// What is missing for the ear: neither came, nor was recovered, in time.
    public private(set) var heard = BurstGapCounter()
    /// Packets of `heard` that came too late.
    public private(set) var discarded = 0

    private var newest: Int64
    /// Bit n: the packet n numbers behind the newest has come, or was recovered from a later one.
    private var came: UInt64 = 1
    private var recovered: UInt64 = 0
    /// Packets that are not older than the first.
    private var followed = 1
    /// Packets known to have come too late, and not yet counted as missing.
    private var owedDiscards = 0
    /// What was decided since the last report.
    private var decided: [Bool] = []

    /// Begins with the packet `first`.
    public init(first: SequenceNumber) { newest = Int64(first.rawValue) }

    /// The same source goes on with other numbers.
    public mutating func restart(at number: SequenceNumber) {
        newest = Int64(number.rawValue)
        (came, recovered, followed, decided) = (1, 0, 1, [])
    }

    public mutating func receive(_ number: SequenceNumber) { mark(number, isRecovered: false) }

    /// A later packet has brought this one.
    public mutating func recover(_ number: SequenceNumber) { mark(number, isRecovered: true) }

    /// So many packets came too late to be played. Which ones is not known here; they stand for the next that came.
    public mutating func discard(_ count: Int) { owedDiscards = min(owedDiscards + max(0, count), 1_000) }

    private mutating func mark(_ number: SequenceNumber, isRecovered: Bool) {
        let last = SequenceNumber(rawValue: UInt16(truncatingIfNeeded: newest))
        let step = last.distance(to: number)
        if step > 0 {
            guard !isRecovered else { return }
            for _ in 0..<min(step, SourceValidator.maximumDropout) { advance() }
            newest += Int64(step)
            came |= 1
        } else if -step < Self.patience {
            if isRecovered { recovered |= 1 << UInt64(-step) } else { came |= 1 << UInt64(-step) }
        }
    }

    private mutating func advance() {
        if followed >= Self.patience {
            let bit: UInt64 = 1 << UInt64(Self.patience - 1)
            settle(came: came & bit != 0, recovered: recovered & bit != 0)
        }
        followed += 1
        came <<= 1
        recovered <<= 1
    }

    private mutating func settle(came: Bool, recovered: Bool) {
        var isHeard = came || recovered
        if isHeard, owedDiscards > 0 {
            owedDiscards -= 1
            discarded += 1
            isHeard = false
        }
        heard.count(isMissing: !isHeard)
        if decided.count == Self.maximumRemembered { decided.removeFirst(Self.maximumRemembered / 2) }
        decided.append(came)
    }

    /// Which packets have come since the last time this was asked, those recovered not counted; nil where none was decided.
    public mutating func takeRuns(source: UInt32) -> LossRuns? {
        guard !decided.isEmpty else { return nil }
        let end = newest - Int64(Self.patience) + 1
        let first = SequenceNumber(rawValue: UInt16(truncatingIfNeeded: end - Int64(decided.count)))
        defer { decided = [] }
        return LossRuns(source: source, first: first, received: decided)
    }
}
