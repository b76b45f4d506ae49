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
    /// It did not come by itself, but as a copy in a later packet (RFC 2198): how long it took says what it takes to
    /// recover one, nothing of the network.
    public var isRecovered: Bool
    /// It carries the sound of the packet before it once more (RFC 6716 §2.1.7).
    public var hasRedundancy: Bool

    @_noLocks @_noAllocation
    public init(
        sequenceNumber: UInt16, timestamp: UInt32, epoch: UInt32 = 0, duration: Int, age: Int = 0,
        endsTalk: Bool = false, isRecovered: Bool = false, hasRedundancy: Bool = false
    ) {
        self.sequenceNumber = sequenceNumber
        self.timestamp = timestamp
        self.epoch = epoch
        self.duration = duration
        self.age = age
        self.endsTalk = endsTalk
        self.isRecovered = isRecovered
        self.hasRedundancy = hasRedundancy
    }
}

/// What became of a packet.
public enum Insertion: UInt8, BitwiseCopyable, Sendable {
    case queued
    /// Queued, and everything older is gone: the stream began, another source took over, or it went on after a pause or a loss
    /// with timestamps that have jumped. Reset the decoder.
    case anchored
    case duplicate
    /// Its time has passed.
    case late
    /// It fits the stream's timeline nowhere; a few of its kind, and the buffer follows them.
    case offTimeline
}

/// Where the next sound comes from. Lengths are in samples at 48 kHz. The first `skip` samples of what a decoder makes are
/// not for playing: other sound has been played for them. Decoding them all the same keeps the decoder's state right.
public enum PlayoutDecision: BitwiseCopyable, Sendable, Hashable {
    /// Decode the packet in this slot.
    case packet(slot: Int, skip: Int)
    /// Recover this much, the length of the lost packet before it, from the redundancy of the packet in this slot.
    case redundancy(slot: Int, samples: Int, skip: Int)
    /// Sound is lost: let the decoder make it up.
    case conceal(samples: Int, skip: Int)
    /// Nothing has come, and it may only be late: go on with the sound that was, and let the decoder be.
    case bridge(samples: Int)
    /// The sender pauses: comfort noise or silence.
    case pause(samples: Int)
    /// Nothing to play.
    case silence(samples: Int)
}

/// How the sound that is decoded and not yet played is to be changed, where that cannot be heard.
public enum PlayoutScaling: BitwiseCopyable, Sendable, Hashable {
    case none
    /// Leave out at most so much, where `Care` allows it.
    case shorten(by: Int, Care)
    /// Put in about so much.
    case lengthen(by: Int)

    /// Where sound may be left out.
    public enum Care: BitwiseCopyable, Sendable, Hashable {
        /// In a pause between words: one that is shorter is the same pause.
        case inPauses
        /// Where it is quiet, and where the sound repeats itself.
        case unheard
        /// The delay has been far too long for a while: it may be heard a little.
        case urgent
    }
}

/// A playout buffer for one stream, for the loop's thread. It knows no clock but the samples it has handed out, and no
/// codec, so that a test can simulate hours in a moment.
///
/// Once a turn: `insert` what has arrived, `decide` and carry out until the turn has its sound, ask for `scaling`, then
/// `advance`. `decoded` is always the sound that is decoded, or made up, and not yet played.
public protocol PlayoutBuffer: ~Copyable {
    /// Takes a packet.
    mutating func insert(
        _ packet: PlayoutPacket, _ payload: UnsafePointer<UInt8>, _ count: Int, decoded: Int
    ) -> Insertion
    /// Where the next `needed` samples come from.
    mutating func decide(needed: Int, decoded: Int) -> PlayoutDecision
    /// The payload in `slot`.
    borrowing func payload(in slot: Int) -> (bytes: UnsafePointer<UInt8>, count: Int)
    /// The decision was carried out: a decoder made `samples`, those to be skipped included (0 where the packet was
    /// malformed), or so much was put out in place of sound.
    mutating func carriedOut(_ decision: PlayoutDecision, samples: Int)
    /// Whether the sound that follows what is decoded is there.
    var isNextReady: Bool { get }
    /// What is to be done with the decoded sound to come nearer to the delay that is needed.
    mutating func scaling(decoded: Int) -> PlayoutScaling
    /// `samples` of the decoded sound have been left out, by wish of `scaling`.
    mutating func leftOut(samples: Int)
    /// `samples` have been put into the decoded sound, by wish of `scaling` or to join it to what was made up.
    mutating func putIn(samples: Int)
    /// Real sound has been joined to what was made up.
    mutating func merged()
    /// A turn of `samples` has been played.
    mutating func advance(samples: Int, decoded: Int)
    /// Forgets the stream's timeline and all packets; what was learnt of the network is kept.
    mutating func reset()
    /// How many samples of the decoded sound are to be played in the time of one: 1 but for what the sender's clock differs
    /// from ours. Asked once a turn.
    mutating func nextPace(decoded: Int) -> Double
    /// What has been learnt of the network.
    var arrivals: DelayEstimator { get }
    /// What has been learnt of the sender's clock.
    var senderClock: DriftEstimator { get }
    /// Takes over what another buffer has learnt of the same network and sender.
    mutating func learn(_ network: DelayEstimator, _ sender: DriftEstimator)
    /// Figures since the buffer was made.
    var counters: PlayoutCounters { get }
}
