internal import Realtime

/// An adaptive jitter buffer that scales time: it holds no more than recent packets have needed.
///
/// A packet is taken at the beginning of a turn, so that the delay that counts is the one in whole turns; what a packet
/// waits beyond that serves nothing. Where `DelayEstimator` says that the delay is too short, sound is put in before packets
/// come too late, or, where they do, what was bridged lengthens it; where it is too long, sound is left out,
/// in pauses if any come.
public struct JitterBuffer: PlayoutBuffer, ~Copyable {
    /// Of a packet, at most.
    static var slotBytes: Int {
        @_noLocks @_noAllocation get { 1_400 }
    }
    /// Of a short one. Packets of 2.5 and 5 ms are: up to 512 and 256 kbit/s. Of those so many have to wait that each may
    /// not have the room of a long one: 450 ms of sound, the longest delay, are 180 of them.
    static var shortSlotBytes: Int {
        @_noLocks @_noAllocation get { 160 }
    }

    struct Slot: BitwiseCopyable {
        var endsTalk = false
        var hasRedundancy = false
        var sequenceNumber: UInt16 = 0
        /// Where its sound begins on the stream's timeline.
        var start = 0
        var duration = 0
        var count = 0
    }

    private let place = InPlace()
    private let memory: LockedBuffer
    let slots: UnsafeMutablePointer<Slot>
    /// Those that hold a packet to be played.
    var waiting = SlotSet()
    let payloads: UnsafeMutablePointer<UInt8>

    /// Samples at 48 kHz in a unit of the RTP clock.
    let unit: Int
    /// Samples of a turn.
    private(set) var turn: Int
    /// The beginnings of packets lie this far apart, or a multiple, against the beginnings of turns.
    private(set) var grid: Int
    let maximumDelay: Int
    let minimumDelay: Int

    // The stream's timeline, in samples at 48 kHz.
    var isAnchored = false
    var epoch: UInt32 = 0
    var lastTimestamp: UInt32 = 0
    var lastExtended = 0
    /// What was before the last jump of the timestamps; nil where there was none.
    var former: FormerCourse?
    /// Where the next sound to be played begins that is not yet decoded.
    var position = 0
    /// How far the decoder has come; `position` is further on while sound is bridged.
    var soundEnd = 0
    /// Where the last real sound ended.
    var realEnd = 0
    var lastSequence: UInt16?
    /// The newest packet's that has come, whether it has been played or not.
    var newestSequence: UInt16?
    /// Where the sound of that one ends.
    var newestEnd = 0
    /// Of the packet that came last, in whatever order.
    var newestStart = 0
    private(set) var newestDuration = 960
    /// Which of the 64 sequence numbers up to the last have been played: bit 0 is the last.
    var playedBefore: UInt64 = 0
    var lastEndsTalk = false
    /// Until when what does not come is not sent: the peer has said so.
    var stoppedUntil = 0

    /// Samples played since the buffer was made: its only clock.
    var clock = 0
    var offTimelineCount = 0
    var offTimelineSince = 0
    public internal(set) var arrivals = DelayEstimator()
    public internal(set) var senderClock = DriftEstimator()
    /// Samples of the stream for each one that is played, of late.
    var pace = 1.0
    /// When the decoded sound was last made longer or shorter.
    var lastChange = 0
    /// When the delay was last no longer than needed.
    var lastNeeded = 0
    /// When sound was last made up.
    var lastMadeUp = 0
    /// What was made up since the last real sound for what might not be lost: taken back where it turns out to be a pause.
    var concealedInGap = 0
    /// The part of it that the decoder made up.
    private var concealedByDecoder = 0
    /// Whether what does not come in time comes at all: above 0 where it was mostly lost lately, below where mostly late.
    var lossiness = 0
    let decoderConceals: Bool
    public private(set) var counters = PlayoutCounters()

    /// - Parameters:
    ///   - clockRate: the codec's RTP clock rate in Hz, 8,000 or 48,000.
    ///   - turnSamples: samples of one turn of the loop.
    ///   - decoderConceals: whether the decoder makes better sound for a lost packet than the sound before it is.
    public init(
        clockRate: Int, turnSamples: Int, limits: JitterLimits = JitterLimits(), decoderConceals: Bool = false
    ) {
        self.decoderConceals = decoderConceals
        unit = max(48_000 / max(clockRate, 1), 1)
        turn = max(turnSamples, 1)
        grid = Self.commonMeasure(max(turnSamples, 1), 960)
        maximumDelay = limits.maximumMilliseconds * 48
        minimumDelay = min(limits.minimumMilliseconds, limits.maximumMilliseconds) * 48
        let payloadOffset = SlotSet.capacity * MemoryLayout<Slot>.stride
        let short = SlotSet.capacity - SlotSet.long
        let payloadBytes = SlotSet.long * Self.slotBytes + short * Self.shortSlotBytes
        memory = LockedBuffer(byteCount: payloadOffset + payloadBytes)
        slots = memory.base.bindMemory(to: Slot.self, capacity: SlotSet.capacity)
        slots.initialize(repeating: Slot(), count: SlotSet.capacity)
        payloads = (memory.base + payloadOffset).bindMemory(to: UInt8.self, capacity: payloadBytes)
    }

    /// Another loop has taken over, whose turns are this long.
    @_noLocks @_noAllocation
    public mutating func setTurn(samples: Int) {
        turn = max(samples, 1)
        grid = Self.commonMeasure(turn, newestDuration)
    }

    @_noLocks @_noAllocation
    mutating func setDuration(_ samples: Int) {
        guard samples != newestDuration else { return }
        newestDuration = samples
        grid = Self.commonMeasure(turn, samples)
    }

    @_noLocks @_noAllocation
    private static func commonMeasure(_ first: Int, _ second: Int) -> Int {
        var (first, second) = (first, second)
        while second > 0 { (first, second) = (second, first % second) }
        return first
    }

    /// Where the payload of the packet in `slot` lies.
    @_noLocks @_noAllocation
    func place(of slot: Int) -> UnsafeMutablePointer<UInt8> {
        guard slot >= SlotSet.long else { return payloads + slot * Self.slotBytes }
        return payloads + SlotSet.long * Self.slotBytes + (slot - SlotSet.long) * Self.shortSlotBytes
    }

    @_noLocks @_noAllocation
    public borrowing func payload(in slot: Int) -> (bytes: UnsafePointer<UInt8>, count: Int) {
        (UnsafePointer(place(of: slot)), slots[slot].count)
    }

    @_noLocks @_noAllocation
    public mutating func reset() {
        isAnchored = false
        lastSequence = nil
        newestSequence = nil
        lastEndsTalk = false
        offTimelineCount = 0
        endGap()
        arrivals.restart()
        senderClock.restart()
        pace = 1
        count(flushed: waiting.count)
        waiting = SlotSet()
    }

    @_noLocks @_noAllocation
    public mutating func learn(_ network: DelayEstimator, _ sender: DriftEstimator) {
        arrivals = network
        arrivals.restart()
        senderClock = sender
        senderClock.restart()
    }

    @_noLocks @_noAllocation
    public mutating func advance(samples: Int, decoded: Int) {
        clock += samples
        arrivals.advance(samples)
        senderClock.advance(samples)
        var queued = decoded
        var rest = waiting
        while let slot = rest.popFirst() { queued += slots[slot].duration }
        counters.buffered += (queued - counters.buffered) / 16
        counters.target = min(max(arrivals.spread ?? 0, minimumDelay), maximumDelay)
        if let least = arrivals.window.least, let greatest = arrivals.window.greatest {
            counters.spread = greatest - least
        }
        counters.senderDrift = Int(senderClock.partsPerMillion * 1_000)
    }

    /// A packet whose sound begins at `start` came `age` samples ago.
    @_noLocks @_noAllocation
    mutating func noteWait(of start: Int, age: Int, decoded: Int) {
        let wait = max(min(max(age, 0), 48_000) + start - (position - decoded), 0)
        counters.waited += counters.waited == 0 ? wait : (wait - counters.waited) / 16
    }

    // Counters are written here only, so that others can read them but not set them.

    @_noLocks @_noAllocation
    mutating func count(
        played: Int = 0, late: Int = 0, lost: Int = 0, duplicates: Int = 0, reordered: Int = 0, strays: Int = 0,
        flushed: Int = 0, anchorings: Int = 0, recovered: Int = 0
    ) {
        counters.played += played
        counters.late += late
        counters.lost += lost
        counters.duplicates += duplicates
        counters.reordered += reordered
        counters.strays += strays
        counters.flushed += flushed
        counters.anchorings += anchorings
        counters.recovered += recovered
    }

    /// Sound of packets, or sound of the stream that is none, has been put out.
    @_noLocks @_noAllocation
    mutating func count(heard: Int = 0, paused: Int = 0, silent: Int = 0) {
        counters.heard += heard
        counters.paused += paused
        counters.silent += silent
    }

    @_noLocks @_noAllocation
    mutating func countConcealed(_ samples: Int, isLost: Bool, byDecoder: Bool) {
        counters.concealed += samples
        if byDecoder { counters.concealedLost += samples }
        guard !isLost else { return }
        concealedInGap += samples
        if byDecoder { concealedByDecoder += samples }
    }

    /// What was made up last stood for no sound: the sender had paused.
    @_noLocks @_noAllocation
    mutating func forgiveConcealed() {
        counters.paused += concealedInGap
        counters.concealed -= concealedInGap
        counters.concealedLost -= concealedByDecoder
        endGap()
    }

    @_noLocks @_noAllocation
    mutating func endGap() { (concealedInGap, concealedByDecoder) = (0, 0) }

    /// What did not come in time was lost, or it has come late.
    @_noLocks @_noAllocation
    mutating func learnFate(isLost: Bool) { lossiness = isLost ? min(lossiness + 1, 8) : max(lossiness - 2, -8) }

    @_noLocks @_noAllocation
    public mutating func merged() { counters.merges += 1 }

    @_noLocks @_noAllocation
    public mutating func leftOut(samples: Int) {
        counters.leftOut += samples
        lastChange = clock
    }

    @_noLocks @_noAllocation
    public mutating func putIn(samples: Int) {
        counters.putIn += samples
        lastChange = clock
    }
}
