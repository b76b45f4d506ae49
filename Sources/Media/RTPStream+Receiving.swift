internal import Codecs
internal import RTP

extension RTPStream {
    /// Takes a datagram as it came; its bytes are decrypted in place.
    func receive(
        _ datagram: UnsafeMutableRawBufferPointer, from endpoint: Endpoint, on socket: StreamSocket, at now: UInt64
    ) {
        // Empty ones keep NAT bindings alive; what comes before offer and answer are done has no meaning yet.
        guard let format, let base = datagram.baseAddress, !datagram.isEmpty else { return }
        guard mayHear(endpoint) else {
            figures.foreign += 1
            return
        }
        switch MediaDatagram(classifying: datagram.octets(datagram.count).span) {
        case .rtp where socket == .rtp:
            receiveRTP(base, count: datagram.count, format, from: endpoint, at: now)
        case .rtcp where socket == .rtcp || format.multiplexesRTCP:
            receiveRTCP(base, count: datagram.count, format, from: endpoint, at: now)
        case .rtp, .rtcp:
            figures.foreign += 1
        case .other:
            figures.invalid += 1
        }
    }

    private func receiveRTP(
        _ base: UnsafeMutableRawPointer, count: Int, _ format: PacketFormat, from endpoint: Endpoint,
        at now: UInt64
    ) {
        let datagram = UnsafeMutableRawBufferPointer(start: base, count: count)
        guard let outer = try? RTPPacket(parsing: datagram.octets(count).span) else {
            figures.invalid += 1
            return
        }
        guard
            sources.admits(
                ssrc: outer.header.source, from: endpoint, signalled: signalled, isKeyed: format.isKeyed, at: now)
        else {
            figures.foreign += 1
            return
        }
        var packet = outer
        if format.isKeyed {
            guard let length = unprotect(base, count: count, isRTCP: false) else { return }
            guard let inner = try? RTPPacket(parsing: datagram.octets(length).span) else {
                figures.invalid += 1
                return
            }
            packet = inner
        }
        let kind = PayloadKind(packet.header.payloadType, format)
        if kind == .unknown { figures.invalid += 1 }
        if kind == .unknown || kind == .comfortNoise {
            // No proof of a source, but part of the sequence of one that is known.
            guard sources.isCurrent(ssrc: packet.header.source, endpoint: endpoint) else {
                if kind == .comfortNoise { figures.foreign += 1 }
                return
            }
        }
        let clockRate = format.clockRate
        let verdict = sources.receive(
            packet.header, from: endpoint, isKeyed: format.isKeyed, clockRate: clockRate, at: now)
        let isNewest: Bool
        switch verdict {
        case .foreign:
            figures.foreign += 1
            return
        case .rejected:
            figures.outOfWindow += 1
            return
        case .valid(let newest): isNewest = newest
        case .began:
            isNewest = true
            begin(source: packet.header.source, from: endpoint, clockRate: clockRate, at: now)
            beginPattern(packet.header.sequenceNumber)
        }
        pattern?.receive(packet.header.sequenceNumber)
        figures.receivedPackets += 1
        figures.receivedOctets += packet.payload.count
        figures.lastHeard = now
        let arrival = UInt32(truncatingIfNeeded: now / 1_000 &* UInt64(clockRate) / 1_000_000)
        sources.current?.statistics.receive(
            packet.header.sequenceNumber, timestamp: packet.header.timestamp, arrival: arrival,
            contributesToJitter: kind == .sound || kind == .redundancy)
        switch kind {
        case .sound:
            if format.receiveRedundancyPayloadType != nil { redundancy.note(timestamp: packet.header.timestamp) }
            deliver(packet.payload, of: packet.header, format, in: datagram, at: now)
        case .redundancy: unpack(packet, format, in: datagram, at: now)
        case .event:
            eventGaps.count(packet.header.sequenceNumber)
            if let event = TelephoneEvent(parsing: datagram.octets(in: packet.payload).span) {
                receiveEvent(event, timestamp: packet.header.timestamp, at: now)
            } else {
                figures.invalid += 1
            }
        case .otherSound:
            eventGaps.count(packet.header.sequenceNumber)
            if isNewest { hear(another: packet.header.payloadType, packet.header.sequenceNumber) }
        case .comfortNoise, .unknown:
            eventGaps.count(packet.header.sequenceNumber)
        }
    }

    /// Authenticates and decrypts in place, and counts what is refused.
    func unprotect(_ packet: UnsafeMutableRawPointer, count: Int, isRTCP: Bool) -> Int? {
        switch receiveSession.apply(packet, count: count, isRTCP: isRTCP) {
        case .length(let length): return length
        case .replayed: figures.replayed += 1
        case .refused: figures.invalid += 1
        }
        return nil
    }

    /// Another source, or the same one anew.
    private func begin(source ssrc: UInt32, from endpoint: Endpoint, clockRate: Int, at now: UInt64) {
        epoch &+= 1
        figures.epochs += 1
        latched = endpoint
        (lastSenderReport, announced) = (nil, nil)
        if digitSource == ssrc {
            digitReceiver.changeClock(to: clockRate, eventRate: format?.eventClockRate)
        } else {
            digitReceiver = DigitReceiver(clockRate: clockRate, eventRate: format?.eventClockRate)
            digitSource = ssrc
        }
        eventGaps = EventGaps()
        // Two that chose the same number: we take another one (RFC 3550 §8.2), once, as it may be an echo of our own.
        if ssrc == source, source == identity.source {
            sendReport(at: now, leaving: true)
            source = random.next()
            sequenceNumber = SequenceNumber(rawValue: UInt16.random(in: 0...0x7FFF, using: &random))
            reportedHighest = UInt32(sequenceNumber.rawValue) &- 1
            sentAsOther = (figures.sentPackets, figures.sentOctets)
        }
    }

    /// The numbers of a new source, or of the same one anew; what was counted goes on.
    private func beginPattern(_ first: SequenceNumber) {
        redundancy = RedundancyReceiver()
        if pattern == nil { pattern = ReceptionPattern(first: first) } else { pattern?.restart(at: first) }
    }

    /// The peer may go over to any codec of its answer without a word (RFC 3264 §5.1). One packet is not yet that.
    private func hear(another payloadType: UInt8, _ number: SequenceNumber) {
        let last = otherSound
        otherSound = (payloadType, number)
        guard let last, last.payloadType == payloadType, last.number.next == number else { return }
        output.report(.otherCodec(payloadType: payloadType))
    }

    /// Hands over the sound at `range` of the datagram, which `header` places in the stream.
    private func deliver(
        _ range: Range<Int>, of header: RTPHeader, isRecovered: Bool = false, _ format: PacketFormat,
        in datagram: UnsafeMutableRawBufferPointer, at now: UInt64
    ) {
        guard !range.isEmpty else { return }
        if let duration = duration(of: range, format, in: datagram) { receivedDuration = duration }
        let isTaken = output.deliver(
            ReceivedSound(
                sequenceNumber: eventGaps.number(withoutEvents: header.sequenceNumber),
                payloadType: format.receivePayloadType,
                marker: header.marker, timestamp: header.timestamp, epoch: epoch, arrival: now,
                isRecovered: isRecovered, payload: UnsafeRawBufferPointer(rebasing: datagram[range])))
        if !isTaken { figures.overruns += 1 }
    }

    /// In samples at 48 kHz.
    private func duration(
        of range: Range<Int>, _ format: PacketFormat, in datagram: UnsafeMutableRawBufferPointer
    ) -> Int? {
        let octets = datagram.octets(in: range)
        return octets.baseAddress.flatMap { format.codec.duration(of: $0, octets.count) }
    }

    /// Takes a redundant packet apart (RFC 2198): earlier sound that has not come goes before its own, as if it had come by
    /// itself.
    private func unpack(
        _ packet: RTPPacket, _ format: PacketFormat, in datagram: UnsafeMutableRawBufferPointer, at now: UInt64
    ) {
        guard
            let payload = try? RedundantPayload(parsing: datagram.octets(in: packet.payload).span),
            payload.primaryType == format.receivePayloadType
        else {
            figures.invalid += 1
            return
        }
        let start = packet.payload.lowerBound
        func place(_ range: Range<Int>) -> Range<Int> { range.lowerBound + start..<range.upperBound + start }
        // Its clock is that of the samples.
        let length = duration(of: place(payload.primary), format, in: datagram) ?? receivedDuration
        let recovered = redundancy.take(
            payload, number: packet.header.sequenceNumber, timestamp: packet.header.timestamp,
            payloadType: format.receivePayloadType, duration: UInt32(clamping: length))
        for block in recovered {
            var header = packet.header
            (header.sequenceNumber, header.timestamp, header.marker) = (block.sequenceNumber, block.timestamp, false)
            pattern?.recover(block.sequenceNumber)
            figures.recovered += 1
            deliver(place(block.bytes), of: header, isRecovered: true, format, in: datagram, at: now)
        }
        deliver(place(payload.primary), of: packet.header, format, in: datagram, at: now)
    }

    private func receiveEvent(_ event: TelephoneEvent, timestamp: UInt32, at now: UInt64) {
        for digit in digitReceiver.receive(event, timestamp: timestamp, at: now) {
            output.report(.digit(digit.digit, milliseconds: digit.milliseconds))
        }
    }
}

/// What a packet carries, by its payload type.
private enum PayloadKind {
    case sound, event
    /// RFC 2198: sound, and earlier sound once more.
    case redundancy
    /// Sound of another codec that was agreed on.
    case otherSound
    /// RFC 3389: sound that nobody misses.
    case comfortNoise
    case unknown

    init(_ type: UInt8, _ format: PacketFormat) {
        self =
            switch type {
            case format.receivePayloadType: .sound
            case format.receiveEventPayloadType: .event
            case format.receiveRedundancyPayloadType: .redundancy
            case _ where format.isOtherSound(type): .otherSound
            case 13: .comfortNoise
            default: .unknown
            }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// The first `count` octets.
    func octets(_ count: Int) -> UnsafeBufferPointer<UInt8> { octets(in: 0..<count) }

    func octets(in range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(
            start: baseAddress?.advanced(by: range.lowerBound).assumingMemoryBound(to: UInt8.self), count: range.count)
    }
}
