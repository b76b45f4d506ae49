/// Finds out how long packets have to be waited for.
///
/// It is told each packet's *transit*: when it came, on the receiver's clock, less where it begins on the stream's
/// timeline. Only differences of transits mean something. Three figures are learnt from them: what almost all packets
/// take, by a histogram with forgetting; how long a stall of the network was, which is remembered for seconds, and for
/// longer where stalls recur; and what packets took that came after their followers, or were contained in them, weighed
/// against how many they are. All lengths are in samples at 48 kHz.
///
/// Its figures are inlined where they are asked for: to call them would copy all of it, 4 KiB, several times a turn.
public struct DelayEstimator: BitwiseCopyable, Sendable {
    /// This share of the packets may come too late: they are bridged, which is heard less than a delay for all is.
    private static var lateShare: Float {
        @_noLocks @_noAllocation get { 0.01 }
    }
    /// A delay beyond the fastest packet's from here on is a burden of its own: where the delays end in an edge, so that who comes
    /// too late does so by little, more of them may.
    private static var longDelay: Int {
        @_noLocks @_noAllocation get { 2_880 }
    }
    private static var mostLateShare: Float {
        @_noLocks @_noAllocation get { 0.04 }
    }
    /// What all packets together may be late by, a packet, for that.
    private static var littleLateness: Float {
        @_noLocks @_noAllocation get { 2.4 }
    }
    /// The usual delay forgets within so long.
    private static var memory: Float {
        @_noLocks @_noAllocation get { 480_000 }
    }
    /// What is recovered is rare, so that it is forgotten more slowly.
    private static var recoveryMemory: Float {
        @_noLocks @_noAllocation get { 960_000 }
    }
    /// One per cent of lost sound is worth so much delay.
    private static var lossPrice: Float {
        @_noLocks @_noAllocation get { 4_800 }
    }
    /// One choice replaces another only where it is better by so much.
    private static var leastGain: Float {
        @_noLocks @_noAllocation get { 240 }
    }
    /// What may have happened once is remembered for so long: 2 s.
    private static var firstHold: Int {
        @_noLocks @_noAllocation get { 96_000 }
    }
    /// Stalls this far apart recur: 15 s. One of 100 ms in 10 s is a per cent of the sound.
    private static var recurrence: Int {
        @_noLocks @_noAllocation get { 720_000 }
    }
    /// What recurs is remembered for at least 4 s, and at most 24.
    private static var shortestHold: Int {
        @_noLocks @_noAllocation get { 192_000 }
    }
    private static var longestHold: Int {
        @_noLocks @_noAllocation get { 1_152_000 }
    }
    /// Where the fastest packet stands in the histograms, so that a faster one finds room below it.
    private static var room: Int {
        @_noLocks @_noAllocation get { 32 * DelayHistogram.binWidth }
    }

    private var usual = DelayHistogram()
    /// Packets taken to have come without loss before the first: one early loss is no rate.
    private var recovered = DelayHistogram(before: 600)
    private(set) var window = TransitWindow()
    /// The transit that stands at the beginning of the histograms; nil between two timelines.
    private var base: Int?
    /// The fastest packet's place from the base, kept from one timeline to the next.
    private var origin = 32 * 48
    /// How long a new timeline may still turn out to be that much faster than its first packet.
    private var settling = 0
    /// The histogram knows of more than the window has seen.
    private var inherits = false
    private var packets = 0
    private var clock = 0

    // Delays from the base.
    private var usualDelay = 0
    private var recoveryDelay = 0
    private var stallDelay = 0
    private var stallAt: Int?
    private var stallEnd = 0
    private var stallHold = 0

    @_noLocks @_noAllocation
    init() {}

    /// A packet has come in its order, of `duration` samples.
    @_noLocks @_noAllocation
    mutating func add(transit: Int, duration: Int) {
        let delay = locate(transit)
        window.add(transit)
        noteStall(delay)
        usual.add(delay)
        usual.count(forgetting: Float(duration) / Self.memory)
        recovered.count(forgetting: Float(duration) / Self.recoveryMemory)
        packets = min(packets + 1, 1_000)
        if window.isFull { inherits = false }
        usualDelay = usual.delay(
            exceededBy: Self.lateShare, beyond: leastDelay + Self.longDelay, orBy: Self.mostLateShare,
            lateness: Self.littleLateness)
        // A bin is coarse. What this timeline has not seen yet is known from the last one.
        if !inherits { usualDelay = min(usualDelay, (window.greatest ?? transit) - (base ?? transit)) }
        chooseRecovery()
    }

    /// What was missing has come, or in a packet after it: to be of use it would have needed this transit.
    @_noLocks @_noAllocation
    mutating func addRecovered(transit: Int) {
        guard base != nil else { return }
        recovered.add(locate(transit))
    }

    /// Lets `samples` go by.
    @_noLocks @_noAllocation
    mutating func advance(_ samples: Int) {
        clock += samples
        settling = max(settling - samples, 0)
        window.advance(samples)
    }

    /// A new timeline begins, whose transits have nothing to do with the old ones. How they spread is kept.
    @_noLocks @_noAllocation
    mutating func restart() {
        if let base, let least = window.least { origin = min(max(least - base, 0), 64 * DelayHistogram.binWidth) }
        inherits = packets > 0
        base = nil
        window.clear()
    }

    /// The transit that is to be allowed for; nil before the first packet of a timeline.
    var target: Int? {
        @_noLocks @_noAllocation @inline(__always) get {
            guard let base else { return nil }
            return base + targetDelay
        }
    }

    /// The fastest packet's transit of the last four seconds.
    var least: Int? {
        @_noLocks @_noAllocation @inline(__always) get {
            guard let base else { return nil }
            return window.least ?? base + origin
        }
    }

    /// How much longer than the fastest packet's the transit is that is to be allowed for; nil before anything is known.
    var spread: Int? {
        @_noLocks @_noAllocation @inline(__always) get { packets > 0 ? max(targetDelay - leastDelay, 0) : nil }
    }

    private var targetDelay: Int {
        @_noLocks @_noAllocation @inline(__always) get {
            max(usualDelay, max(recoveryDelay, clock < stallEnd ? stallDelay : 0))
        }
    }

    private var leastDelay: Int {
        @_noLocks @_noAllocation @inline(__always) get {
            if let base, let least = window.least { least - base } else { origin }
        }
    }

    /// Returns `transit` from the base, which is moved so that there is room for it.
    @_noLocks @_noAllocation
    private mutating func locate(_ transit: Int) -> Int {
        guard var base else {
            base = transit - origin
            settling = 48_000
            return origin
        }
        if settling > 0 && transit < base + origin {
            // The timeline's first packets were slow ones, held back before it began: the figures belong to the fastest.
            base = transit - origin
        }
        if let least = window.least, least - base > 4 * Self.room {
            base = move(base, by: -((least - base - Self.room) / DelayHistogram.binWidth))
        }
        if transit < base {
            base = move(base, by: (base - transit + Self.room) / DelayHistogram.binWidth)
        }
        self.base = base
        return transit - base
    }

    /// Takes all delays to be from a base that lies `bins` bins lower.
    @_noLocks @_noAllocation
    private mutating func move(_ base: Int, by bins: Int) -> Int {
        let change = bins * DelayHistogram.binWidth
        usual.shift(by: bins)
        recovered.shift(by: bins)
        usualDelay = max(usualDelay + change, 0)
        recoveryDelay = max(recoveryDelay + change, 0)
        stallDelay = max(stallDelay + change, 0)
        return base - change
    }

    /// What is beyond nine of ten packets by more than twice what these spread is no part of the usual, but a stall.
    @_noLocks @_noAllocation
    private mutating func noteStall(_ delay: Int) {
        guard packets >= 8 else { return }
        let most = usual.delay(exceededBy: 0.1)
        guard delay - most > max(960, 2 * (most - leastDelay)) else { return }
        let since = clock - (stallAt ?? clock - Self.longestHold)
        // Within half a second it is the same one: its packets come one after the other.
        if since >= 24_000 {
            let recurs = since < Self.recurrence
            stallHold = recurs ? min(max(2 * since, Self.shortestHold), Self.longestHold) : Self.firstHold
            if clock >= stallEnd { stallDelay = 0 }
        }
        stallAt = clock
        stallEnd = max(stallEnd, clock + stallHold)
        stallDelay = max(stallDelay, delay)
    }

    @_noLocks @_noAllocation
    private mutating func chooseRecovery() {
        guard !recovered.isEmpty else {
            recoveryDelay = 0
            return
        }
        // What the others need anyway costs nothing.
        let best = recovered.cheapest(from: usualDelay, price: Self.lossPrice)
        let now = recovered.cost(of: recoveryDelay, from: usualDelay, price: Self.lossPrice)
        if best.cost + Self.leastGain < now || recoveryDelay < usualDelay { recoveryDelay = best.delay }
    }
}
