import MediaDescription
import Quality
import RTP
import Testing

@testable import Media

/// Two ends that speak Opus, with redundancy and extended reports, on one virtual clock.
private final class RedundantPair {
    let pair = StreamPair()
    private var lossState: UInt64 = 0x1234_5678_9ABC_DEF1
    private var isBad = false
    /// Loss of what goes from left to right: share, and packets in a row.
    var loss = (share: 0.0, run: 1.0)
    private(set) var dropped = 0

    init(_ policy: RedundancyPolicy = .auto, totalBitRate: Int? = nil) {
        for (end, peer) in [(pair.left, pair.right), (pair.right, pair.left)] {
            var parameters = pair.parameters(to: peer)
            parameters.codec = .opus
            (parameters.sendPayloadType, parameters.receivePayloadType) = (111, 111)
            (parameters.sendRedundancyPayloadType, parameters.receiveRedundancyPayloadType) = (63, 63)
            parameters.extendedReports = ExtendedReports(voipMetrics: true, lossRuns: true)
            end.packetUnits = 960
            end.stream.configure(
                parameters, limits: SendControl.Limits(totalBitRate: totalBitRate, redundancy: policy), at: pair.now)
        }
        pair.network = { [unowned self] bytes in
            guard MediaDatagram(classifying: bytes.span) == .rtp, isLost() else { return bytes }
            dropped += 1
            return nil
        }
    }

    private func random() -> Double {
        lossState ^= lossState << 13
        lossState ^= lossState >> 7
        lossState ^= lossState << 17
        return Double(lossState >> 11) / Double(UInt64(1) << 53)
    }

    private func isLost() -> Bool {
        let leave = 1 / loss.run
        isBad = isBad ? random() >= leave : random() < loss.share * leave / (1 - loss.share)
        return isBad
    }

    /// The payload of a packet: Opus, SILK wide-band 20 ms, one frame, and which packet it is.
    private func payload(_ index: UInt32) -> [UInt8] {
        var payload: [UInt8] = [9 << 3]
        for shift in [0, 8, 16, 24] as [UInt32] { payload.append(UInt8(truncatingIfNeeded: index >> shift)) }
        return payload + [UInt8](repeating: 7, count: 40)
    }

    private(set) var sent: UInt32 = 0

    func run(packets: Int) {
        for _ in 0..<packets {
            pair.left.talk(payload(sent), at: pair.now)
            pair.right.talk(payload(sent), at: pair.now)
            sent += 1
            pair.carry()
            pair.now += 20_000_000
            for end in [pair.left, pair.right] where end.stream.deadline <= pair.now { end.stream.tick(at: pair.now) }
            pair.carry()
        }
    }

    /// The packets that the right end was given, by the index in their payload.
    var heard: [UInt32] {
        pair.right.output.sounds.map { sound in
            sound.payload[1...4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
    }

    var redundantPackets: Int { pair.left.sentRTP.count { $0.header.payloadType == 63 } }
}

@Suite("Redundancy in a stream") struct RedundancyStreamTests {
    @Test("Lost in a row, nearly all comes once more, each under its own number and time, and none twice")
    func bursts() throws {
        let call = RedundantPair()
        call.run(packets: 300)
        #expect(call.redundantPackets == 0)
        call.loss = (0.15, 3)
        call.run(packets: 1_500)
        let (before, droppedBefore) = (call.pair.right.stream.currentFigures.recovered, call.dropped)
        call.run(packets: 3_000)
        let recovered = call.pair.right.stream.currentFigures.recovered - before
        #expect(Double(recovered) > Double(call.dropped - droppedBefore) * 0.6)
        let sounds = call.pair.right.output.sounds
        #expect(Set(call.heard).count == call.heard.count)
        let first = try #require(sounds.first)
        let base = try #require(call.heard.first)
        for (sound, index) in zip(sounds, call.heard) {
            #expect(sound.sequenceNumber &- first.sequenceNumber == UInt16(truncatingIfNeeded: index &- base))
            #expect(sound.timestamp &- first.timestamp == (index &- base) &* 960)
        }
        #expect(call.pair.right.stream.currentFigures.invalid == 0)
        #expect(call.pair.left.stream.currentFigures.sentRedundant == call.redundantPackets)
    }

    @Test("After the gates have closed nothing goes once more of what was sent before")
    func closedGates() throws {
        let call = RedundantPair(.on)
        call.run(packets: 20)
        #expect(call.pair.left.sentRTP.last?.header.payloadType == 63)
        call.pair.left.stream.forgetSentSound()
        let before = call.pair.left.sentRTP.count
        call.run(packets: 20)
        let after = call.pair.left.sentRTP.dropFirst(before)
        #expect(after.first?.header.payloadType == 111, "alone")
        #expect(after.dropFirst().contains { $0.header.payloadType == 63 }, "what is sent since is repeated again")
    }

    @Test("After a change of packet time nothing goes once more of packets of the old one")
    func otherPacketTime() throws {
        let call = RedundantPair(.on)
        call.run(packets: 20)
        let pair = call.pair
        var parameters = pair.parameters(to: pair.right)
        parameters.codec = .opus
        (parameters.sendPayloadType, parameters.receivePayloadType) = (111, 111)
        (parameters.sendRedundancyPayloadType, parameters.receiveRedundancyPayloadType) = (63, 63)
        parameters.packetMilliseconds = 40
        pair.left.stream.configure(parameters, limits: SendControl.Limits(redundancy: .on), at: pair.now)
        let before = pair.left.sentRTP.count
        call.run(packets: 3)
        #expect(pair.left.sentRTP.dropFirst(before).first?.header.payloadType == 111, "alone")
    }

    @Test("Without loss nothing goes twice; off, it never does")
    func quiet() {
        let call = RedundantPair()
        call.run(packets: 3_000)
        #expect(call.redundantPackets == 0)
        let off = RedundantPair(.off)
        off.loss = (0.2, 4)
        off.run(packets: 2_000)
        #expect(off.redundantPackets == 0)
    }

    @Test("The encoder is told of the loss, and comes down again")
    func encoder() {
        let call = RedundantPair(.auto, totalBitRate: 32_000)
        call.loss = (0.2, 4)
        call.run(packets: 3_000)
        func told() -> [(Int, Int)] {
            call.pair.left.output.reports.compactMap {
                if case .encoder(let loss, let bitRate) = $0 { (loss, bitRate) } else { nil }
            }
        }
        #expect(told().first.map { $0 == (0, 28_000) } == true)
        #expect(told().contains { $0.1 <= 16_000 })
        call.loss = (0, 1)
        call.run(packets: 6_000)
        #expect(told().last.map { $0 == (0, 28_000) } == true)
        #expect(call.pair.left.sentRTP.last?.header.payloadType == 111)
    }

    @Test("Each end hears how the other hears it")
    func metrics() throws {
        let call = RedundantPair(.off)
        call.pair.right.output.playout = PlayoutFigures(late: 0, buffered: 40, longest: 200, devices: 36)
        call.loss = (0.2, 4)
        call.run(packets: 3_000)
        let left = call.pair.left.stream.currentFigures
        let score = try #require(left.remoteScore)
        #expect((1.5...3).contains(score))
        #expect(left.remoteDiscarded == 0)
        let right = try #require(call.pair.right.stream.currentFigures.remoteScore)
        #expect(right > 4.2)
        call.pair.right.output.playout.late = 300
        call.run(packets: 600)
        let discarded = try #require(call.pair.left.stream.currentFigures.remoteDiscarded)
        #expect(discarded > 0.05)
    }

    @Test("Reports that were not agreed on are not sent")
    func notAgreed() throws {
        let pair = StreamPair()
        pair.run(packets: 1_500)
        let types = pair.left.output.sent.filter { $0.socket == .rtcp }.flatMap { datagram in
            (try? RTCPCompound(parsing: datagram.bytes.span))?.packets ?? []
        }
        #expect(!types.isEmpty)
        #expect(!types.contains { if case .extendedReport = $0 { true } else { false } })
    }

    @Test("Where it was not agreed on, a redundant packet is an unknown one")
    func unknown() {
        let pair = StreamPair()
        pair.run(packets: 10)
        let before = pair.right.output.sounds.count
        for endpoint in [Endpoint(pair.left.address)].compactMap({ $0 }) {
            pair.right.hear(packet(1_010, source: 0xAAAA, payloadType: 63), from: endpoint, at: pair.now)
        }
        #expect(pair.right.output.sounds.count == before)
        #expect(pair.right.stream.currentFigures.invalid == 1)
    }

    @Test("Hostile redundant packets are counted and left")
    func hostile() throws {
        let call = RedundantPair()
        call.run(packets: 10)
        let from = try #require(Endpoint(call.pair.left.address))
        let before = call.pair.right.output.sounds.count
        let payloads: [[UInt8]] = [
            [], [0xEF], [0xEF, 0, 0], [0xEF, 0xFF, 0xFF, 0xFF, 111], [0xEF, 0x0F, 0, 9, 111, 1], [63, 1, 2, 3], [96],
            [UInt8](repeating: 0xFF, count: 900),
        ]
        for (index, payload) in payloads.enumerated() {
            var bytes: [UInt8] = []
            RTPHeader(
                payloadType: 63, sequenceNumber: SequenceNumber(rawValue: 1_010 + UInt16(index)),
                timestamp: 0xFFFF_F000, source: 0xAAAA
            ).append(to: &bytes)
            call.pair.right.hear(bytes + payload, from: from, at: call.pair.now)
        }
        #expect(call.pair.right.stream.currentFigures.invalid == payloads.count)
        #expect(call.pair.right.output.sounds.count == before)
    }
}
