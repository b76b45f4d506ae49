/// The least and the greatest transit of the packets of the last four seconds, in half-second blocks.
struct TransitWindow: BitwiseCopyable {
    private static var blockCount: Int {
        @_noLocks @_noAllocation get { 8 }
    }
    private var leasts = InlineArray<8, Int>(repeating: .max)
    private var greatests = InlineArray<8, Int>(repeating: .min)
    /// The least and the greatest of all blocks; `.max` and `.min` where no packet has come.
    private var allLeast = Int.max
    private var allGreatest = Int.min
    private var current = 0
    private var elapsed = 0
    /// Blocks since the last `clear`, the current one not counted.
    private(set) var blocks = 0

    @_noLocks @_noAllocation
    init() {}

    /// Whether it has seen all of its time.
    var isFull: Bool {
        @_noLocks @_noAllocation @inline(__always) get { blocks == Self.blockCount }
    }

    @_noLocks @_noAllocation
    mutating func add(_ transit: Int) {
        leasts[current] = min(leasts[current], transit)
        greatests[current] = max(greatests[current], transit)
        allLeast = min(allLeast, transit)
        allGreatest = max(allGreatest, transit)
    }

    /// Lets `samples` at 48 kHz go by.
    @_noLocks @_noAllocation
    mutating func advance(_ samples: Int) {
        elapsed += samples
        guard elapsed >= 24_000 else { return }
        elapsed = 0
        blocks = min(blocks + 1, Self.blockCount)
        current = (current + 1) % Self.blockCount
        (leasts[current], greatests[current]) = (.max, .min)
        (allLeast, allGreatest) = (.max, .min)
        for index in 0..<Self.blockCount {
            allLeast = min(allLeast, leasts[index])
            allGreatest = max(allGreatest, greatests[index])
        }
    }

    @_noLocks @_noAllocation
    mutating func clear() {
        for index in 0..<Self.blockCount { (leasts[index], greatests[index]) = (.max, .min) }
        (allLeast, allGreatest) = (.max, .min)
        (elapsed, blocks) = (0, 0)
    }

    /// nil where no packet has come within the window.
    var least: Int? {
        @_noLocks @_noAllocation @inline(__always) get { allLeast == .max ? nil : allLeast }
    }

    /// nil where no packet has come within the window.
    var greatest: Int? {
        @_noLocks @_noAllocation @inline(__always) get { allGreatest == .min ? nil : allGreatest }
    }
}
