internal import Realtime

/// How much a jitter buffer may delay.
public struct JitterLimits: Sendable, Hashable {
    /// The least head start of a packet, in milliseconds, 0...200: 0 lets the network alone decide.
    public var minimumMilliseconds: Int
    /// Packets that come later than the fastest by more than this many milliseconds are lost; 20...500.
    public var maximumMilliseconds: Int

    public init(minimumMilliseconds: Int = 0, maximumMilliseconds: Int = 200) {
        self.minimumMilliseconds = min(max(minimumMilliseconds, 0), 200)
        self.maximumMilliseconds = min(max(maximumMilliseconds, 20), 500)
    }
}

/// An adaptive jitter buffer that holds no more than recent packets have needed.
///
/// Each packet's *slack* is how long before its turn it came. A packet that comes too late to be played in time is played
/// all the same, where it is the next one, and the delay is longer from then on (sound was made up meanwhile). Where the
/// least slack of the last four seconds shows that all packets came early, the delay is shortened by leaving out sound.
public struct JitterBuffer: PlayoutBuffer, ~Copyable {
    static var slotCount: Int {
        @_noLocks @_noAllocation get { 64 }
    }
    static var slotBytes: Int {
        @_noLocks @_noAllocation get { 1_400 }
    }

    struct Slot: BitwiseCopyable {
        var isUsed = false
        var endsTalk = false
        var sequenceNumber: UInt16 = 0
        /// Where its sound begins on the stream's timeline.
        var start = 0
        var duration = 0
        var count = 0
    }

    private let memory: LockedBuffer
    let slots: UnsafeMutablePointer<Slot>
    let payloads: UnsafeMutablePointer<UInt8>

    /// Samples at 48 kHz in a unit of the RTP clock.
    let unit: Int
    /// Samples of a turn: slack is counted in whole turns, since a packet is taken at the beginning of one.
    public private(set) var turn: Int
    let maximumDelay: Int
    let minimumSlack: Int

    // The stream's timeline, in samples at 48 kHz.
    var isAnchored = false
    var epoch: UInt32 = 0
    var lastTimestamp: UInt32 = 0
    var lastExtended = 0
    /// Where the next sound to be decoded begins.
    var position = 0
    /// Where the last real sound ended; `position` is further on while sound is made up.
    var soundEnd = 0
    var lastSequence: UInt16?
    /// Which of the 64 sequence numbers up to the last have been played: bit 0 is the last.
    var playedBefore: UInt64 = 0
    var lastEndsTalk = false
    /// The newest packet's start, for the phase of packets against turns.
    var newestStart = 0

    /// Samples played since the buffer was made: its only clock.
    var clock = 0
    var offTimelineCount = 0
    var offTimelineSince = 0
    var window = SlackWindow()
    /// Spread of the delays when it was last known, for the next anchoring.
    var learntSpread = 240
    var lastChange = 0
    /// When a packet last came after its follower was played; nil where none has.
    var lateAt: Int?
    /// Sound that is being made up to lengthen the delay: it does not move the timeline.
    var stretching = 0
    /// What was counted as concealed since the last real sound: taken back where it turns out to be a pause.
    var concealedInGap = 0
    public private(set) var statistics = PlayoutCounters()

    /// - Parameters:
    ///   - clockRate: the codec's RTP clock rate in Hz, 8,000 or 48,000.
    ///   - turnSamples: samples of one turn of the loop.
    public init(clockRate: Int, turnSamples: Int, limits: JitterLimits = JitterLimits()) {
        unit = max(48_000 / max(clockRate, 1), 1)
        turn = max(turnSamples, 1)
        maximumDelay = limits.maximumMilliseconds * 48
        minimumSlack = limits.minimumMilliseconds * 48
        let payloadOffset = Self.slotCount * MemoryLayout<Slot>.stride
        memory = LockedBuffer(byteCount: payloadOffset + Self.slotCount * Self.slotBytes)
        slots = memory.base.bindMemory(to: Slot.self, capacity: Self.slotCount)
        slots.initialize(repeating: Slot(), count: Self.slotCount)
        payloads = (memory.base + payloadOffset).bindMemory(
            to: UInt8.self, capacity: Self.slotCount * Self.slotBytes)
    }

    public var counters: PlayoutCounters {
        @_noLocks @_noAllocation get { statistics }
    }

    /// Another loop has taken over, whose turns are this long.
    @_noLocks @_noAllocation
    public mutating func setTurn(samples: Int) { turn = max(samples, 1) }

    @_noLocks @_noAllocation
    public borrowing func payload(in slot: Int) -> (bytes: UnsafePointer<UInt8>, count: Int) {
        (UnsafePointer(payloads + slot * Self.slotBytes), slots[slot].count)
    }

    @_noLocks @_noAllocation
    public mutating func reset() {
        isAnchored = false
        lastSequence = nil
        lastEndsTalk = false
        offTimelineCount = 0
        concealedInGap = 0
        stretching = 0
        learnSpread()
        window.clear()
        removeAll()
    }

    @_noLocks @_noAllocation
    public mutating func advance(samples: Int, decoded: Int) {
        clock += samples
        window.advance(samples)
        learnSpread()
        var queued = decoded
        for index in 0..<Self.slotCount where slots[index].isUsed { queued += slots[index].duration }
        statistics.buffered += (queued - statistics.buffered) / 16
    }

    @_noLocks @_noAllocation
    mutating func learnSpread() {
        guard let least = window.minimum, let greatest = window.maximum else { return }
        learntSpread = min(max(greatest - least, 48), maximumDelay)
        statistics.spread = greatest - least
    }

    @_noLocks @_noAllocation
    func removeAll() {
        for index in 0..<Self.slotCount { slots[index].isUsed = false }
    }

    // Counters are written here only, so that the public ones can be read but not set.

    @_noLocks @_noAllocation
    mutating func count(late: Int = 0, lost: Int = 0, duplicates: Int = 0, anchorings: Int = 0, leftOut: Int = 0) {
        statistics.late += late
        statistics.lost += lost
        statistics.duplicates += duplicates
        statistics.anchorings += anchorings
        statistics.leftOut += leftOut
    }

    @_noLocks @_noAllocation
    mutating func countConcealed(_ samples: Int) {
        statistics.concealed += samples
        concealedInGap += samples
    }

    /// What was concealed last stood for no sound.
    @_noLocks @_noAllocation
    mutating func forgiveConcealed() {
        statistics.concealed -= concealedInGap
        concealedInGap = 0
    }
}
