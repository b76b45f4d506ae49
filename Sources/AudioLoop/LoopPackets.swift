/// Bytes of a packet's payload that fit: an Opus packet of 1,275 and room for what the standard allows around it.
public var maximumPayload: Int {
    @_noLocks @_noAllocation get { 1_400 }
}

/// A received audio packet on its way from the network thread to the loop: authenticated, its header taken off.
public struct InboundPacket: BitwiseCopyable, Sendable {
    public var sequenceNumber: UInt16 = 0
    public var payloadType: UInt8 = 0
    public var marker = false
    /// It came in a later packet, not by itself.
    public var isRecovered = false
    /// In units of the codec's RTP clock.
    public var timestamp: UInt32 = 0
    /// Counts up with every new source, and every sequence that begins anew; a change resets the buffer.
    public var epoch: UInt32 = 0
    /// CLOCK_MONOTONIC when it was received, in nanoseconds.
    public var arrival: UInt64 = 0
    public var count = 0
    public var payload = InlineArray<1_400, UInt8>(repeating: 0)
    public init() {}
}

/// What the loop hands to the network thread, in order.
public struct OutboundPacket: BitwiseCopyable, Sendable {
    public enum Kind: UInt8, BitwiseCopyable, Sendable {
        /// Encoded sound, to be sent.
        case audio
        /// A packet's time has passed in which nothing is to be sent (discontinuous transmission, hold). Keeps time.
        case pause
        /// Everything older has been taken: the gates in `gates` are settled.
        case settled
        /// A sound that was played in the microphone's place has come to its end; its number is in `gates`.
        case ended
    }
    public var kind = Kind.pause
    /// Where the loop was when it made the packet; negative where that is not known.
    public var processor: Int32 = -1
    /// First packet after a pause (RFC 3550 §5.1, RFC 3551 §4.1).
    public var marker = false
    /// Sampling time of the first sample, in units of the codec's RTP clock, from 0 at the stream's beginning; it runs
    /// on through pauses and holds. The network thread adds the stream's random offset.
    public var timestamp: UInt32 = 0
    /// Length in units of the RTP clock.
    public var duration: UInt32 = 0
    /// The word that `settled` acknowledges, or the number of the sound that has `ended`.
    public var gates: UInt32 = 0
    public var count = 0
    public var payload = InlineArray<1_400, UInt8>(repeating: 0)
    public init() {}
}
