internal import MediaDescription
internal import Quality
internal import RTP

extension RTPStream {
    /// What we report beyond the reception report, where the peer takes it (RFC 3611).
    func extendedReport(at now: UInt64) -> RTCPPacket? {
        guard let format, let current = sources.current, pattern != nil else { return nil }
        let playout = output.playout
        pattern?.discard(max(0, playout.late - lateBefore))
        lateBefore = playout.late
        var blocks: [ExtendedReportBlock] = []
        // Asked for in any case, so that it never tells of long ago.
        if let runs = pattern?.takeRuns(source: current.ssrc), format.extendedReports.lossRuns {
            blocks.append(.lossRuns(runs))
        }
        if format.extendedReports.voipMetrics, let metrics = metrics(of: current.ssrc, format, playout) {
            blocks.append(.voipMetrics(metrics))
        }
        return blocks.isEmpty ? nil : .extendedReport(source: source, blocks)
    }

    private func metrics(of ssrc: UInt32, _ format: PacketFormat, _ playout: PlayoutFigures) -> VoIPMetrics? {
        guard let pattern, pattern.heard.packets > 0 else { return nil }
        let heard = pattern.heard
        let packets = Double(heard.packets)
        let packetMilliseconds = Double(receivedDuration) / 48
        var metrics = VoIPMetrics(source: ssrc)
        metrics.lossRate = Double(heard.missing - pattern.discarded) / packets
        metrics.discardRate = Double(pattern.discarded) / packets
        metrics.burstDensity = heard.burstDensity
        metrics.gapDensity = heard.gapDensity
        metrics.burstMilliseconds = Int(min(heard.meanBurst * packetMilliseconds, 65_535))
        metrics.gapMilliseconds = Int(min(heard.meanGap * packetMilliseconds, 65_535))
        metrics.minimumGap = BurstGapCounter.minimumGap
        let roundTrip = (figures.roundTrip ?? 0) * 1_000
        let endSystem = playout.buffered + playout.devices + packetMilliseconds
        metrics.roundTripMilliseconds = Int(min(roundTrip, 65_535))
        metrics.endSystemMilliseconds = Int(min(endSystem, 65_535))
        let missing = Double(heard.missing) / packets
        func rating(delay: Double) -> Double {
            EModel.rating(delay: delay, loss: missing, burstRatio: heard.burstRatio, codec: format.codec)
        }
        let conversational = rating(delay: roundTrip / 2 + endSystem)
        metrics.rFactor = Int(conversational)
        metrics.mosConversational = EModel.meanOpinionScore(rating: conversational)
        metrics.mosListening = EModel.meanOpinionScore(rating: rating(delay: 0))
        // Enhanced concealment; an adaptive jitter buffer, whose rate of adaptation has no figure.
        metrics.receiverConfiguration = 0b1011_0000
        metrics.bufferNominalMilliseconds = Int(min(playout.buffered, 65_535))
        metrics.bufferMaximumMilliseconds = metrics.bufferNominalMilliseconds
        metrics.bufferAbsoluteMaximumMilliseconds = playout.longest
        return metrics
    }
}
