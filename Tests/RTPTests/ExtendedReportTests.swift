import RTP
import Testing

private func bytes(_ blocks: [ExtendedReportBlock]) -> [UInt8] {
    var bytes: [UInt8] = []
    RTCPCompound([.receiverReport(source: 1, []), .extendedReport(source: 1, blocks)]).append(to: &bytes)
    return bytes
}

private func blocks(_ bytes: [UInt8]) throws -> [ExtendedReportBlock] {
    let compound = try RTCPCompound(parsing: bytes.span)
    guard case .extendedReport(_, let blocks) = try #require(compound.packets.last) else { return [] }
    return blocks
}

/// An extended report with this content after its SSRC.
private func report(_ content: [UInt8]) -> [UInt8] {
    [0x80, 201, 0, 1, 0, 0, 0, 1, 0x80, 207, 0, UInt8(content.count / 4 + 1), 0, 0, 0, 1] + content
}

@Suite("Extended reports (RFC 3611)") struct ExtendedReportTests {
    private var metrics: VoIPMetrics {
        var metrics = VoIPMetrics(source: 0xCAFE)
        (metrics.lossRate, metrics.discardRate) = (0.25, 0.125)
        (metrics.burstDensity, metrics.gapDensity) = (0.5, 1 / 256)
        (metrics.burstMilliseconds, metrics.gapMilliseconds) = (120, 4_000)
        (metrics.roundTripMilliseconds, metrics.endSystemMilliseconds) = (80, 65)
        (metrics.signalLevel, metrics.noiseLevel) = (-22, -70)
        metrics.residualEchoReturnLoss = 40
        metrics.rFactor = 78
        (metrics.mosListening, metrics.mosConversational) = (4.1, 3.9)
        metrics.receiverConfiguration = 0xB0
        (metrics.bufferNominalMilliseconds, metrics.bufferMaximumMilliseconds) = (40, 60)
        metrics.bufferAbsoluteMaximumMilliseconds = 200
        return metrics
    }

    @Test("Metrics come back as they were, and what is not known as such")
    func voip() throws {
        #expect(try blocks(bytes([.voipMetrics(metrics)])) == [.voipMetrics(metrics)])
        let unknown = VoIPMetrics(source: 7)
        let written = bytes([.voipMetrics(unknown)])
        #expect(try blocks(written) == [.voipMetrics(unknown)])
        // Block type 7, eight words, and 127 for levels, echo, R and both scores (§4.7).
        #expect(Array(written[16..<20]) == [7, 0, 0, 8])
        #expect(Array(written[36..<44]) == [127, 127, 127, 16, 127, 127, 127, 127])
    }

    @Test("Values beyond a field are brought into it")
    func clamped() throws {
        var wild = metrics
        (wild.lossRate, wild.burstMilliseconds, wild.rFactor, wild.mosListening) = (9, 1 << 40, 400, 9)
        guard case .voipMetrics(let read) = try #require(try blocks(bytes([.voipMetrics(wild)])).first) else { return }
        #expect(read.lossRate == 255 / 256 && read.burstMilliseconds == 65_535)
        #expect(read.rFactor == 100 && read.mosListening == 5)
    }

    @Test(
        "Which packets came is told exactly, by runs and by bits",
        arguments: [0, 1, 14, 15, 16, 17, 30, 31, 100, 1_000, 4_096])
    func runs(count: Int) throws {
        var random = UInt64(count) | 1
        for density in [0, 3, 50, 100] as [UInt64] {
            let received = (0..<count).map { _ in
                random = random &* 6_364_136_223_846_793_005 &+ 1
                return (random >> 33) % 100 >= density
            }
            let runs = LossRuns(source: 5, first: SequenceNumber(rawValue: 65_500), received: received)
            let written = bytes([.lossRuns(runs), .other(type: 99)])
            #expect(written.count % 4 == 0)
            #expect(try blocks(written) == [.lossRuns(runs), .other(type: 99)])
        }
    }

    @Test("Runs as §4.1.1 and §4.1.2 code them are read, a null chunk ends them")
    func coded() throws {
        // 10...29: a run of 12 ones, one of 3 zeros, and five bits; the last chunk is padding.
        let content: [UInt8] = [1, 0, 0, 4, 0, 0, 0, 9, 0, 10, 0, 30, 0x40, 12, 0x00, 3, 0xD4, 0, 0, 0]
        guard case .lossRuns(let runs) = try #require(try blocks(report(content)).first) else { return }
        let bits = [true, false, true, false, true]
        #expect(runs.received == [Bool](repeating: true, count: 12) + [false, false, false] + bits)
        #expect(runs.first.rawValue == 10 && runs.source == 9)
    }

    @Test(
        "What cannot be used is skipped by its length",
        arguments: [
            [7, 0, 0, 1, 1, 2, 3, 4],  // metrics, too short
            [1, 0, 0, 1, 1, 2, 3, 4],  // runs, too short
            [1, 3, 0, 2, 0, 0, 0, 9, 0, 10, 0, 12],  // thinned
            [1, 0, 0, 3, 0, 0, 0, 9, 0, 10, 0, 30, 0x40, 3, 0, 0],  // fewer than announced
            [1, 0, 0, 3, 0, 0, 0, 9, 0, 10, 0, 9, 0x7F, 0xFF, 0x7F, 0xFF],  // 65,535 packets
            [4, 0, 0, 2, 0, 0, 0, 9, 0, 10, 0, 12], [0, 0, 0, 0],
        ] as [[UInt8]])
    func skipped(content: [UInt8]) throws {
        let next: [UInt8] = [99, 0, 0, 0]
        #expect(try blocks(report(content + next)) == [.other(type: content[0]), .other(type: 99)])
    }

    @Test("A block longer than its packet condemns the datagram")
    func tooLong() {
        #expect(throws: RTCPParseError.truncated) { try blocks(report([7, 0, 0, 9, 0, 0, 0, 1])) }
        #expect(throws: RTCPParseError.truncated) { try blocks(report([7, 0, 0xFF, 0xFF])) }
        #expect(throws: RTCPParseError.truncated) {
            try blocks([0x80, 201, 0, 1, 0, 0, 0, 1, 0x80, 207, 0, 0])
        }
    }
}
