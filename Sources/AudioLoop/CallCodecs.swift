internal import Codecs
internal import MediaDescription
internal import Playout

/// The sending half of a call's codec. The control side makes it and, once the loop has let it go, frees it.
struct SendCodec: ~Copyable {
    /// Used by `HandOver`; must be the first member.
    var link: UInt = 0
    let encoder: VoiceEncoder
    let clockRate: Int
    /// Samples at 48 kHz of one packet.
    let packetSamples: Int
    /// Packets of 1 or 2 octets need not be sent (RFC 7587 §3.1.3).
    let pauses: Bool
    let isOpus: Bool
    /// What the encoder was last told, where it was.
    var isSteered = false
    var expectedLoss: Int
    var bitRate: Int

    init(_ configuration: CallAudioConfiguration) throws(CodecError) {
        encoder = try VoiceEncoder(configuration.codec, opus: configuration.opus)
        clockRate = configuration.codec.clockRate
        packetSamples = configuration.packetMilliseconds * 48
        isOpus = configuration.codec == .opus
        pauses = isOpus && configuration.opus.discontinuousTransmission
        expectedLoss = configuration.opus.expectedLossPercent
        bitRate = configuration.opus.bitRate
    }

    static func make(_ configuration: CallAudioConfiguration) throws(CodecError) -> UnsafeMutablePointer<SendCodec> {
        let codec = try SendCodec(configuration)
        let memory = UnsafeMutablePointer<SendCodec>.allocate(capacity: 1)
        memory.initialize(to: codec)
        return memory
    }

    static func free(_ memory: UnsafeMutableRawPointer) {
        let codec = memory.assumingMemoryBound(to: SendCodec.self)
        codec.deinitialize(count: 1)
        codec.deallocate()
    }
}

/// The receiving half: a decoder and the buffer of packets for it.
struct ReceiveCodec: ~Copyable {
    /// Used by `HandOver`; must be the first member.
    var link: UInt = 0
    let codec: Codec
    let decoder: VoiceDecoder
    var jitter: JitterBuffer
    let payloadType: UInt8

    init(_ configuration: CallAudioConfiguration) throws(CodecError) {
        codec = configuration.codec
        decoder = try VoiceDecoder(configuration.codec, complexity: configuration.opus.complexity)
        jitter = JitterBuffer(
            clockRate: configuration.codec.clockRate, turnSamples: 480, limits: configuration.jitter,
            decoderConceals: decoder.conceals)
        payloadType = configuration.receivePayloadType
    }

    static func make(_ configuration: CallAudioConfiguration) throws(CodecError) -> UnsafeMutablePointer<ReceiveCodec> {
        let codec = try ReceiveCodec(configuration)
        let memory = UnsafeMutablePointer<ReceiveCodec>.allocate(capacity: 1)
        memory.initialize(to: codec)
        return memory
    }

    static func free(_ memory: UnsafeMutableRawPointer) {
        let codec = memory.assumingMemoryBound(to: ReceiveCodec.self)
        codec.deinitialize(count: 1)
        codec.deallocate()
    }
}
