import RTP

/// Datagrams of a media socket: the input is a sequence of them, each after a byte that gives its length.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    var validator: SourceValidator?
    var statistics: ReceptionStatistics?
    var digits = DigitReceiver(clockRate: 48_000)
    var redundancy = RedundancyReceiver()
    var pattern: ReceptionPattern?
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
            statistics = ReceptionStatistics(first: header.sequenceNumber, clockRate: 48_000)
            pattern = ReceptionPattern(first: header.sequenceNumber)
        }
        pattern?.receive(header.sequenceNumber)
        if let payload = try? RedundantPayload(parsing: datagram.span.extracting(packet.payload)) {
            let found = redundancy.take(
                payload, number: header.sequenceNumber, timestamp: header.timestamp, payloadType: payload.primaryType,
                duration: 960)
            precondition(found.allSatisfy { $0.bytes.upperBound <= packet.payload.count }, "a block beyond its packet")
            for block in found { pattern?.recover(block.sequenceNumber) }
        }
        if let runs = pattern?.takeRuns(source: header.source) {
            precondition(runs.received.count <= LossRuns.maximumPackets, "more packets than a report has room for")
        }
        _ = validator?.receive(header.sequenceNumber)
        statistics?.receive(
            header.sequenceNumber, timestamp: header.timestamp, arrival: UInt32(truncatingIfNeeded: now / 20_833))
        if let event = TelephoneEvent(parsing: datagram.span.extracting(packet.payload)) {
            _ = digits.receive(event, timestamp: header.timestamp, at: now)
        }
        _ = statistics?.makeReport(source: 1, lastReport: 0, delay: 0)
        _ = digits.expire(at: now + 1)
    }
    return 0
}
