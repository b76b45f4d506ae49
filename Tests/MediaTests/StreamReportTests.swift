import MediaDescription
import Quality
import RTP
import Testing

@testable import Media

@Suite("Reports and keys of a stream") struct StreamReportTests {
    @Test("Both ends learn the round trip and the peer's loss", arguments: [false, true])
    func roundTrip(isKeyed: Bool) throws {
        let pair = StreamPair(security: isKeyed ? keying() : (.none, .none))
        var count = 0
        pair.network = { bytes in
            count += 1
            return bytes.count > 150 && count % 10 == 0 ? nil : bytes
        }
        pair.run(packets: 1_500)
        let trip = try #require(pair.left.stream.currentFigures.roundTrip)
        #expect((0...0.04).contains(trip))
        #expect((0.05...0.15).contains(pair.left.stream.currentFigures.remoteLoss))
        #expect((120...180).contains(pair.right.stream.currentFigures.lost))
        #expect(pair.left.stream.currentFigures.invalid == 0)
    }

    @Test("What the peer says it has sent while nothing came is known to be missing")
    func unheard() {
        let pair = StreamPair()
        pair.run(packets: 500)
        #expect(pair.right.stream.currentFigures.unheard == 0)
        // Sound no longer comes through, and reports do.
        pair.network = { MediaDatagram(classifying: $0.span) == .rtp ? nil : $0 }
        pair.run(packets: 2_000)
        // But for what was sent since the last report, and what came before the first one in it.
        let unheard = pair.right.stream.currentFigures.unheard
        #expect((1_200...2_000).contains(unheard))
        // A pause of the peer's is none.
        pair.network = { $0 }
        pair.run(packets: 50)
        pair.run(packets: 2_000, leftTalks: false)
        #expect(pair.right.stream.currentFigures.unheard == unheard)
    }

    @Test("So it is where nothing has come from the beginning")
    func neverHeard() {
        let pair = StreamPair()
        pair.network = { MediaDatagram(classifying: $0.span) == .rtp ? nil : $0 }
        pair.run(packets: 2_000)
        #expect((1_200...2_000).contains(pair.right.stream.currentFigures.unheard))
        #expect(pair.right.stream.currentFigures.receivedPackets == 0)
    }

    /// Packets of 20 ms that must have been lost, so many seconds after something came.
    private func outage(_ seconds: UInt64, after figures: StreamFigures, _ expected: ExpectedSound) -> Int {
        figures.outage(
            expectedSince: expected.since, packetMilliseconds: 20, at: figures.lastHeard + seconds * 1_000_000_000)
    }

    @Test("Who has reported and falls silent altogether is missing; who only listens, or never reported, is not")
    func outage() {
        let pair = StreamPair()
        var expected = ExpectedSound()
        expected.update(.sendrecv, isHeld: false, at: pair.now)
        pair.run(packets: 1_000)
        let heard = pair.right.stream.currentFigures
        #expect(heard.roundTrip != nil)
        #expect(outage(0, after: heard, expected) == 0 && outage(8, after: heard, expected) == 0)
        #expect(outage(9, after: heard, expected) == 450 && outage(20, after: heard, expected) == 1_000)
        var unreported = heard
        unreported.roundTrip = nil
        #expect(outage(20, after: unreported, expected) == 0)
        expected.update(.recvonly, isHeld: false, at: pair.now)
        #expect(outage(20, after: heard, expected) == 0)
    }

    @Test("What a peer does not send while one side holds the other is not missing", arguments: [true, false])
    func silentHold(isRemote: Bool) {
        let pair = StreamPair()
        var expected = ExpectedSound()
        expected.update(.sendrecv, isHeld: false, at: pair.now)
        pair.run(packets: 1_000)
        let heard = pair.right.stream.currentFigures
        var meter = QualityMeter(codec: .pcma)
        func at(_ seconds: UInt64) -> UInt64 { heard.lastHeard + seconds * 1_000_000_000 }
        func judge(_ seconds: UInt64) -> QualityMeter.Change? {
            meter.take(.init(due: 1_000, awaited: outage(seconds, after: heard, expected)), at: at(seconds))
        }
        #expect(judge(1) == nil)
        expected.update(isRemote ? .recvonly : .sendrecv, isHeld: !isRemote, at: at(2))
        #expect(judge(100) == nil)
        expected.update(.sendrecv, isHeld: false, at: at(302))
        // A look between the answer and the first packet.
        #expect(judge(303) == nil && meter.mean == nil)
        // An offer that changes nothing of it does not move the time from which it is waited for.
        expected.update(.sendrecv, isHeld: false, at: at(306))
        #expect(outage(311, after: heard, expected) == 450)
        #expect(judge(311) == .becamePoor)
    }

    @Test("Multiplexed, reports go where sound goes")
    func multiplexed() {
        let pair = StreamPair()
        for (end, peer) in [(pair.left, pair.right), (pair.right, pair.left)] {
            var parameters = pair.parameters(to: peer)
            parameters.multiplexesRTCP = true
            parameters.remoteRTCP = parameters.remoteRTP
            end.stream.configure(parameters, at: pair.now)
        }
        pair.run(packets: 1_000)
        #expect(pair.left.output.sent.allSatisfy { $0.socket == .rtp })
        #expect(pair.left.stream.currentFigures.roundTrip != nil)
    }

    @Test("A report is a compound with a name, and closing says goodbye")
    func compound() throws {
        let pair = StreamPair()
        pair.run(packets: 20)
        pair.left.stream.close(at: pair.now)
        pair.carry()
        let last = try #require(pair.left.output.sent.last)
        let packets = try RTCPCompound(parsing: last.bytes.span).packets
        guard case .senderReport(0xAAAA, let sender, let blocks) = packets[0] else {
            Issue.record("no sender report")
            return
        }
        #expect(sender.packets == 20 && sender.octets == 3_200 && blocks.count == 1)
        #expect(packets[1] == .sourceDescription([.init(source: 0xAAAA, name: Array("end-43690".utf8))]))
        #expect(packets[2] == .goodbye(sources: [0xAAAA]))
        // The peer is ready for whoever comes next.
        #expect(pair.right.stream.sources.current == nil)
    }

    @Test("Reports of strangers are not believed")
    func foreignReports() throws {
        let pair = StreamPair()
        pair.run(packets: 20)
        var bytes: [UInt8] = []
        RTCPCompound([.receiverReport(source: 1, []), .goodbye(sources: [0xAAAA])]).append(to: &bytes)
        pair.right.hear(bytes, from: try endpoint("198.51.100.66", 4_001), on: .rtcp, at: pair.now)
        #expect(pair.right.stream.sources.current != nil)
    }

    @Test("Keys arrive in both directions, with sound, in pauses and with no loop at all", arguments: [true, false])
    func keys(leftTalks: Bool) {
        let pair = StreamPair(security: keying())
        pair.run(packets: 5, leftTalks: leftTalks)
        pair.left.stream.sendDigits("15*#D", request: 3, at: pair.now)
        pair.right.stream.sendDigits("42", request: 4, at: pair.now)
        pair.run(packets: 100, leftTalks: leftTalks)
        func digits(_ end: StreamEnd) -> String {
            end.output.reports.reduce(into: "") { text, report in
                if case .digit(let digit, _) = report { text.append(digit) }
            }
        }
        #expect(digits(pair.right) == "15*#D")
        #expect(digits(pair.left) == "42")
        #expect(pair.left.output.reports.contains(.digitsDone(request: 3, sent: true)))
        #expect(pair.right.output.reports.contains(.digit("1", milliseconds: 100)))
        #expect(pair.right.stream.currentFigures.lost == 0)
    }

    @Test("Keys under way when the codec changes are as long as they should be", arguments: 1..<24, [true, false])
    func keysOverCodecChange(packets: Int, widens: Bool) {
        let pair = StreamPair()
        let narrow = pair.parameters(to: pair.right)
        // As some peers have it: events of 8 kHz beside Opus.
        var wide = narrow
        (wide.codec, wide.eventClockRate) = (.opus, 8_000)
        (wide.sendPayloadType, wide.receivePayloadType) = (111, 111)
        func talk(in parameters: StreamParameters) {
            pair.left.stream.configure(parameters, at: pair.now)
            pair.left.timestamp = 0
            pair.left.packetUnits = UInt32(parameters.codec.clockRate / 50)
        }
        talk(in: widens ? narrow : wide)
        pair.run(packets: 5)
        pair.left.stream.sendDigits("15", request: 3, at: pair.now)
        pair.run(packets: packets)
        talk(in: widens ? wide : narrow)
        pair.run(packets: 30)
        let heard = pair.right.output.reports.filter { if case .digit = $0 { true } else { false } }
        #expect(heard == [.digit("1", milliseconds: 100), .digit("5", milliseconds: 100)])
        #expect(pair.left.output.reports.contains(.digitsDone(request: 3, sent: true)))
        #expect(pair.left.sentRTP.count { $0.header.payloadType == 101 } == 14)
    }

    @Test("Where both sides change the codec, keys under way are heard once each", arguments: 1..<24, [true, false])
    func keysOverCodecChangeOfBoth(packets: Int, widens: Bool) {
        let pair = StreamPair()
        func talk(wide: Bool) {
            for (end, other) in [(pair.left, pair.right), (pair.right, pair.left)] {
                var parameters = pair.parameters(to: other)
                if wide {
                    (parameters.codec, parameters.eventClockRate) = (.opus, 48_000)
                    (parameters.sendPayloadType, parameters.receivePayloadType) = (111, 111)
                }
                end.stream.configure(parameters, at: pair.now)
                end.timestamp = 0
                end.packetUnits = UInt32(parameters.codec.clockRate / 50)
            }
        }
        talk(wide: !widens)
        pair.run(packets: 5)
        pair.left.stream.sendDigits("15", request: 3, at: pair.now)
        pair.run(packets: packets)
        talk(wide: widens)
        pair.run(packets: 30)
        let heard = pair.right.output.reports.filter { if case .digit = $0 { true } else { false } }
        #expect(heard == [.digit("1", milliseconds: 100), .digit("5", milliseconds: 100)])
    }

    @Test("Where the peer takes no events, or nothing may be sent, keys fail at once; a cancelled request fails, too")
    func noKeys() {
        let pair = StreamPair()
        var parameters = pair.parameters(to: pair.right)
        parameters.sendEventPayloadType = nil
        pair.left.stream.configure(parameters, at: pair.now)
        pair.left.stream.sendDigits("1", request: 1, at: pair.now)
        pair.left.stream.configure(pair.parameters(to: pair.right, direction: .inactive), at: pair.now)
        pair.left.stream.sendDigits("1", request: 2, at: pair.now)
        pair.left.stream.configure(pair.parameters(to: pair.right), at: pair.now)
        pair.left.stream.sendDigits("123", request: 3, at: pair.now)
        pair.run(packets: 3)
        pair.left.stream.cancelDigits()
        pair.run(packets: 20)
        #expect(
            pair.left.output.reports == [
                .digitsDone(request: 1, sent: false), .digitsDone(request: 2, sent: false),
                .digitsDone(request: 3, sent: false),
            ])
        // The one that was down ended properly.
        #expect(pair.right.output.reports == [.digit("1", milliseconds: 80)])
    }

    @Test("Held for half an hour the stream does next to nothing, and hears at once what is said then")
    func idle() {
        let pair = StreamPair()
        pair.run(packets: 10)
        let before = pair.left.output.sent.count
        pair.left.stream.configure(pair.parameters(to: pair.right, direction: .inactive), at: pair.now)
        for _ in 0..<(30 * 60 * 2) {
            pair.now += 500_000_000
            if pair.left.stream.deadline <= pair.now { pair.left.stream.tick(at: pair.now) }
        }
        #expect((200...1_000).contains(pair.left.output.sent.count - before))
    }
}
