/// Finds out how much faster the sender's clock runs than ours, by the fastest packets: what a packet takes at least is the
/// same for hours, unless the clocks differ. Lengths are in samples at 48 kHz.
///
/// The least transit of each block of time is kept; the blocks grow with the time that is known, so that the figure becomes
/// exact: a few seconds tell 50 parts per million, some minutes one.
public struct DriftEstimator: BitwiseCopyable, Sendable {
    private static var blockCount: Int {
        @_noLocks @_noAllocation get { 32 }
    }
    private static var firstLength: Int {
        @_noLocks @_noAllocation get { 24_000 }
    }
    /// 16 s; 32 of them are more than eight minutes, in which the temperature of a quartz changes.
    private static var longest: Int {
        @_noLocks @_noAllocation get { 768_000 }
    }
    /// Blocks that make a line.
    private static var leastBlocks: Int {
        @_noLocks @_noAllocation get { 8 }
    }
    /// Blocks in a row beside the line that mean another way.
    private static var mostBeside: Int {
        @_noLocks @_noAllocation get { 3 }
    }
    /// No quartz is further off: such a sender does something else.
    private static var mostDrift: Double {
        @_noLocks @_noAllocation get { 0.001 }
    }
    /// A drift is one that has come to a millisecond: less may be a machine that wakes up late more and more.
    private static var leastDrifted: Double {
        @_noLocks @_noAllocation get { 48 }
    }

    /// The least transit of each block, from the first one's; `Int.max` where no packet came.
    private var blocks = InlineArray<32, Int>(repeating: .max)
    private var count = 0
    private var length = 24_000
    private var elapsed = 0
    private var current = Int.max
    /// The transit that 0 stands for.
    private var base: Int?
    private var beside = 0
    private var line: Line?
    /// Samples that the sender is ahead of us by after each sample: known from this timeline or from one before it.
    public private(set) var drift = 0.0
    /// Whether `drift` is known to be one.
    public private(set) var isKnown = false

    /// A straight line through the blocks.
    private struct Line: BitwiseCopyable {
        /// Of the first block, and a block.
        var start: Double
        var slope: Double
        /// The mean square of what lies beside it, and of the error of the slope.
        var variance: Double
        var slopeVariance: Double

        @_noLocks @_noAllocation
        func value(at block: Int) -> Double { start + slope * Double(block) }
    }

    @_noLocks @_noAllocation
    init() {}

    /// How much faster the sender's clock is than ours, in parts per million; 0 where that is not known.
    public var partsPerMillion: Double {
        @_noLocks @_noAllocation get { isKnown ? drift * 1e6 : 0 }
    }

    @_noLocks @_noAllocation
    mutating func add(transit: Int) {
        let start = base ?? transit
        base = start
        current = min(current, transit - start)
    }

    /// Lets `samples` go by.
    @_noLocks @_noAllocation
    mutating func advance(_ samples: Int) {
        elapsed += samples
        guard elapsed >= length else { return }
        elapsed -= length
        end()
    }

    /// A new timeline begins, whose transits have nothing to do with the old ones. The clocks are the same.
    @_noLocks @_noAllocation
    mutating func restart() {
        (count, elapsed, length) = (0, 0, Self.firstLength)
        (current, base, line, beside) = (.max, nil, nil, 0)
    }

    /// Another sender, of whose clock nothing is known.
    @_noLocks @_noAllocation
    mutating func forget() {
        restart()
        (drift, isKnown) = (0, false)
    }

    @_noLocks @_noAllocation
    private mutating func end() {
        let least = current
        current = .max
        // Nothing came: a pause is no measure.
        if least == .max && count == 0 { return }
        if least != .max, let line, isBeside(least, line) {
            beside += 1
            if beside >= Self.mostBeside { return restart() }
        } else if least != .max {
            beside = 0
        }
        append(least)
        if least != .max { fit() }
    }

    @_noLocks @_noAllocation
    private func isBeside(_ least: Int, _ line: Line) -> Bool {
        let distance = Double(least) - line.value(at: count)
        // 2 ms, or four times what is usual.
        return distance * distance > max(96 * 96, 16 * line.variance)
    }

    @_noLocks @_noAllocation
    private mutating func append(_ least: Int) {
        if count == Self.blockCount {
            if length < Self.longest {
                for index in 0..<Self.blockCount / 2 {
                    blocks[index] = min(blocks[2 * index], blocks[2 * index + 1])
                }
                count = Self.blockCount / 2
                length *= 2
                // The block that has just ended is the first half of one.
                current = least
                elapsed = length / 2
                return
            }
            for index in 0..<Self.blockCount - 1 { blocks[index] = blocks[index + 1] }
            count -= 1
        }
        blocks[count] = least
        count += 1
    }

    /// Puts a line through the blocks; then one through those that were not held up.
    @_noLocks @_noAllocation
    private mutating func fit() {
        guard let rough = through(below: nil), let fine = through(below: rough) else { return }
        line = fine
        let found = -fine.slope / Double(length)
        let variance = fine.slopeVariance / (Double(length) * Double(length))
        guard found > -Self.mostDrift, found < Self.mostDrift, variance < 400e-12 else { return }
        let drifted = fine.slope * Double(count)
        let isCertain =
            found * found > 16 * variance && (drifted > Self.leastDrifted || drifted < -Self.leastDrifted)
        // What was known of an earlier timeline is given up only for something as certain.
        let isExact = variance < 1e-12
        if isCertain || isExact || !isKnown { (drift, isKnown) = (found, isCertain) }
    }

    /// - Parameter limit: blocks that lie far above this line are left out.
    @_noLocks @_noAllocation
    private mutating func through(below limit: Line?) -> Line? {
        var (n, sumX, sumY) = (0.0, 0.0, 0.0)
        for index in 0..<count where counts(index, limit) {
            n += 1
            sumX += Double(index)
            sumY += Double(blocks[index])
        }
        guard n >= Double(Self.leastBlocks) else { return nil }
        let (meanX, meanY) = (sumX / n, sumY / n)
        var (xx, xy) = (0.0, 0.0)
        for index in 0..<count where counts(index, limit) {
            xx += (Double(index) - meanX) * (Double(index) - meanX)
            xy += (Double(index) - meanX) * (Double(blocks[index]) - meanY)
        }
        var line = Line(start: meanY - xy / xx * meanX, slope: xy / xx, variance: 0, slopeVariance: 0)
        var squares = 0.0
        for index in 0..<count where counts(index, limit) {
            let beside = Double(blocks[index]) - line.value(at: index)
            squares += beside * beside
        }
        // A sample is as fine as it is measured.
        line.variance = max(squares / (n - 2), 1)
        line.slopeVariance = line.variance / xx
        return line
    }

    @_noLocks @_noAllocation
    private mutating func counts(_ index: Int, _ limit: Line?) -> Bool {
        guard blocks[index] != .max else { return false }
        guard let limit else { return true }
        let beside = Double(blocks[index]) - limit.value(at: index)
        return beside <= 0 || beside * beside <= 2.25 * limit.variance
    }
}
