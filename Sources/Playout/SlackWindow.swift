/// The least and the greatest slack of recent packets: how long before its turn a packet came. Half-second blocks of the
/// last four seconds, so that one slow packet holds the delay up for no longer than that.
struct SlackWindow: BitwiseCopyable {
    private static var blockCount: Int {
        @_noLocks @_noAllocation get { 8 }
    }
    private var least = InlineArray<8, Int>(repeating: .max)
    private var greatest = InlineArray<8, Int>(repeating: .min)
    private var current = 0
    private var elapsed = 0
    /// Blocks since the last `clear`, the current one not counted.
    private(set) var blocks = 0

    @_noLocks @_noAllocation
    init() {}

    @_noLocks @_noAllocation
    mutating func add(_ slack: Int) {
        least[current] = min(least[current], slack)
        greatest[current] = max(greatest[current], slack)
    }

    /// Lets `samples` at 48 kHz go by.
    @_noLocks @_noAllocation
    mutating func advance(_ samples: Int) {
        elapsed += samples
        guard elapsed >= 24_000 else { return }
        elapsed = 0
        blocks = min(blocks + 1, Self.blockCount)
        current = (current + 1) % Self.blockCount
        (least[current], greatest[current]) = (.max, .min)
    }

    /// The delay has changed, and with it every packet's slack.
    @_noLocks @_noAllocation
    mutating func shift(by change: Int) {
        for index in 0..<Self.blockCount where least[index] != .max {
            least[index] += change
            greatest[index] += change
        }
    }

    @_noLocks @_noAllocation
    mutating func clear() {
        for index in 0..<Self.blockCount { (least[index], greatest[index]) = (.max, .min) }
        (elapsed, blocks) = (0, 0)
    }

    /// nil where no packet has come within the window.
    var minimum: Int? {
        @_noLocks @_noAllocation get {
            var result = Int.max
            for index in 0..<Self.blockCount { result = min(result, least[index]) }
            return result == .max ? nil : result
        }
    }

    /// nil where no packet has come within the window.
    var maximum: Int? {
        @_noLocks @_noAllocation get {
            var result = Int.min
            for index in 0..<Self.blockCount { result = max(result, greatest[index]) }
            return result == .min ? nil : result
        }
    }
}
