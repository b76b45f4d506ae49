/// How many packets took how long, in bins of 1 ms, with forgetting: what is new weighs more and more.
///
/// What only reads is `mutating` all the same: elsewhere the compiler copies all bins whenever it looks at one.
struct DelayHistogram: BitwiseCopyable {
    static var binCount: Int {
        @_noLocks @_noAllocation get { 512 }
    }
    /// In samples at 48 kHz.
    static var binWidth: Int {
        @_noLocks @_noAllocation get { 48 }
    }
    private var bins = InlineArray<512, Float>(repeating: 0)
    /// The weight of all that was counted, in a bin or not.
    private var total: Float
    /// The weight of what is counted next.
    private var weight: Float = 1
    /// No bin above this one has any weight.
    private var top = -1

    /// - Parameter before: as many packets are taken to have come before the first, in no bin.
    @_noLocks @_noAllocation
    init(before: Float = 0) { total = before }

    /// Nothing is in any bin.
    var isEmpty: Bool {
        @_noLocks @_noAllocation get { top < 0 }
    }

    /// Counts a packet that took `delay` samples.
    @_noLocks @_noAllocation
    mutating func add(_ delay: Int) {
        let bin = Self.bin(delay)
        bins[bin] += weight
        top = max(top, bin)
    }

    /// Counts a packet in no bin, or one that `add` has put into one, and forgets all before it by `share`, 0...1.
    @_noLocks @_noAllocation
    mutating func count(forgetting share: Float) {
        total += weight
        weight *= 1 + share
        if weight > 1e6 { scaleDown() }
    }

    /// The least delay that at most `share` of all packets exceeded, by less than a bin too much; 0 where no bin holds any.
    @_noLocks @_noAllocation
    mutating func delay(exceededBy share: Float) -> Int {
        delay(exceededBy: share, beyond: .max, orBy: share, lateness: 0)
    }

    /// The same, but that a delay from `long` on may be exceeded by up to `most` of them,
    /// where the packets exceed it by at most `lateness` samples on average, those counted as 0 that do not exceed it.
    @_noLocks @_noAllocation
    mutating func delay(exceededBy share: Float, beyond long: Int, orBy most: Float, lateness: Float) -> Int {
        let late = lateness * total / Float(Self.binWidth)
        var (above, area): (Float, Float) = (0, 0)
        var bin = top
        while bin >= 0 {
            above += bins[bin]
            area += above
            let isEdge = bin * Self.binWidth >= long && above <= total * most && area <= late
            if above > total * share && !isEdge { return (bin + 1) * Self.binWidth }
            bin -= 1
        }
        return 0
    }

    /// The delay at which the delay, and `price` samples for each per cent of packets that exceeded it, together are least,
    /// and what they are there. Such delays are at least `least`.
    @_noLocks @_noAllocation
    mutating func cheapest(from least: Int, price: Float) -> (delay: Int, cost: Float) {
        let perWeight = price * 100 / max(total, 1)
        var above: Float = 0
        var best = (delay: least, cost: Float.infinity)
        var bin = top
        while bin >= 0 && (bin + 1) * Self.binWidth > least {
            let delay = (bin + 1) * Self.binWidth
            let cost = Float(delay - least) + above * perWeight
            if cost < best.cost { best = (delay, cost) }
            above += bins[bin]
            bin -= 1
        }
        return above * perWeight < best.cost ? (least, above * perWeight) : best
    }

    /// What `delay` costs by the measure of `cheapest`.
    @_noLocks @_noAllocation
    mutating func cost(of delay: Int, from least: Int, price: Float) -> Float {
        var above: Float = 0
        var bin = top
        while bin >= 0 && bin * Self.binWidth >= delay {
            above += bins[bin]
            bin -= 1
        }
        return Float(max(delay - least, 0)) + above * price * 100 / max(total, 1)
    }

    /// Takes all delays to have been longer by this many bins. What would leave the bins stays in the last or the first.
    @_noLocks @_noAllocation
    mutating func shift(by change: Int) {
        guard change != 0, top >= 0 else { return }
        let last = Self.binCount - 1
        let oldTop = top
        top = min(max(oldTop + change, 0), last)
        if change > 0 {
            var bin = oldTop
            while bin >= 0 {
                move(bin, to: min(bin + change, last))
                bin -= 1
            }
        } else {
            for bin in 0...oldTop { move(bin, to: max(bin + change, 0)) }
        }
    }

    @_noLocks @_noAllocation
    private mutating func move(_ bin: Int, to place: Int) {
        guard bin != place else { return }
        let amount = bins[bin]
        bins[bin] = 0
        bins[place] += amount
    }

    @_noLocks @_noAllocation
    private static func bin(_ delay: Int) -> Int { min(max(delay / binWidth, 0), binCount - 1) }

    /// Gives all weights a size at which they stay exact, and drops what no longer matters.
    @_noLocks @_noAllocation
    private mutating func scaleDown() {
        let factor = 1 / weight
        weight = 1
        total *= factor
        var highest = -1
        for bin in 0..<Self.binCount {
            let scaled = bins[bin] * factor
            bins[bin] = scaled < 1e-3 ? 0 : scaled
            if bins[bin] > 0 { highest = bin }
        }
        top = highest
    }
}
