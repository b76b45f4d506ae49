/// Random numbers that are the same in every run.
struct Chance {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    /// 0..<1.
    mutating func share() -> Double {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Double(state >> 11) / Double(UInt64(1) << 53)
    }
}

/// One direction of a network: what becomes of each packet.
struct Network {
    /// How packets get lost.
    enum Loss {
        case none
        /// Each with this chance.
        case chance(Double)
        /// All in the bad one of two states: share of all packets, and packets in a row on average (E. N. Gilbert).
        case bursts(Double, run: Double)
        /// Some in the bad one of two states: share of the time it is bad, packets in a row, share lost in it.
        case patches(Double, run: Double, lost: Double)
        /// So many in a row, every so many packets.
        case periodic(Int, every: Int)
    }

    var loss = Loss.none
    /// Packets are delayed by 0 to so much, in milliseconds, and overtake one another or not.
    var jitter = 0.0
    var keepsOrder = true
    /// Each so many seconds nothing passes for so many milliseconds, then all at once.
    var stall: (every: Double, milliseconds: Double)?
    /// This share comes once more, 5 ms later.
    var duplicates = 0.0
    /// This share comes 50 ms late.
    var reordered = 0.0
    private var dice: Chance
    private var isBad = false
    private var count = 0
    private var lastOut: UInt64 = 0

    init(_ loss: Loss = .none, jitter: Double = 0, seed: UInt64 = 1) {
        self.loss = loss
        self.jitter = jitter
        dice = Chance(seed)
    }

    /// When a packet sent at `now` comes, in nanoseconds; empty where it is lost.
    mutating func pass(at now: UInt64) -> [UInt64] {
        count += 1
        let isLost = loses()
        var delay = dice.share() * jitter * 1e6
        if dice.share() < reordered { delay += 50e6 }
        var time = now + UInt64(delay)
        if let stall {
            let period = UInt64(stall.every * 1e9)
            let end = now / period * period + UInt64(stall.milliseconds * 1e6)
            time = max(time, end > now ? end : time)
        }
        if keepsOrder {
            time = max(time, lastOut)
            lastOut = time
        }
        if isLost { return [] }
        return dice.share() < duplicates ? [time, time + 5_000_000] : [time]
    }

    private mutating func loses() -> Bool {
        func step(share: Double, run: Double) -> Bool {
            isBad = isBad ? dice.share() >= 1 / run : dice.share() < share / run / (1 - share)
            return isBad
        }
        switch loss {
        case .none: return false
        case .chance(let share): return dice.share() < share
        case .bursts(let share, let run): return step(share: share, run: run)
        case .patches(let share, let run, let lost): return step(share: share, run: run) && dice.share() < lost
        case .periodic(let run, let every): return count % every < run
        }
    }
}
