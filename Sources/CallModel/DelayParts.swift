/// Where a call's delay is, from mouth to ear, in milliseconds: what our microphone's sound waits for on its way to the network,
/// and what the peer's waits for on its way to our loudspeaker. Between two machines alike the sum is the whole way.
public struct DelayParts: Sendable, Hashable {
    /// Until a turn of the loop has it.
    public var capture = 0.0
    /// Beyond it, until its packet is full.
    public var packet = 0.0
    /// What the codec looks ahead, and its resampling.
    public var codec = 0.0
    /// Half the round trip; 0 before the first is known.
    public var network = 0.0
    /// From a packet's arrival to the turn that plays it.
    public var buffer = 0.0
    /// From there to the loudspeaker.
    public var playback = 0.0

    public init() {}

    public var total: Double { capture + packet + codec + network + buffer + playback }
}
