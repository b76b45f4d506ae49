internal import RTP

extension RTPStream {
    /// Octets of UDP and IP headers, which count in RTCP's share of the bandwidth (RFC 3550 §6.2).
    private static let headerOctets = 28

    // MARK: Receiving

    func receiveRTCP(
        _ base: UnsafeMutableRawPointer, count: Int, _ format: PacketFormat, from endpoint: Endpoint,
        at now: UInt64
    ) {
        guard format.isKeyed || isKnownHost(endpoint) else {
            figures.foreign += 1
            return
        }
        var length = count
        if format.isKeyed {
            guard let inner = unprotect(base, count: count, isRTCP: true) else { return }
            length = inner
        }
        let datagram = UnsafeMutableRawBufferPointer(start: base, count: count)
        guard let compound = try? RTCPCompound(parsing: datagram.octets(length).span) else {
            figures.invalid += 1
            return
        }
        figures.lastHeard = now
        schedule.count(size: count + Self.headerOctets)
        if !format.multiplexesRTCP { latchedRTCP = endpoint }
        for packet in compound.packets { take(packet, at: now) }
    }

    /// Where nothing is authenticated, reports are taken from the hosts that signalling or sound come from.
    private func isKnownHost(_ endpoint: Endpoint) -> Bool {
        [signalled, signalledRTCP, latched].contains { $0?.hasSameHost(as: endpoint) == true }
    }

    private func take(_ packet: RTCPPacket, at now: UInt64) {
        switch packet {
        case .senderReport(let ssrc, let sender, let blocks):
            if sources.current?.ssrc == ssrc { lastSenderReport = (sender.ntp.middle, now) }
            take(blocks, at: now)
        case .receiverReport(_, let blocks):
            take(blocks, at: now)
        case .goodbye(let ssrcs):
            // What follows it, from wherever, is another source.
            if let current = sources.current, ssrcs.contains(current.ssrc) { sources.forget() }
        case .sourceDescription, .other: break
        }
    }

    private func take(_ blocks: [ReportBlock], at now: UInt64) {
        for block in blocks where block.source == source {
            figures.remoteLoss = Double(block.fractionLost) / 256
            if let trip = block.roundTrip(at: ntp(at: now)) { figures.roundTrip = Double(trip) / 65_536 }
        }
    }

    // MARK: Sending

    func reportIfDue(at now: UInt64) {
        schedule.senders = (schedule.weSent ? 1 : 0) + (sources.current == nil ? 0 : 1)
        guard schedule.expire(at: now, random: Double.random(in: 0..<1, using: &random)) else { return }
        sendReport(at: now, leaving: false)
        let sentSince = figures.sentPackets > sentBeforeReports.last
        sentBeforeReports = (figures.sentPackets, sentBeforeReports.last)
        schedule.weSent = sentSince || sentBeforeReports.last > sentBeforeReports.earlier
    }

    /// Says goodbye; the stream sends nothing more after it.
    func close(at now: UInt64) {
        if let digits, digits.number != 0 { output.report(.digitsDone(request: digits.number, sent: false)) }
        digits = nil
        sendReport(at: now, leaving: true)
        unconfigure()
    }

    private func sendReport(at now: UInt64, leaving: Bool) {
        guard let (target, socket) = rtcpTarget else { return }
        var blocks: [ReportBlock] = []
        if let current = sources.current {
            let delay = lastSenderReport.map { (now &- $0.arrival) / 1_000 &* 65_536 / 1_000_000 } ?? 0
            if let block = sources.current?.statistics.makeReport(
                source: current.ssrc, lastReport: lastSenderReport?.middle ?? 0, delay: UInt32(clamping: delay))
            {
                blocks.append(block)
            }
        }
        // A sender is who has sent since the report before the last (RFC 3550 §6.4).
        let sends = figures.sentPackets > sentBeforeReports.earlier
        let information = SenderInformation(
            ntp: ntp(at: now), timestamp: clock.timestamp(at: now),
            packets: UInt32(truncatingIfNeeded: figures.sentPackets),
            octets: UInt32(truncatingIfNeeded: figures.sentOctets))
        var packets: [RTCPPacket] = [
            sends ? .senderReport(source: source, information, blocks) : .receiverReport(source: source, blocks),
            .sourceDescription([.init(source: source, name: identity.canonicalName)]),
        ]
        if leaving { packets.append(.goodbye(sources: [source])) }
        packet.begin()
        RTCPCompound(packets).append(to: &packet.bytes)
        schedule.count(size: packet.bytes.count + Self.headerOctets)
        _ = transmit(to: target, on: socket, isRTCP: true)
    }

    private func ntp(at now: UInt64) -> NTPTime { NTPTime(unixNanoseconds: now &+ wallClockOffset) }
}

extension RTPStream {
    /// The figures as of now.
    var currentFigures: StreamFigures {
        var now = figures
        now.lost = sources.lost
        if let statistics = sources.current?.statistics {
            now.jitter = Double(statistics.jitter) / Double(max(1, format?.clockRate ?? clock.rate))
        }
        return now
    }
}
