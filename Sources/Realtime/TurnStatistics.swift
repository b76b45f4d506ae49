/// How long the loop's turns take: counts by size class, which the loop writes and anyone reads without a lock.
///
/// From 8 us on, classes are an eighth of a power of two wide, so that a quantile is at most an eighth too high.
public struct TurnStatistics: ~Copyable, Sendable {
    private let turnCell = StatisticCell()
    private let longestCell = StatisticCell()
    /// The last class takes everything of 16 s and more.
    private let classes = InlineArray<176, StatisticCell> { _ in StatisticCell() }

    public init() {}

    /// Adds a turn that took `nanoseconds`. On the loop's thread only.
    @_noLocks @_noAllocation
    public func add(nanoseconds: UInt64) {
        let microseconds = Int(truncatingIfNeeded: min(nanoseconds / 1_000, 1 << 40))
        turnCell.add(1)
        if microseconds > longestCell.value { longestCell.store(microseconds) }
        classes[Self.sizeClass(of: microseconds)].add(1)
    }

    /// Turns so far.
    public var turns: Int { turnCell.value }

    /// The longest turn, in microseconds.
    public var longestMicroseconds: Int { longestCell.value }

    /// A bound that this share (0...1) of the turns did not exceed, in microseconds; 0 before the first.
    public func quantileMicroseconds(_ share: Double) -> Int {
        var total = 0
        for index in 0..<classes.count { total += Self.read(classes[index]) }
        guard total > 0 else { return 0 }
        let wanted = min(max(share, 0), 1) * Double(total)
        var seen = 0
        for index in 0..<classes.count {
            seen += Self.read(classes[index])
            // The longest turn is known exactly, and no bound need exceed it.
            if Double(seen) >= wanted && seen > 0 { return min(Self.upperBound(of: index), longestMicroseconds) }
        }
        return longestMicroseconds
    }

    /// Swift 6.2 does not read a property of an element in place; an argument is borrowed.
    private static func read(_ cell: borrowing StatisticCell) -> Int { cell.value }

    @_noLocks @_noAllocation
    static func sizeClass(of microseconds: Int) -> Int {
        guard microseconds >= 8 else { return max(0, microseconds) }
        let power = Int.bitWidth &- 1 &- microseconds.leadingZeroBitCount
        let eighth = (microseconds >> (power &- 3)) & 7
        return min(175, (power &- 2) &* 8 &+ eighth)
    }

    /// The largest number of microseconds in the class.
    static func upperBound(of sizeClass: Int) -> Int {
        guard sizeClass >= 8 else { return sizeClass }
        let power = sizeClass / 8 + 2
        return ((8 + sizeClass % 8 + 1) << (power - 3)) - 1
    }
}
