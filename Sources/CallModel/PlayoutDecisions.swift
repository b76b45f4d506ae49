/// What the jitter buffer of a call has decided.
public struct PlayoutDecisions: Sendable, Hashable {
    /// Packets decoded and heard.
    public var played = 0
    /// Lost packets that were recovered from the redundancy of the next.
    public var recovered = 0
    /// Packets that had come before, those that SRTP refuses as replayed included.
    public var duplicates = 0
    /// Packets that came after one of a later number, whether they were in time or not.
    public var reordered = 0
    /// Packets that came during a hold, or of another payload type.
    public var discarded = 0
    /// Packets at a time that fitted nowhere.
    public var strays = 0
    /// Packets thrown away unheard with all that waited: at a hold, when another source or codec began, or since there were too
    /// many.
    public var flushed = 0
    /// Times the timeline was found anew: the beginning, another source, a jump of the timestamps.
    public var anchorings = 0
    /// Times that real sound was joined to sound that had been made up.
    public var merges = 0
    /// Sound of packets, and of those that were recovered.
    public var heardMilliseconds = 0.0
    /// What the sender paused (discontinuous transmission).
    public var pausedMilliseconds = 0.0
    /// Silence since there was nothing to play.
    public var silentMilliseconds = 0.0
    /// Sound made up for packets known, or taken, to be lost; the rest of what was concealed bridged late ones.
    public var lossConcealedMilliseconds = 0.0
    /// Sound left out to lower the delay.
    public var acceleratedMilliseconds = 0.0
    /// Sound put in to raise the delay.
    public var expandedMilliseconds = 0.0
    /// How much later than the fastest a packet may come.
    public var targetMilliseconds = 0.0
    /// How much later than the fastest the slowest of the last four seconds came.
    public var spreadMilliseconds = 0.0
    /// How much faster the sender's clock runs than ours; 0 where that is not known.
    public var senderDriftPartsPerMillion = 0.0

    public init() {}
}
