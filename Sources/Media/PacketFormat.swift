internal import MediaDescription

/// What every packet of a stream is made and read by: the part of `StreamParameters` that has neither texts nor keys, so
/// that looking at it counts no references.
struct PacketFormat {
    var codec: Codec
    /// RTP ticks a second.
    var clockRate: Int
    var sendPayloadType: UInt8
    var receivePayloadType: UInt8
    /// Of RFC 4733 events; nil where none are sent.
    var sendEventPayloadType: UInt8?
    /// Of RFC 4733 events; nil where none are received.
    var receiveEventPayloadType: UInt8?
    /// Ticks of RFC 4733 durations a second.
    var eventClockRate: Int
    /// Of RFC 2198; nil where none is sent.
    var sendRedundancyPayloadType: UInt8?
    /// Of RFC 2198; nil where none is received.
    var receiveRedundancyPayloadType: UInt8?
    /// Bit n: sound of another codec that the peer may send, of payload type n.
    private var otherPayloadTypes: UInt128 = 0
    var extendedReports: ExtendedReports
    var sends: Bool
    var isKeyed: Bool
    var multiplexesRTCP: Bool

    init(_ parameters: StreamParameters) {
        codec = parameters.codec
        clockRate = parameters.codec.clockRate
        sendPayloadType = parameters.sendPayloadType
        receivePayloadType = parameters.receivePayloadType
        sendEventPayloadType = parameters.sendEventPayloadType
        receiveEventPayloadType = parameters.receiveEventPayloadType
        eventClockRate = parameters.eventClockRate ?? parameters.codec.clockRate
        sendRedundancyPayloadType = parameters.sendRedundancyPayloadType
        receiveRedundancyPayloadType = parameters.receiveRedundancyPayloadType
        extendedReports = parameters.extendedReports
        sends = parameters.direction.sends
        isKeyed = parameters.security != .none
        multiplexesRTCP = parameters.multiplexesRTCP
        for type in parameters.alternatives.flatMap(\.payloadTypesOfSound) { otherPayloadTypes |= 1 << type }
    }

    /// Whether the peer may send sound of another codec under this payload type, which is below 128.
    func isOtherSound(_ payloadType: UInt8) -> Bool { otherPayloadTypes >> payloadType & 1 != 0 }
}
