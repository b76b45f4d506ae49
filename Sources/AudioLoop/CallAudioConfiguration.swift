public import Codecs
public import MediaDescription
public import Playout
public import Realtime

/// How the loop treats one call's stream.
public struct CallAudioConfiguration: Sendable, Hashable {
    /// Used in both directions.
    public var codec: Codec
    /// Packets of any other payload type are counted and thrown away.
    public var receivePayloadType: UInt8
    /// Duration of the packets we send, in milliseconds: 10, 20, 40 or 60.
    public var packetMilliseconds: Int
    /// Ignored by other codecs.
    public var opus: OpusSettings
    /// Ours: where it does not send, nothing of the microphone is encoded; where it does not receive, nothing is played.
    public var direction: MediaDirection
    public var jitter: JitterLimits

    public init(
        codec: Codec, receivePayloadType: UInt8, packetMilliseconds: Int = 20, opus: OpusSettings = OpusSettings(),
        direction: MediaDirection = .sendrecv, jitter: JitterLimits = JitterLimits()
    ) {
        self.codec = codec
        self.receivePayloadType = receivePayloadType
        self.packetMilliseconds = [10, 20, 40, 60].contains(packetMilliseconds) ? packetMilliseconds : 20
        self.opus = opus
        self.direction = direction
        self.jitter = jitter
    }
}

/// Figures of a call since its `CallAudio` was made.
public struct CallAudioStatistics: Sendable, Hashable {
    /// RMS of the last second of what was sent, in dBFS; nil before the first and for digital silence.
    public var sentLevelDbfs: Double?
    /// RMS of the last second of what was handed to the sound card.
    public var receivedLevelDbfs: Double?
    /// Packets encoded and handed to the network thread.
    public var encodedPackets = 0
    /// Packets that found the outbound ring full.
    public var droppedPackets = 0
    /// Packets decoded.
    public var decodedPackets = 0
    /// Packets that came while the call was held, or of a payload type that was not agreed on.
    public var discardedPackets = 0
    /// Packets that no decoder could read.
    public var malformedPackets = 0
    /// What the codec adds to the delay, encoder and decoder.
    public var codecMilliseconds = 0.0
    /// What the jitter buffer has seen and decided.
    public var playout = PlayoutCounters()
    /// Sound waiting in the jitter buffer.
    public var bufferMilliseconds: Double { Double(playout.buffered) / 48 }

    public init() {}
}

/// What became of a request to change a call's gates.
public struct GateRequest: Sendable, Hashable {
    /// The word that the outbound ring's `settled` packet will carry.
    public var word: UInt32
    /// No loop runs this call, so the gates are settled already and no `settled` packet need be waited for.
    public var isSettled: Bool

    public init(word: UInt32, isSettled: Bool) {
        self.word = word
        self.isSettled = isSettled
    }
}

/// The ends of a call's rings that the network thread owns.
public struct NetworkEnds: ~Copyable, Sendable {
    /// Authenticated packets go in here. Where it is full the packet is dropped.
    public let inbound: RingWriter<InboundPacket>
    /// Packets to be sent come out here, after the descriptor given to `CallAudio` was signalled.
    public let outbound: RingReader<OutboundPacket>
}
