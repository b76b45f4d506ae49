import MediaDescription
import RTP
import Testing

@testable import Media

private func endpoint(_ host: String, _ port: UInt16 = 4_000) throws -> Endpoint {
    try #require(Endpoint(host: host, port: port))
}

private func packet(_ sequence: UInt16, source: UInt32, timestamp: UInt32 = 0, payloadType: UInt8 = 8) -> [UInt8] {
    var bytes: [UInt8] = []
    RTPHeader(
        payloadType: payloadType, sequenceNumber: SequenceNumber(rawValue: sequence), timestamp: timestamp,
        source: source
    ).append(to: &bytes)
    return bytes + [1, 2, 3]
}

@Suite("A stream") struct RTPStreamTests {
    @Test(
        "Sequence and timestamps are continuous, the offset random, the source constant; the first packet is lost to probation"
    )
    func plain() {
        let pair = StreamPair()
        pair.run(packets: 50)
        let sent = pair.left.sentRTP
        #expect(sent.count == 50)
        #expect(sent.map(\.header.sequenceNumber.rawValue) == Array(1_000..<1_050))
        #expect(
            zip(sent, sent.dropFirst()).allSatisfy {
                timestampDistance(from: $0.header.timestamp, to: $1.header.timestamp) == 160
            })
        #expect(sent[0].header.marker && sent[0].header.timestamp == 0xFFFF_F000)
        #expect(Set(sent.map(\.header.source)) == [0xAAAA])
        #expect(pair.right.output.sounds.count == 49)
        #expect(pair.right.output.sounds.allSatisfy { $0.epoch == 1 && $0.payload.count == 160 })
        #expect(pair.right.stream.currentFigures.lost == 0)
    }

    @Test("Keyed, every packet is protected and the first is heard", arguments: SRTPSuite.allCases)
    func keyed(suite: SRTPSuite) {
        let pair = StreamPair(security: keying(suite))
        pair.run(packets: 50)
        #expect(pair.right.output.sounds.count == 50)
        #expect(pair.right.output.sounds[0].payload == Array(repeating: 0x55, count: 160))
        let lengths = Set(pair.left.output.sent.filter { $0.socket == .rtp }.map(\.bytes.count))
        #expect(lengths == [12 + 160 + (suite == .aesCM128HMACSHA1_80 ? 10 : 4)])
        #expect(pair.right.stream.currentFigures.roundTrip == nil || pair.right.stream.currentFigures.invalid == 0)
    }

    @Test("Keyed, the sequence may wrap and hold may last: what comes after is heard")
    func longHold() {
        let pair = StreamPair(security: keying(), firstSequenceNumber: 32_767)
        pair.run(packets: 33_000, rightTalks: false)
        let security = keying()
        let held = pair.parameters(to: pair.right, direction: .inactive, security: security.left)
        pair.left.stream.configure(held, at: pair.now)
        let before = pair.left.sentRTP.count
        pair.run(packets: 1_000, rightTalks: false)
        #expect(pair.left.sentRTP.count == before)
        pair.left.stream.configure(pair.parameters(to: pair.right, security: security.left), at: pair.now)
        let heard = pair.right.output.sounds.count
        pair.run(packets: 100, rightTalks: false)
        #expect(pair.right.output.sounds.count == heard + 100)
        #expect(pair.right.stream.currentFigures.invalid == 0)
    }

    @Test("Keyed with keys that do not match, nothing is heard and all is counted")
    func wrongKey() {
        let pair = StreamPair(security: (keying(seed: 1).left, keying(seed: 50).right))
        pair.run(packets: 20)
        #expect(pair.right.output.sounds.isEmpty)
        #expect(pair.right.stream.currentFigures.invalid >= 20)
    }

    @Test("A direction that does not send sends nothing, and RTCP goes on")
    func directions() {
        let pair = StreamPair()
        pair.run(packets: 10)
        pair.left.stream.configure(pair.parameters(to: pair.right, direction: .recvonly), at: pair.now)
        let before = pair.left.output.sent.count
        pair.run(packets: 1_000)
        let later = pair.left.output.sent[before...]
        #expect(pair.left.sentRTP.count == 10)
        #expect(later.filter { $0.socket == .rtcp }.count >= 3)
        // 20 s without RTP: the NAT's binding of the RTP port was kept with an empty datagram.
        #expect(later.contains { $0.socket == .rtp && $0.bytes.isEmpty })
    }

    @Test("A null address or port is sent nothing", arguments: [("0.0.0.0", 4_000), ("192.0.2.9", 0), ("::", 4_000)])
    func nullAddress(host: String, port: Int) {
        let pair = StreamPair()
        var parameters = pair.parameters(to: pair.right)
        parameters.remoteRTP = MediaAddress(host: host, port: UInt16(port))
        parameters.remoteRTCP = parameters.remoteRTP
        pair.left.stream.configure(parameters, at: pair.now)
        pair.run(packets: 1_000, rightTalks: false)
        #expect(pair.left.output.sent.isEmpty)
    }

    @Test("A change of codec keeps source and sequence, and time goes on in the new clock")
    func codecChange() {
        let pair = StreamPair()
        pair.run(packets: 10)
        var opus = pair.parameters(to: pair.right)
        opus.codec = .opus
        (opus.sendPayloadType, opus.receivePayloadType) = (111, 111)
        pair.left.stream.configure(opus, at: pair.now)
        pair.right.stream.configure(opus, at: pair.now)
        pair.left.timestamp = 0
        pair.left.packetUnits = 960
        pair.run(packets: 10)
        let sent = pair.left.sentRTP
        #expect(sent.map(\.header.sequenceNumber.rawValue) == Array(1_000..<1_020))
        let step = timestampDistance(from: sent[9].header.timestamp, to: sent[10].header.timestamp)
        #expect((1...2_000).contains(step))
        #expect(Set(sent.suffix(10).map(\.header.payloadType)) == [111])
        #expect(pair.right.output.sounds.suffix(9).allSatisfy { $0.epoch == 2 })
    }

    @Test("What the loop encoded before a change of codec is not sent under the new one's name")
    func staleCodec() {
        let pair = StreamPair()
        pair.run(packets: 10)
        var opus = pair.parameters(to: pair.right)
        opus.codec = .opus
        pair.left.stream.configure(opus, at: pair.now)
        pair.run(packets: 1)
        #expect(pair.left.sentRTP.count == 10)
    }

    @Test("A loop that begins anew goes on where time is")
    func sessionReopened() {
        let pair = StreamPair()
        pair.run(packets: 10)
        pair.now += 60_000_000_000
        pair.left.timestamp = 0
        pair.run(packets: 10)
        let sent = pair.left.sentRTP
        let step = timestampDistance(from: sent[9].header.timestamp, to: sent[10].header.timestamp)
        #expect(abs(step - 60 * 8_000 - 160) < 8)
        // Nobody takes that for a jump.
        #expect(pair.right.stream.currentFigures.epochs == 1)
    }
}

@Suite("Whom a stream hears") struct LatchingTests {
    @Test("It latches to the first valid source and sends there; others are not heard")
    func latch() throws {
        let pair = StreamPair()
        pair.leftSeenFrom = try endpoint("203.0.113.5", 31_000)
        pair.run(packets: 5)
        #expect(pair.right.stream.target == pair.leftSeenFrom)
        let heard = pair.right.output.sounds.count
        for sequence in UInt16(1)...20 {
            pair.right.hear(packet(sequence, source: 0x666), from: try endpoint("198.51.100.66"), at: pair.now)
            pair.right.hear(packet(1_010 + sequence, source: 0xAAAA), from: try endpoint("198.51.100.66"), at: pair.now)
        }
        #expect(pair.right.output.sounds.count == heard)
        #expect(pair.right.stream.currentFigures.foreign >= 40)
        #expect(pair.right.stream.target == pair.leftSeenFrom)
    }

    @Test("One packet from somewhere is no source, nor are many out of sequence")
    func probation() throws {
        let pair = StreamPair()
        pair.right.hear(packet(1, source: 0x666), from: try endpoint("198.51.100.66"), at: pair.now)
        for sequence in stride(from: UInt16(10), to: 1_000, by: 7) {
            pair.right.hear(packet(sequence, source: 0x666), from: try endpoint("198.51.100.66"), at: pair.now)
        }
        #expect(pair.right.stream.target == Endpoint(pair.left.address))
        pair.run(packets: 3)
        #expect(pair.right.output.sounds.count == 2)
    }

    @Test("Keyed, a source must know the key to be latched to")
    func keyedLatch() throws {
        let pair = StreamPair(security: keying())
        for sequence in UInt16(1)...50 {
            pair.right.hear(packet(sequence, source: 0x666), from: try endpoint("198.51.100.66"), at: pair.now)
        }
        #expect(pair.right.stream.target == Endpoint(pair.left.address))
        pair.leftSeenFrom = try endpoint("203.0.113.5", 31_000)
        pair.run(packets: 2)
        #expect(pair.right.stream.target == pair.leftSeenFrom)
    }

    @Test("Mutations of everything that a call sends are survived, and the call goes on", arguments: [false, true])
    func mutations(isKeyed: Bool) throws {
        let pair = StreamPair(security: isKeyed ? keying() : (.none, .none))
        pair.left.stream.sendDigits("15", request: 1, at: pair.now)
        pair.run(packets: 100)
        let samples = pair.left.output.sent
        let from = try #require(Endpoint(pair.left.address))
        var random = SplitMix(state: 3)
        for round in 0..<10_000 {
            let sample = samples[round % samples.count]
            var bytes = sample.bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<min(bytes.count, 40), using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0...bytes.count / 4, using: &random))
            pair.now += 1_000_000
            pair.right.hear(bytes, from: from, on: sample.socket, at: pair.now)
            if pair.right.stream.deadline <= pair.now { pair.right.stream.tick(at: pair.now) }
        }
        let heard = pair.right.output.sounds.count
        pair.run(packets: 20)
        #expect(pair.right.output.sounds.count >= heard + 15)
    }

    @Test("Comfort noise and events between packets of sound are no loss, neither in figures nor for the jitter buffer")
    func otherPayloads() {
        let pair = StreamPair()
        pair.run(packets: 5)
        pair.network = { bytes in
            guard bytes.count > 150, bytes[3] % 3 == 0 else { return bytes }
            var changed = bytes
            changed[1] = 13
            return changed
        }
        pair.run(packets: 30)
        pair.network = { $0 }
        pair.left.stream.sendDigits("1", request: 1, at: pair.now)
        pair.run(packets: 20)
        let numbers = pair.right.output.sounds.map(\.sequenceNumber)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
        #expect(pair.right.stream.currentFigures.lost == 0 && pair.right.stream.currentFigures.invalid == 0)
    }

    @Test("A new source at another port of the same host takes over")
    func samePort() throws {
        let pair = StreamPair()
        pair.run(packets: 20)
        let elsewhere = try endpoint("192.0.2.1", 4_444)
        for sequence in UInt16(1)...3 {
            pair.right.hear(packet(sequence, source: 0x777), from: elsewhere, at: pair.now)
        }
        #expect(pair.right.stream.target == elsewhere)
    }

    @Test("Keyed, what the network doubles is counted as such, and is no error")
    func doubled() {
        let pair = StreamPair(security: keying())
        pair.run(packets: 10)
        guard let from = Endpoint(pair.left.address) else { return }
        for datagram in pair.left.output.sent where datagram.socket == .rtp {
            pair.right.hear(datagram.bytes, from: from, at: pair.now)
        }
        #expect(pair.right.output.sounds.count == 10)
        #expect(pair.right.stream.currentFigures.replayed == 10)
        #expect(pair.right.stream.currentFigures.invalid == 0)
    }

    @Test("A peer with the key cannot make us keep counters for ever more sources")
    func manySources() {
        var sender = KeyedSession(.send)
        guard case .srtp(let key, _) = keying().left else { return }
        let pair = StreamPair(security: keying())
        guard let from = Endpoint(pair.left.address) else { return }
        var epochs: [Int] = []
        // Each sender of so many is a session of its own, as ours refuses them as well.
        for source in UInt32(1)...200 {
            if source % 50 == 1 {
                sender.set(nil)
                sender.set(key)
            }
            var buffer = PacketBuffer()
            buffer.bytes = packet(1, source: source)
            guard let count = buffer.protect(with: &sender, isRTCP: false) else { continue }
            pair.right.hear(Array(buffer.bytes.prefix(count)), from: from, at: pair.now)
            epochs.append(pair.right.stream.currentFigures.epochs)
        }
        #expect(epochs.count == 200)
        #expect(epochs.last == KeyedSession.maximumSources)
    }

    @Test("Two that chose the same number part, once")
    func collision() {
        let pair = StreamPair()
        guard let from = Endpoint(pair.left.address) else { return }
        for sequence in UInt16(1)...4 { pair.right.hear(packet(sequence, source: 0xBBBB), from: from, at: pair.now) }
        let changed = pair.right.stream.source
        #expect(changed != 0xBBBB)
        for sequence in UInt16(1)...4 { pair.right.hear(packet(sequence, source: changed), from: from, at: pair.now) }
        #expect(pair.right.stream.source == changed)
    }

    @Test("Another source of the same address takes over at once, and playout begins anew")
    func sourceChange() throws {
        let pair = StreamPair()
        pair.run(packets: 20)
        let heard = pair.right.output.sounds.count
        for sequence in UInt16(12_676)..<12_686 {
            pair.right.hear(
                packet(sequence, source: 0x777, timestamp: UInt32(sequence) * 160),
                from: try #require(Endpoint(pair.left.address)),
                at: pair.now)
        }
        #expect(pair.right.output.sounds.count == heard + 9)
        #expect(pair.right.output.sounds.last?.epoch == 2)
    }

    @Test("After two seconds of silence another address may take over")
    func silence() throws {
        let pair = StreamPair()
        pair.run(packets: 20)
        let elsewhere = try endpoint("203.0.113.9", 9_000)
        pair.now += 1_900_000_000
        pair.right.hear(packet(1, source: 0x777), from: elsewhere, at: pair.now)
        pair.right.hear(packet(2, source: 0x777), from: elsewhere, at: pair.now)
        #expect(pair.right.stream.target == Endpoint(pair.left.address))
        pair.now += 200_000_000
        pair.right.hear(packet(3, source: 0x777), from: elsewhere, at: pair.now)
        pair.right.hear(packet(4, source: 0x777), from: elsewhere, at: pair.now)
        #expect(pair.right.stream.target == elsewhere)
    }

    @Test("An offer with another address ends the latch, one with the same keeps it")
    func reoffer() throws {
        let pair = StreamPair()
        pair.leftSeenFrom = try endpoint("203.0.113.5", 31_000)
        pair.run(packets: 5)
        pair.right.stream.configure(pair.parameters(to: pair.left, direction: .sendonly), at: pair.now)
        #expect(pair.right.stream.target == pair.leftSeenFrom)
        var moved = pair.parameters(to: pair.left)
        moved.remoteRTP = MediaAddress(host: "192.0.2.77", port: 5_000)
        pair.right.stream.configure(moved, at: pair.now)
        #expect(pair.right.stream.target == Endpoint(host: "192.0.2.77", port: 5_000))
    }

    @Test("A jump of the timestamps and a sequence that begins anew are survived within a few packets")
    func jumps() {
        let pair = StreamPair()
        pair.run(packets: 20)
        var heard = pair.right.output.sounds.count
        pair.network = { bytes in
            guard var packet = try? RTPPacket(parsing: bytes.span).header, bytes.count > 100 else { return bytes }
            packet.timestamp &+= 10_000_000
            packet.sequenceNumber.rawValue &+= 30_000
            var moved: [UInt8] = []
            packet.append(to: &moved)
            return moved + bytes.dropFirst(12)
        }
        pair.run(packets: 10)
        #expect(pair.right.output.sounds.count == heard + 9)
        #expect(pair.right.output.sounds.last?.epoch == 2)
        heard = pair.right.output.sounds.count
        pair.network = { bytes in
            guard var packet = try? RTPPacket(parsing: bytes.span).header, bytes.count > 100 else { return bytes }
            packet.timestamp &-= 10_000_000
            packet.sequenceNumber.rawValue &+= 30_000
            var moved: [UInt8] = []
            packet.append(to: &moved)
            return moved + bytes.dropFirst(12)
        }
        pair.run(packets: 10)
        #expect(pair.right.output.sounds.last?.epoch == 3)
    }

    @Test("Malformed and unknown packets are counted, empty ones and comfort noise are nothing")
    func malformed() throws {
        let pair = StreamPair()
        pair.run(packets: 5)
        let from = try #require(Endpoint(pair.left.address))
        let before = pair.right.stream.currentFigures.invalid
        pair.right.hear([1, 2, 3, 4, 5, 6, 7, 8, 9], from: from, at: pair.now)
        pair.right.hear(Array(packet(9, source: 1).prefix(11)), from: from, at: pair.now)
        pair.right.hear(packet(1_005, source: 0xAAAA, payloadType: 99), from: from, at: pair.now)
        pair.right.hear([0x80, 201, 0, 9, 0, 0, 0, 1], from: try endpoint("192.0.2.1", 4_001), on: .rtcp, at: pair.now)
        #expect(pair.right.stream.currentFigures.invalid == before + 4)
        pair.right.hear([], from: from, at: pair.now)
        pair.right.hear(packet(1_005, source: 0xAAAA, payloadType: 13), from: from, at: pair.now)
        #expect(pair.right.stream.currentFigures.invalid == before + 4)
    }
}

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
