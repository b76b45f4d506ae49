/// A block of an extended report (RFC 3611 §3), in an RTCP packet of type 207.
public enum ExtendedReportBlock: Hashable, Sendable {
    case lossRuns(LossRuns)
    case voipMetrics(VoIPMetrics)
    /// Every block that we do not know, skipped by its length.
    case other(type: UInt8)
}

/// Which packets of a stretch have come (the loss RLE report block, RFC 3611 §4.1): more exact than any figure.
public struct LossRuns: Hashable, Sendable {
    /// Packets that one block tells of, at most. Longer stretches are read as an unknown block.
    public static let maximumPackets = 4_096

    /// Whose packets are reported on.
    public var source: UInt32
    /// The number of the first of them.
    public var first: SequenceNumber
    /// Whether each has come.
    public var received: [Bool]

    public init(source: UInt32, first: SequenceNumber, received: [Bool]) {
        self.source = source
        self.first = first
        self.received = Array(received.prefix(Self.maximumPackets))
    }
}

/// How a call sounds at the reporter's end, since it began (RFC 3611 §4.7). What is not known is nil.
public struct VoIPMetrics: Hashable, Sendable {
    /// Whose packets are reported on.
    public var source: UInt32
    /// Packets that did not come, by no redundancy either, 0...1.
    public var lossRate = 0.0
    /// Packets that came too late to be played, 0...1.
    public var discardRate = 0.0
    /// Share of the packets lost or discarded within bursts and outside them, 0...1.
    public var burstDensity = 0.0
    public var gapDensity = 0.0
    /// Mean lengths, in milliseconds.
    public var burstMilliseconds = 0
    public var gapMilliseconds = 0
    /// Between the two RTP interfaces, in milliseconds; 0 before the first.
    public var roundTripMilliseconds = 0
    /// From the reporter's RTP interface to its ear and from its mouth back, in milliseconds.
    public var endSystemMilliseconds = 0
    /// In dBm0.
    public var signalLevel: Int?
    public var noiseLevel: Int?
    /// In dB.
    public var residualEchoReturnLoss: Int?
    /// Packets in sequence that end a burst.
    public var minimumGap = 16
    /// Transmission rating of the packet network, 0...100.
    public var rFactor: Int?
    /// MOS for listening and for conversation, 1.0...5.0.
    public var mosListening: Double?
    public var mosConversational: Double?
    /// What plays in place of what is missing, and how the jitter buffer is, as §4.7.6 codes it.
    public var receiverConfiguration: UInt8 = 0
    /// Delays of the jitter buffer, in milliseconds.
    public var bufferNominalMilliseconds = 0
    public var bufferMaximumMilliseconds = 0
    public var bufferAbsoluteMaximumMilliseconds = 0

    public init(source: UInt32) { self.source = source }
}
