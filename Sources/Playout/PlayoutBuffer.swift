/// What the buffer is told of a packet. Lengths are in samples at 48 kHz.
public struct PlayoutPacket: BitwiseCopyable, Sendable {
    public var sequenceNumber: UInt16
    /// In units of the codec's RTP clock.
    public var timestamp: UInt32
    /// Counts up with every new source; a change starts the buffer afresh.
    public var epoch: UInt32
    /// The sound it carries, 120...5,760.
    public var duration: Int
    /// How long ago it was received, not negative.
    public var age: Int
    /// It is one of discontinuous transmission: a pause may follow (RFC 7587 §3.1.3).
    public var endsTalk: Bool

    @_noLocks @_noAllocation
    public init(
        sequenceNumber: UInt16, timestamp: UInt32, epoch: UInt32 = 0, duration: Int, age: Int = 0,
        endsTalk: Bool = false
    ) {
        self.sequenceNumber = sequenceNumber
        self.timestamp = timestamp
        self.epoch = epoch
        self.duration = duration
        self.age = age
        self.endsTalk = endsTalk
    }
}

/// What became of a packet.
public enum Insertion: UInt8, BitwiseCopyable, Sendable {
    case queued
    /// Queued, and everything older is gone: the stream began, another source took over, or its timestamps jumped.
    /// Reset the decoder.
    case anchored
    case duplicate
    /// Its time has passed.
    case late
    /// It fits the stream's timeline nowhere; a few of its kind, and the buffer follows them.
    case offTimeline
}

/// Where the next sound comes from. Lengths are in samples at 48 kHz.
public enum PlayoutDecision: BitwiseCopyable, Sendable {
    /// Decode the packet in this slot, then call `finish`.
    case packet(slot: Int)
    /// Recover this much from the redundancy of the packet in this slot, which stays.
    case redundancy(slot: Int, samples: Int)
    /// Sound is missing: conceal at most this much, then call `skipped`.
    case conceal(samples: Int)
    /// The sender pauses: comfort noise or silence of at most this much, then call `skipped`.
    case pause(samples: Int)
    /// Nothing to play: at most this much silence, then call `skipped`.
    case silence(samples: Int)
}

/// A playout buffer for one stream, for the loop's thread. It knows no clock but the samples it has handed out, and no
/// codec, so that a test can simulate hours in a moment.
///
/// Once a turn: `insert` what has arrived, `decide` until the turn has its sound, ask `excess`, then `advance`.
public protocol PlayoutBuffer: ~Copyable {
    /// Takes a packet. `decoded` is the sound that is decoded and not yet played.
    mutating func insert(
        _ packet: PlayoutPacket, _ payload: UnsafePointer<UInt8>, _ count: Int, decoded: Int
    ) -> Insertion
    /// Where the next `needed` samples come from.
    mutating func decide(needed: Int, hasRedundancy: Bool) -> PlayoutDecision
    /// The payload in `slot`.
    borrowing func payload(in slot: Int) -> (bytes: UnsafePointer<UInt8>, count: Int)
    /// The packet in `slot` has been decoded to `samples` (0 for one that was malformed) and is gone.
    mutating func finish(slot: Int, samples: Int)
    /// `samples` were made up; `isLoss` where they stand for sound that should have come.
    mutating func skipped(samples: Int, isLoss: Bool)
    /// Decoded sound that may be left out to come nearer to the target delay, 0 where there is none.
    mutating func excess(decoded: Int) -> Int
    /// `samples` of the decoded sound have been left out.
    mutating func leftOut(samples: Int, decoded: Int)
    /// A turn of `samples` has been played.
    mutating func advance(samples: Int, decoded: Int)
    /// Forgets the stream's timeline and all packets; what was learnt of the network is kept.
    mutating func reset()
    /// Figures since the buffer was made.
    var counters: PlayoutCounters { get }
}

/// What a playout buffer has seen. Lengths are in samples at 48 kHz.
public struct PlayoutCounters: BitwiseCopyable, Sendable {
    /// Packets that came after their turn to be played.
    public var late = 0
    /// Packets that had not come when they were due.
    public var lost = 0
    public var duplicates = 0
    /// Times the timeline was found anew.
    public var anchorings = 0
    /// Sound that was made up for what was missing.
    public var concealed = 0
    /// Sound left out to lower the delay.
    public var leftOut = 0
    /// Sound waiting now, decoded or not; smoothed.
    public var buffered = 0
    /// How much later the slowest recent packet came than the fastest.
    public var spread = 0

    @_noLocks @_noAllocation
    public init() {}
}
