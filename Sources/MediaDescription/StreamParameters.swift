/// A numeric IP address and a UDP port.
public struct MediaAddress: Sendable, Hashable {
    /// Numeric IPv4 or IPv6 address, without brackets.
    public var host: String
    public var port: UInt16

    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }
}

/// Suites of RFC 4568 §6.2 that we speak.
public enum SRTPSuite: String, Sendable, Hashable, CaseIterable {
    case aesCM128HMACSHA1_80 = "AES_CM_128_HMAC_SHA1_80"
    case aesCM128HMACSHA1_32 = "AES_CM_128_HMAC_SHA1_32"
}

/// One direction's SDES keying. It describes itself without its key, so that no log can hold one.
public struct SRTPKeying: Sendable, Hashable, CustomStringConvertible {
    public var suite: SRTPSuite
    /// 16 octets of master key and 14 of master salt (RFC 4568 §6.1).
    public var keyAndSalt: [UInt8]

    public init(suite: SRTPSuite, keyAndSalt: [UInt8]) {
        self.suite = suite
        self.keyAndSalt = keyAndSalt
    }

    public var description: String { suite.rawValue }
}

/// How the packets of a stream are protected.
public enum StreamSecurity: Sendable, Hashable {
    case none
    /// SDES: each side sends under its own key (RFC 4568 §5.1.2).
    case srtp(send: SRTPKeying, receive: SRTPKeying)
}

/// How a stream's key exchange is offered and what is accepted (the `srtp` setting).
public enum SRTPPolicy: String, Sendable, Hashable, CaseIterable {
    case off, optional, required
}

/// What offer and answer agreed on for the one audio stream of a call.
public struct StreamParameters: Sendable, Hashable {
    /// Where RTP goes; port 0 or a null address means that nothing may be sent.
    public var remoteRTP: MediaAddress
    /// Where RTCP goes: equal to `remoteRTP` where RTP and RTCP are multiplexed (RFC 5761).
    public var remoteRTCP: MediaAddress
    public var multiplexesRTCP = false
    /// Our direction.
    public var direction: MediaDirection
    public var codec: Codec
    /// The payload type the peer wants to receive.
    public var sendPayloadType: UInt8
    /// The payload type the peer will send.
    public var receivePayloadType: UInt8
    /// What the peer wants of our Opus encoder; meaningless with other codecs.
    public var opus = OpusParameters()
    /// Duration of the packets we send, in milliseconds.
    public var packetMilliseconds: Int
    /// Payload type of RFC 4733 events we may send; nil where the peer takes none.
    public var sendEventPayloadType: UInt8?
    /// Payload type of RFC 4733 events the peer may send; nil where none was agreed on.
    public var receiveEventPayloadType: UInt8?
    /// The clock of those events, in Hz; nil: the codec's.
    public var eventClockRate: Int?
    /// Payload type of RFC 2198 packets around our codec that we may send; nil where the peer takes none.
    public var sendRedundancyPayloadType: UInt8?
    /// Payload type of RFC 2198 packets that the peer may send; nil where none was agreed on.
    public var receiveRedundancyPayloadType: UInt8?
    /// What the peer's `b=` lines leave for payload, in bit/s; nil where it sets no limit.
    public var maximumBitRate: Int?
    public var extendedReports = ExtendedReports()
    public var security: StreamSecurity
    /// The same stream in the other codecs of the peer's answer, to each of which it may go over without a word (RFC 3264
    /// §5.1). They have no alternatives of their own.
    public var alternatives: [StreamParameters] = []

    public init(
        remoteRTP: MediaAddress, remoteRTCP: MediaAddress, direction: MediaDirection, codec: Codec,
        sendPayloadType: UInt8, receivePayloadType: UInt8, packetMilliseconds: Int, security: StreamSecurity
    ) {
        self.remoteRTP = remoteRTP
        self.remoteRTCP = remoteRTCP
        self.direction = direction
        self.codec = codec
        self.sendPayloadType = sendPayloadType
        self.receivePayloadType = receivePayloadType
        self.packetMilliseconds = packetMilliseconds
        self.security = security
    }

    /// Payload types that the peer's sound may come under, alone or with redundancy.
    public var payloadTypesOfSound: [UInt8] { [receivePayloadType] + [receiveRedundancyPayloadType].compactMap { $0 } }
}

/// What we are willing to negotiate for a call: an account's or the direct calls' media settings.
public struct MediaPolicy: Sendable, Hashable {
    /// In order of preference, not empty.
    public var codecs: [Codec]
    public var srtp: SRTPPolicy
    /// What our offers and answers say about the Opus we want to receive.
    public var opus: OpusParameters
    /// Wanted packet duration in milliseconds: 10, 20, 40 or 60.
    public var packetMilliseconds: Int
    /// Whether RFC 2198 is offered and taken.
    public var redundancy: RedundancyPolicy
    /// The longest packets that we wish to be sent, in milliseconds; nil where any will do.
    public var maximumPacketMilliseconds: Int?

    public init(
        codecs: [Codec] = [.opus, .g722, .pcma, .pcmu], srtp: SRTPPolicy = .optional,
        opus: OpusParameters = OpusParameters(), packetMilliseconds: Int = 20, redundancy: RedundancyPolicy = .auto
    ) {
        self.codecs = codecs
        self.srtp = srtp
        self.opus = opus
        self.packetMilliseconds = packetMilliseconds
        self.redundancy = redundancy
    }
}
