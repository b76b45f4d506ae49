import AudioLoop
import MediaDescription
import RTP
import Testing

@testable import Media

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

    @Test("What the kernel does not take, and what the loop has no room for, is counted")
    func refused() {
        let pair = StreamPair()
        pair.run(packets: 10)
        pair.left.output.sends = false
        pair.run(packets: 5)
        #expect(pair.left.stream.currentFigures.sendFailures >= 5)
        #expect(pair.left.stream.currentFigures.sentPackets == 10)
        pair.left.output.sends = true
        pair.right.output.hasRoom = false
        pair.run(packets: 5)
        #expect(pair.right.stream.currentFigures.overruns == 5)
        #expect(pair.right.stream.currentFigures.receivedPackets == 14)
    }

    @Test("A loop that is a whole ring behind, or not there, is given no more than its ring holds")
    func fullRing() throws {
        var rings = LoopRings()
        let payload: [UInt8] = [1, 2, 3]
        func deliver(_ number: UInt16, to rings: inout LoopRings) -> Bool {
            payload.withUnsafeBytes { bytes in
                rings.deliver(
                    ReceivedSound(
                        sequenceNumber: number, payloadType: 8, marker: false, timestamp: UInt32(number) * 160,
                        epoch: 1, arrival: 0, payload: bytes))
            }
        }
        let isTakenByNobody = deliver(0, to: &rings)
        #expect(!isTakenByNobody)
        let call = try CallAudio(CallAudioConfiguration(codec: .pcma, receivePayloadType: 8), signalling: -1)
        guard let ends = call.takeNetworkEnds() else {
            Issue.record("the call has no rings")
            return
        }
        rings.attach(ends)
        var taken: UInt16 = 0
        while taken < 1_000, deliver(taken, to: &rings) { taken += 1 }
        #expect(taken == 128)
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

    @Test("Another codec of the answer is told of when two packets in a row have it, and is neither loss nor garbage")
    func otherCodec() throws {
        let pair = StreamPair()
        var parameters = pair.parameters(to: pair.left)
        var other = parameters
        (other.codec, other.sendPayloadType, other.receivePayloadType) = (.g722, 9, 9)
        other.receiveRedundancyPayloadType = 63
        parameters.alternatives = [other]
        pair.right.stream.configure(parameters, at: pair.now)
        pair.run(packets: 10)
        var types: [UInt8] = [9, 8, 9, 8, 8]
        pair.network = { bytes in
            guard MediaDatagram(classifying: bytes.span) == .rtp, !types.isEmpty else { return bytes }
            var changed = bytes
            changed[1] = types.removeFirst()
            return changed
        }
        pair.run(packets: 10)
        #expect(pair.right.output.reports.isEmpty)
        types = [9, 9]
        pair.run(packets: 10)
        #expect(pair.right.output.reports == [.otherCodec(payloadType: 9)])
        types = [63, 63]
        pair.run(packets: 10)
        #expect(pair.right.output.reports == [.otherCodec(payloadType: 9), .otherCodec(payloadType: 63)])
        let numbers = pair.right.output.sounds.map(\.sequenceNumber)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 &+ 1 })
        #expect(pair.right.stream.currentFigures.lost == 0 && pair.right.stream.currentFigures.invalid == 0)
        // What was not agreed on stays garbage.
        types = [0, 0, 0]
        pair.run(packets: 5)
        #expect(pair.right.output.reports.count == 2 && pair.right.stream.currentFigures.invalid == 3)
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
