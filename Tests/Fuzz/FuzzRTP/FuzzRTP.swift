import RTP

/// Datagrams of a media socket: the input is a sequence of them, each after a byte that gives its length.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    var validator: SourceValidator?
    var statistics: ReceptionStatistics?
    var watch = TimestampWatch(clockRate: 48_000)
    var digits = DigitReceiver(clockRate: 48_000)
    var position = 0
    var now: UInt64 = 0
    while position < bytes.count {
        let end = min(bytes.count, position + 1 + Int(bytes[position]))
        let datagram = Array(bytes[(position + 1)..<max(position + 1, end)])
        position = max(position + 1, end)
        now += 20_000_000
        _ = MediaDatagram(classifying: datagram.span)
        if let compound = try? RTCPCompound(parsing: datagram.span) {
            var printed: [UInt8] = []
            compound.append(to: &printed)
            precondition((try? RTCPCompound(parsing: printed.span)) != nil, "our own RTCP is not read")
        }
        guard let packet = try? RTPPacket(parsing: datagram.span) else { continue }
        let header = packet.header
        if validator == nil {
            validator = SourceValidator(first: header.sequenceNumber)
            statistics = ReceptionStatistics(first: header.sequenceNumber)
        }
        _ = validator?.receive(header.sequenceNumber)
        statistics?.receive(
            header.sequenceNumber, timestamp: header.timestamp, arrival: UInt32(truncatingIfNeeded: now / 20_833))
        _ = watch.receive(timestamp: header.timestamp, arrival: now)
        if let event = TelephoneEvent(parsing: datagram.span.extracting(packet.payload)) {
            _ = digits.receive(event, timestamp: header.timestamp, at: now)
        }
        _ = statistics?.makeReport(source: 1, lastReport: 0, delay: 0)
        _ = digits.expire(at: now + 1)
    }
    return 0
}
