internal import MediaDescription

/// What every packet of a stream is made and read by: the part of `StreamParameters` that has neither texts nor keys, so
/// that looking at it counts no references.
struct PacketFormat {
    /// RTP ticks a second.
    var clockRate: Int
    var sendPayloadType: UInt8
    var receivePayloadType: UInt8
    /// Of RFC 4733 events; nil where none are sent.
    var sendEventPayloadType: UInt8?
    /// Of RFC 4733 events; nil where none are received.
    var receiveEventPayloadType: UInt8?
    var sends: Bool
    var isKeyed: Bool
    var multiplexesRTCP: Bool

    init(_ parameters: StreamParameters) {
        clockRate = parameters.codec.clockRate
        sendPayloadType = parameters.sendPayloadType
        receivePayloadType = parameters.receivePayloadType
        sendEventPayloadType = parameters.sendEventPayloadType
        receiveEventPayloadType = parameters.receiveEventPayloadType
        sends = parameters.direction.sends
        isKeyed = parameters.security != .none
        multiplexesRTCP = parameters.multiplexesRTCP
    }
}
