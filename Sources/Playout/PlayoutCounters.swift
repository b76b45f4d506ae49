/// What a playout buffer has seen and decided. Lengths are in samples at 48 kHz.
///
/// Each packet that came was `played`, or is `late`, one of the `duplicates` or `strays`, was `flushed`, held no sound that
/// could be decoded, or still waits. Each sample that was put out was `heard`, `concealed`, `paused` or `silent`, or was
/// `putIn`; what was `leftOut` was not.
public struct PlayoutCounters: BitwiseCopyable, Sendable, Hashable {
    /// Packets decoded and played, whole or in part.
    public var played = 0
    /// Packets of which nothing was heard, since they came after their turn.
    public var late = 0
    /// Packets that had not come when those after them were played.
    public var lost = 0
    /// Packets that came once more, as copies (RFC 2198) or as they were.
    public var duplicates = 0
    /// Packets that came after one of a later number, in time or not: another look at those that are counted elsewhere.
    public var reordered = 0
    /// Packets that fitted the timeline nowhere.
    public var strays = 0
    /// Packets that were thrown away unheard with all that waited: another source began, the sound was flushed, or there were
    /// too many.
    public var flushed = 0
    /// Times the timeline was found anew.
    public var anchorings = 0
    /// Lost packets that were recovered from the redundancy of the next.
    public var recovered = 0
    /// Sound of packets that was put out, and of those that were recovered.
    public var heard = 0
    /// What the sender paused, whether comfort noise or silence stood for it: as long as the pause was, before its delay was changed.
    public var paused = 0
    /// Silence where there was nothing to play: before the first packet, or since nothing came for long.
    public var silent = 0
    /// Sound that was made up for what was missing, by whatever means.
    public var concealed = 0
    /// The part of it for what was known, or taken, to be lost; the rest bridged what might only be late.
    public var concealedLost = 0
    /// Times that real sound was joined to sound that had been made up.
    public var merges = 0
    /// Sound left out to lower the delay.
    public var leftOut = 0
    /// Sound put in to raise the delay.
    public var putIn = 0
    /// Sound waiting now, decoded or not; smoothed.
    public var buffered = 0
    /// How long the first sound of a packet waits from its arrival to the turn that plays it; smoothed.
    public var waited = 0
    /// How much later than the fastest a packet may come now.
    public var target = 0
    /// How much later the slowest packet of the last four seconds came than the fastest.
    public var spread = 0
    /// How much faster the sender's clock is than ours, in thousandths of a part per million; 0 where that is not known.
    public var senderDrift = 0

    @_noLocks @_noAllocation
    public init() {}

    /// Adds what `other` has counted; what is measured now stays.
    @_noLocks @_noAllocation
    public mutating func add(_ other: PlayoutCounters) {
        played += other.played
        late += other.late
        lost += other.lost
        duplicates += other.duplicates
        reordered += other.reordered
        strays += other.strays
        flushed += other.flushed
        anchorings += other.anchorings
        recovered += other.recovered
        heard += other.heard
        paused += other.paused
        silent += other.silent
        concealed += other.concealed
        concealedLost += other.concealedLost
        merges += other.merges
        leftOut += other.leftOut
        putIn += other.putIn
    }
}
