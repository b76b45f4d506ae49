/// A voice codec, named as in its RTP payload format's rtpmap.
public enum Codec: String, Sendable, Hashable, CaseIterable {
    case opus = "opus"
    case g722 = "G722"
    case pcma = "PCMA"
    case pcmu = "PCMU"

    /// The RTP clock rate in Hz. G.722 samples at 16 kHz, but its clock is 8 kHz (RFC 3551 §4.5.2).
    public var clockRate: Int { self == .opus ? 48_000 : 8_000 }

    /// The rate of the sound it carries, in Hz.
    public var sampleRate: Int {
        switch self {
        case .opus: 48_000
        case .g722: 16_000
        case .pcma, .pcmu: 8_000
        }
    }

    /// The static payload type (RFC 3551 §6), or nil where it is dynamic.
    public var staticPayloadType: UInt8? {
        switch self {
        case .opus: nil
        case .g722: 9
        case .pcma: 8
        case .pcmu: 0
        }
    }
}

/// What the writer of an Opus fmtp line wants to receive (RFC 7587 §6.1). Absent parameters have the RFC's defaults.
public struct OpusParameters: Sendable, Hashable {
    /// Highest useful sample rate in Hz, 8000...48000.
    public var maxPlaybackRate = 48_000
    /// Highest average bit rate in bit/s, 6000...510000; nil where the writer set none.
    public var maxAverageBitrate: Int?
    public var stereo = false
    public var constantBitrate = false
    public var inBandFEC = false
    public var discontinuousTransmission = false

    public init() {}
}
