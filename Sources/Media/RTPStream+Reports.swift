internal import MediaDescription
internal import Quality
internal import RTP

/// What a compound packet says of our packets.
private struct Feedback {
    var highest: UInt32?
    /// In milliseconds.
    var roundTrip: Double?
    var pattern: [Bool]?
    var burstDensity: Double?
}

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
        var feedback = Feedback()
        for packet in compound.packets { take(packet, into: &feedback, at: now) }
        follow(feedback, at: now)
    }

    /// Where nothing is authenticated, reports are taken from the hosts that signalling or sound come from.
    private func isKnownHost(_ endpoint: Endpoint) -> Bool {
        [signalled, signalledRTCP, latched].contains { $0?.hasSameHost(as: endpoint) == true }
    }

    private func take(_ packet: RTCPPacket, into feedback: inout Feedback, at now: UInt64) {
        switch packet {
        case .senderReport(let ssrc, let sender, let blocks):
            if sources.current?.ssrc == ssrc { lastSenderReport = (sender.ntp.middle, now) }
            // It may be that nothing of its sound has ever come.
            if (sources.current?.ssrc ?? ssrc) == ssrc { compare(sender.packets, of: ssrc) }
            take(blocks, into: &feedback, at: now)
        case .receiverReport(_, let blocks):
            take(blocks, into: &feedback, at: now)
        case .goodbye(let ssrcs):
            // What follows it, from wherever, is another source.
            if let current = sources.current, ssrcs.contains(current.ssrc) { sources.forget() }
        case .extendedReport(_, let blocks): take(blocks, into: &feedback)
        case .sourceDescription, .other: break
        }
    }

    /// The source has sent so many packets in all, modulo 2^32. Where none came the numbers of those that come tell of no loss.
    private func compare(_ packets: UInt32, of source: UInt32) {
        if let announced, announced.source == source, announced.received == figures.receivedPackets {
            let sent = packets &- announced.packets
            // Less than nothing is a source that has begun to count anew.
            if sent < 1 << 16 { figures.unheard += Int(sent) }
        }
        announced = (source, packets, figures.receivedPackets)
    }

    private func take(_ blocks: [ReportBlock], into feedback: inout Feedback, at now: UInt64) {
        for block in blocks where block.source == source {
            figures.remoteLoss = Double(block.fractionLost) / 256
            if let trip = block.roundTrip(at: ntp(at: now)) {
                figures.roundTrip = Double(trip) / 65_536
                feedback.roundTrip = Double(trip) / 65.536
            }
            feedback.highest = block.extendedHighest
        }
    }

    private func take(_ blocks: [ExtendedReportBlock], into feedback: inout Feedback) {
        for block in blocks {
            switch block {
            case .lossRuns(let runs) where runs.source == source: feedback.pattern = runs.received
            case .voipMetrics(let metrics) where metrics.source == source:
                feedback.burstDensity = metrics.burstDensity
                figures.remoteDiscarded = metrics.discardRate
                figures.remoteScore = metrics.mosConversational ?? metrics.mosListening
            case .lossRuns, .voipMetrics, .other: break
            }
        }
    }

    /// Sends by what the peer says of our packets.
    private func follow(_ feedback: Feedback, at now: UInt64) {
        guard let highest = feedback.highest else { return }
        let before = reportedHighest ?? UInt32(identity.firstSequenceNumber & 0x7FFF) &- 1
        reportedHighest = highest
        let sent = highest &- before
        // What is more, or less than nothing, is of another sequence.
        guard (1...65_535).contains(sent) else { return }
        let report = SendControl.Report(
            sent: Int(sent), lost: figures.remoteLoss, roundTrip: feedback.roundTrip, pattern: feedback.pattern,
            burstDensity: feedback.burstDensity)
        if control.take(report, at: now), format?.codec == .opus { tellEncoder() }
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

    /// - Parameter leaving: whether it says goodbye, too.
    func sendReport(at now: UInt64, leaving: Bool) {
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
            packets: UInt32(truncatingIfNeeded: figures.sentPackets &- sentAsOther.packets),
            octets: UInt32(truncatingIfNeeded: figures.sentOctets &- sentAsOther.octets))
        var packets: [RTCPPacket] = [
            sends ? .senderReport(source: source, information, blocks) : .receiverReport(source: source, blocks),
            .sourceDescription([.init(source: source, name: identity.canonicalName)]),
        ]
        if let extended = extendedReport(at: now) { packets.append(extended) }
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
        now.burstRatio = pattern?.heard.burstRatio ?? 1
        if let statistics = sources.current?.statistics {
            now.jitter = Double(statistics.jitter) / Double(max(1, format?.clockRate ?? clock.rate))
        }
        return now
    }
}
