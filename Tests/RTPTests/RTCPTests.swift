import RTP
import Testing

private func parseCompound(_ bytes: [UInt8]) throws(RTCPParseError) -> RTCPCompound {
    try RTCPCompound(parsing: bytes.span)
}

private func bytes(_ packets: [RTCPPacket]) -> [UInt8] {
    var bytes: [UInt8] = []
    RTCPCompound(packets).append(to: &bytes)
    return bytes
}

private let block = ReportBlock(
    source: 0xCAFE, fractionLost: 12, cumulativeLost: -3, extendedHighest: 0x1_0002, jitter: 77,
    lastSenderReport: 0x1234_5678, delaySinceLastSenderReport: 65_536)

@Suite("RTCP (RFC 3550 §6)") struct RTCPTests {
    @Test("A compound of everything comes back as it was")
    func roundTrip() throws {
        let sender = SenderInformation(
            ntp: NTPTime(unixNanoseconds: 1_700_000_000_500_000_000), timestamp: 9, packets: 10, octets: 1_600)
        let packets: [RTCPPacket] = [
            .senderReport(source: 1, sender, [block]), .receiverReport(source: 1, [block, block]),
            .sourceDescription([.init(source: 1, name: Array("abc".utf8)), .init(source: 2, name: Array("abcd".utf8))]),
            .other(type: 204), .goodbye(sources: [1, 2]),
        ]
        #expect(bytes(packets).count % 4 == 0)
        #expect(try parseCompound(bytes(packets)).packets == packets)
    }

    @Test("A name of every length is padded to a whole word, with a null octet", arguments: 0...9)
    func names(length: Int) throws {
        let packet = RTCPPacket.sourceDescription([.init(source: 5, name: Array(repeating: 0x61, count: length))])
        let compound: [RTCPPacket] = [.receiverReport(source: 5, []), packet]
        #expect(try parseCompound(bytes(compound)).packets == compound)
    }

    @Test("Other items, a reason for leaving and a profile's extension are skipped")
    func skipped() throws {
        let report: [UInt8] = [0x80, 201, 0, 2, 0, 0, 0, 1, 9, 9, 9, 9]
        let names: [UInt8] = [0x81, 202, 0, 3, 0, 0, 0, 1, 6, 1, 0x78, 1, 1, 0x79, 0, 0]
        let leave: [UInt8] = [0x81, 203, 0, 2, 0, 0, 0, 1, 3, 0x62, 0x79, 0x65]
        #expect(
            try parseCompound(report + names + leave).packets == [
                .receiverReport(source: 1, []), .sourceDescription([.init(source: 1, name: [0x79])]),
                .goodbye(sources: [1]),
            ])
    }

    @Test("Cumulative loss is clamped to 24 bits", arguments: [(0x90_0000, 0x7F_FFFF), (-0x90_0000, -0x80_0000)])
    func clamp(lost: Int, expected: Int) throws {
        var extreme = block
        extreme.cumulativeLost = lost
        guard
            case .receiverReport(_, let blocks) = try parseCompound(bytes([.receiverReport(source: 1, [extreme])]))
                .packets[0]
        else { return }
        #expect(blocks.first?.cumulativeLost == expected)
    }

    @Test(
        "Wrong lengths condemn the datagram",
        arguments: [
            ([], .truncated),
            ([0x80, 201, 0], .truncated),
            ([0x80, 201, 0, 0], .truncated),
            ([0x80, 201, 0, 9, 0, 0, 0, 1], .truncated),
            ([0x81, 201, 0, 1, 0, 0, 0, 1], .truncated),
            ([0x9F, 201, 0xFF, 0xFF, 0, 0, 0, 1], .truncated),
            ([0x80, 200, 0, 1, 0, 0, 0, 1], .truncated),
            ([0x80, 202, 0, 0], .noReport(type: 202)),
            ([0x40, 201, 0, 1, 0, 0, 0, 1], .unsupportedVersion(1)),
            ([0x80, 201, 0, 1, 0, 0, 0, 1, 0x81, 202, 0, 1, 0, 0, 0, 1], .truncated),
            ([0x80, 201, 0, 1, 0, 0, 0, 1, 0x81, 202, 0, 2, 0, 0, 0, 1, 1, 200, 0, 0], .truncated),
            ([0x80, 201, 0, 1, 0, 0, 0, 1, 0x81, 202, 0, 2, 0, 0, 0, 1, 1, 2, 9, 9], .truncated),
            ([0x80, 201, 0, 1, 0, 0, 0, 1, 0x82, 203, 0, 1, 0, 0, 0, 1], .truncated),
            ([0xA0, 201, 0, 1, 0, 0, 0, 8], .invalidPadding),
            ([0xA0, 201, 0, 1, 0, 0, 0, 0], .invalidPadding),
            ([0xA0, 201, 0, 2, 0, 0, 0, 1, 0, 0, 0, 4, 0x80, 204, 0, 0], .invalidPadding),
        ] as [([UInt8], RTCPParseError)])
    func hostile(bytes: [UInt8], expected: RTCPParseError) {
        #expect(throws: expected) { try parseCompound(bytes) }
    }

    @Test("No mutation reads beyond the end")
    func mutations() {
        var random = SplitMix(state: 2)
        let good = bytes([
            .receiverReport(source: 1, [block]), .sourceDescription([.init(source: 1, name: [1, 2, 3])]),
            .goodbye(sources: [1]),
        ])
        var accepted = 0
        for _ in 0..<20_000 {
            var bad = good
            for _ in 0..<2 {
                bad[Int.random(in: 0..<bad.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            bad.removeLast(Int.random(in: 0...4, using: &random))
            if (try? parseCompound(bad)) != nil { accepted += 1 }
        }
        #expect(accepted > 0 && accepted < 20_000)
    }

    @Test("A round trip is now less the report's echo less the peer's delay; less than nothing is none")
    func roundTripTime() {
        let sent = NTPTime(unixNanoseconds: 1_000_000_000_000)
        var report = block
        report.lastSenderReport = sent.middle
        report.delaySinceLastSenderReport = 65_536 / 4
        let trip = report.roundTrip(at: NTPTime(unixNanoseconds: 1_000_300_000_000)) ?? 0
        #expect((3_275...3_278).contains(trip))  // 50 ms
        #expect(report.roundTrip(at: NTPTime(unixNanoseconds: 1_000_200_000_000)) == nil)
        report.lastSenderReport = 0
        #expect(report.roundTrip(at: sent) == nil)
    }

    @Test("NTP time begins in 1900")
    func ntp() {
        #expect(NTPTime(unixNanoseconds: 0).rawValue == 2_208_988_800 << 32)
        #expect(NTPTime(unixNanoseconds: 500_000_000).middle == 0x7E80_8000)
    }
}

@Suite("Reception statistics (RFC 3550 A.3, A.8)") struct ReceptionStatisticsTests {
    private func report(_ statistics: inout ReceptionStatistics) -> ReportBlock {
        statistics.makeReport(source: 1, lastReport: 0, delay: 0)
    }

    @Test("Loss is counted across the wrap, and its fraction since the last report")
    func loss() {
        var statistics = ReceptionStatistics(first: SequenceNumber(rawValue: 65_530), clockRate: 8_000)
        for number in 65_530..<65_630 where number % 4 != 0 {
            statistics.receive(
                SequenceNumber(rawValue: UInt16(truncatingIfNeeded: number)), timestamp: UInt32(number) * 160,
                arrival: UInt32(number) * 160)
        }
        let first = report(&statistics)
        #expect(first.extendedHighest == 65_629)
        #expect(first.cumulativeLost == 25)
        #expect(first.fractionLost == 64)
        #expect(first.jitter == 0)
        let second = report(&statistics)
        #expect(second.fractionLost == 0)
    }

    @Test("Duplicates make the loss negative, never the fraction")
    func duplicates() {
        var statistics = ReceptionStatistics(first: SequenceNumber(rawValue: 1), clockRate: 8_000)
        for _ in 0..<5 { statistics.receive(SequenceNumber(rawValue: 1), timestamp: 0, arrival: 0) }
        let made = report(&statistics)
        #expect(made.cumulativeLost == -4)
        #expect(made.fractionLost == 0)
    }

    @Test("Jitter comes to the mean deviation of transit times")
    func jitter() {
        var statistics = ReceptionStatistics(first: SequenceNumber(rawValue: 0), clockRate: 8_000)
        for number in 0..<1_000 {
            statistics.receive(
                SequenceNumber(rawValue: UInt16(number)), timestamp: UInt32(number) * 160,
                arrival: UInt32(number) * 160 + (number % 2 == 0 ? 0 : 80))
        }
        #expect((78...80).contains(statistics.jitter))
    }

    @Test("Timestamps that jump are no jitter, nor is a wild one, nor a clock that stood still")
    func jumps() {
        var statistics = ReceptionStatistics(first: SequenceNumber(rawValue: 0), clockRate: 8_000)
        for number in 0..<400 {
            let jump: UInt32 = number < 100 ? 0 : number < 200 ? 8_001 : number == 300 ? 1 << 31 : 0
            let pause: UInt32 = number < 350 ? 0 : 800_000
            statistics.receive(
                SequenceNumber(rawValue: UInt16(number)), timestamp: UInt32(number) * 160 &+ jump,
                arrival: UInt32(number) * 160 + pause)
        }
        #expect(statistics.jitter == 0)
        // A second more is what a network may do.
        statistics.receive(SequenceNumber(rawValue: 400), timestamp: 64_000, arrival: 64_000 + 808_000)
        #expect(statistics.jitter == 500)
    }

    @Test("A wild timestamp does not overflow, and a restart keeps what was lost")
    func extremes() {
        var statistics = ReceptionStatistics(first: SequenceNumber(rawValue: 0), clockRate: 8_000)
        for number in 0..<300 {
            statistics.receive(
                SequenceNumber(rawValue: UInt16(number * 2)), timestamp: number % 2 == 0 ? 0 : 0x8000_0000, arrival: 0)
        }
        #expect(statistics.lost == 299)
        statistics.restart(at: SequenceNumber(rawValue: 9_000))
        statistics.receive(SequenceNumber(rawValue: 9_000), timestamp: 0, arrival: 0)
        #expect(statistics.lost == 299)
    }
}

@Suite("RTCP timing (RFC 3550 §6.2)") struct RTCPScheduleTests {
    @Test("Two participants report every five seconds, half to one and a half times of it, over the bias")
    func pair() {
        var schedule = RTCPSchedule(start: 0, bandwidth: 300)
        schedule.members = 2
        schedule.senders = 2
        schedule.weSent = true
        #expect(schedule.deterministicInterval == 5)
        let first = schedule.expire(at: 0, random: 0)
        #expect(first)
        #expect(schedule.due == UInt64(2.5e9 / 1.21828))
        let early = schedule.due
        // Reconsidered at its time with another random number, it waits on (§6.3.3).
        let reconsidered = schedule.expire(at: early, random: 0.999)
        #expect(!reconsidered)
        #expect(schedule.due > early)
        let late = schedule.due
        let second = schedule.expire(at: late, random: 0.5)
        #expect(second)
    }

    @Test("A narrow bandwidth and large reports make it longer")
    func narrow() {
        var schedule = RTCPSchedule(start: 0, bandwidth: 10)
        schedule.members = 2
        schedule.senders = 2
        for _ in 0..<200 { schedule.count(size: 200) }
        #expect((39...40.01).contains(schedule.deterministicInterval))
    }

    @Test("Few senders share a quarter of the bandwidth")
    func senders() {
        var schedule = RTCPSchedule(start: 0, bandwidth: 100, minimumInterval: 0)
        schedule.members = 8
        schedule.senders = 1
        schedule.weSent = true
        #expect(schedule.deterministicInterval == 100 * 1 / 25)
        schedule.weSent = false
        #expect(abs(schedule.deterministicInterval - 100 * 7 / 75) < 1e-9)
    }
}
