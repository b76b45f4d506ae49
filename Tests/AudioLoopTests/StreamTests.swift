@testable import AudioLoop
import Codecs
import Glibc
import MediaDescription
import Playout
import Synchronization
import Testing

@Suite("A call's stream through the loop") struct StreamTests {
    @Test("is heard at both ends", arguments: Codec.allCases, [10, 20, 40, 60])
    func bothWays(codec: Codec, milliseconds: Int) throws {
        let bench = LoopBench(capture: Signals.sine(1_000, 200_000))
        let peer = try Peer(codec, milliseconds: milliseconds)
        bench.enter(peer)
        bench.turn(150, peer)
        let played = bench.played(from: 50)
        #expect(abs(Signals.peak(of: 600, in: played.prefix(38_400)) / 8_000 - 1) < 0.25)
        let heard = try peer.heard()
        #expect(abs(Signals.peak(of: 1_000, in: heard.suffix(38_400)) / 10_000 - 1) < 0.25)
        let statistics = peer.call.statistics
        #expect(statistics.encodedPackets == 1_500 / milliseconds)
        #expect(statistics.playout.lost == 0 && statistics.playout.late == 0 && statistics.malformedPackets == 0)
        // -13.3 dBFS and -15.3 dBFS.
        #expect(abs((statistics.sentLevelDbfs ?? 0) + 13.3) < 0.5)
        #expect(abs((statistics.receivedLevelDbfs ?? 0) + 15.3) < 2)
    }

    @Test("Packets come at their pace and bear their time", arguments: Codec.allCases)
    func timestamps(codec: Codec) throws {
        let bench = LoopBench(capture: Signals.sine(1_000, 200_000))
        let peer = try Peer(codec)
        bench.enter(peer)
        bench.turn(100, peer)
        let step = UInt32(codec.clockRate / 50)
        #expect(peer.sent.count == 50)
        #expect(peer.sent.enumerated().allSatisfy { $1.timestamp == UInt32($0) * step && $1.duration == step })
    }

    @Test("Time runs on while no loop has the call")
    func timeWithoutLoop() throws {
        let bench = LoopBench(capture: Signals.sine(1_000, 300_000))
        let peer = try Peer(.opus)
        bench.enter(peer)
        bench.turn(10, peer)
        bench.leave(peer)
        bench.turn(1, peer)
        usleep(100_000)
        bench.enter(peer)
        let before = peer.sent.count
        bench.turn(4, peer)
        let first = try #require(peer.sent.dropFirst(before).first)
        let last = peer.sent[before - 1]
        #expect(first.marker)
        #expect(first.timestamp - last.timestamp >= 4_800)
        #expect(first.timestamp - last.timestamp < 48_000)
    }

    @Test("Two calls are mixed, and what is too loud is turned down, neither wrapped nor clipped")
    func mixing() throws {
        let bench = LoopBench()
        let first = try Peer(.pcma, hertz: 500, peak: 9_000)
        let second = try Peer(.opus, hertz: 1_300, peak: 9_000)
        bench.enter(first)
        bench.enter(second)
        bench.turn(60, first, second)
        let played = bench.played(from: 40)
        #expect(Signals.peak(of: 500, in: played) > 7_000)
        #expect(Signals.peak(of: 1_300, in: played) > 6_000)
        first.peak = 31_000
        second.peak = 31_000
        bench.turn(40, first, second)
        let loud = bench.played(from: 80)
        #expect(loud.contains { $0 > 29_000 } && loud.contains { $0 < -29_000 })
        #expect(Signals.steepest(loud) < 12_000)
        // Clipping would put it there.
        #expect(Signals.peak(of: 2_100, in: loud.suffix(9_600)) < 100)
    }

    @Test("A held call is not heard in another, and the other goes on")
    func heldBeside() throws {
        let bench = LoopBench(capture: Signals.sine(1_000, 300_000))
        let first = try Peer(.pcma, hertz: 500)
        let second = try Peer(.pcmu, hertz: 1_300)
        bench.enter(first)
        bench.enter(second)
        bench.turn(30, first, second)
        _ = first.set(held: true)
        bench.turn(60, first, second)
        let played = bench.played(from: 50)
        #expect(Signals.peak(of: 500, in: played) < 100)
        #expect(Signals.peak(of: 1_300, in: played) > 6_000)
        let heard = try second.heard()
        #expect(Signals.peak(of: 1_000, in: heard.suffix(9_600)) > 8_000)
    }

    @Test("Resume plays what is said now: nothing of what came during the hold", arguments: [Codec.opus, .pcmu])
    func noStaleBurst(codec: Codec) throws {
        let bench = LoopBench()
        let peer = try Peer(codec, hertz: 500)
        bench.enter(peer)
        bench.turn(40, peer)
        _ = peer.set(held: true)
        bench.turn(100, peer)
        // In the last packet before the resume it speaks at another pitch already.
        peer.hertz = 1_300
        bench.turn(2, peer)
        _ = peer.set()
        let turn = bench.turns
        bench.turn(60, peer)
        let played = bench.played(from: turn)
        #expect(Signals.peak(of: 500, in: played) < 150)
        #expect(Signals.peak(of: 1_300, in: played.suffix(19_200)) > 6_000)
        // The first sound comes within a packet, the target, a turn and the ramp.
        let first = played.firstIndex { abs(Int($0)) > 500 }.map { $0 - played.startIndex } ?? .max
        #expect(first <= 960 + 960 + 480 + 240)
        #expect(peer.call.statistics.discardedPackets >= 48)
        #expect(peer.call.statistics.playout.late == 0)
    }

    @Test("A stream that does not receive plays nothing")
    func sendonly() throws {
        let bench = LoopBench(capture: Signals.sine(1_000, 300_000))
        let peer = try Peer(.pcmu, direction: .sendonly)
        bench.enter(peer)
        bench.turn(40, peer)
        #expect(bench.played().allSatisfy { $0 == 0 })
        #expect(peer.payloads().count == 20)
    }

    @Test("The codec changes in the middle of a call")
    func codecChange() throws {
        let bench = LoopBench(capture: Signals.sine(1_000, 300_000))
        let peer = try Peer(.pcmu)
        bench.enter(peer)
        bench.turn(41, peer)
        let before = peer.payloads().count
        var configuration = peer.call.configuration
        configuration.codec = .opus
        try peer.call.update(configuration)
        peer.hertz = 0
        bench.turn(60, peer)
        let fresh = peer.payloads(from: peer.sent.count - 30)
        #expect(fresh.count >= 29)
        #expect(fresh.allSatisfy { $0.count != 160 })
        #expect(peer.payloads().count >= before + 29)
        #expect(peer.sent.last?.duration == 960)
    }

    @Test("The packet time changes in the middle of a call: the timestamps are those of the sampling clock all the way")
    func packetTimeChange() throws {
        let bench = LoopBench(capture: Signals.sine(1_000, 300_000))
        let peer = try Peer(.opus, hertz: 0)
        bench.enter(peer)
        for milliseconds in [20, 10, 60, 40, 20] {
            var configuration = peer.call.configuration
            configuration.packetMilliseconds = milliseconds
            configuration.opus = OpusSettings(isLowDelay: milliseconds == 10)
            try peer.call.update(configuration)
            bench.turn(24)
            peer.listen()
            #expect(peer.sent.last?.duration == UInt32(milliseconds * 48))
        }
        // 1.2 s, but for the part-filled packets of which the changes cut off nothing: they come at whole packets.
        let durations = peer.sent.map { Int($0.duration) }
        #expect(durations.reduce(0, +) == 5 * 24 * 480)
        for (packet, next) in zip(peer.sent, peer.sent.dropFirst()) {
            #expect(next.timestamp &- packet.timestamp == packet.duration)
        }
    }

    @Test("A change of direction alone leaves the encoder as it is")
    func directionChange() throws {
        let bench = LoopBench(capture: Signals.sine(1_000, 300_000))
        let peer = try Peer(.opus)
        bench.enter(peer)
        let codec = peer.call.slot.pointer.pointee.sending.codec
        bench.turn(10, peer)
        var configuration = peer.call.configuration
        configuration.direction = .recvonly
        try peer.call.update(configuration)
        bench.turn(10, peer)
        let after = peer.call.slot.pointer.pointee.sending.codec
        #expect(codec == after)
        configuration.opus.bitRate = 16_000
        try peer.call.update(configuration)
        bench.turn(1, peer)
        let changed = peer.call.slot.pointer.pointee.sending.codec
        #expect(codec != changed)
    }

    @Test("Foreign payload types and what is no packet are counted, not played")
    func hostile() throws {
        let bench = LoopBench()
        let peer = try Peer(.opus, hertz: 0)
        bench.enter(peer)
        for index in 0..<100 {
            var packet = InboundPacket()
            packet.payloadType = index % 2 == 0 ? 13 : 96
            packet.sequenceNumber = UInt16(index)
            packet.timestamp = UInt32(index * 77_777)
            packet.count = [0, 1, -5, 1_400, 99_999][index % 5]
            for byte in 0..<1_400 { packet.payload[byte] = UInt8(truncatingIfNeeded: index * 31 + byte * 7) }
            _ = peer.inject(packet)
            bench.turn(1, peer)
        }
        #expect(peer.call.statistics.discardedPackets == 50)
        #expect(peer.call.statistics.malformedPackets > 0)
        // The call goes on.
        peer.hertz = 600
        bench.turn(100, peer)
        #expect(Signals.peak(of: 600, in: bench.played(from: 160)) > 5_000)
    }

    @Test("The network thread is woken when a packet is ready, once a turn")
    func wake() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let bench = LoopBench()
        let peer = try Peer(.pcmu, signalling: ends[1])
        bench.enter(peer)
        bench.turn(1, peer)  // the gates are acknowledged
        bench.turn(1, peer)  // a packet
        bench.turn(1, peer)  // half a packet
        var bytes = [UInt8](repeating: 0, count: 64)
        #expect(read(ends[0], &bytes, bytes.count) == 16)
    }

    @Test("A network thread that does not read costs packets, not the loop")
    func fullRing() throws {
        let bench = LoopBench()
        let peer = try Peer(.pcmu)
        bench.enter(peer)
        for _ in 0..<400 { bench.turnOnce() }
        #expect(peer.call.statistics.droppedPackets > 100)
        let request = peer.set(held: true)
        bench.turn(1, peer)
        bench.turn(1, peer)
        #expect(peer.settled.last?.word == request.word)
    }
}

@Suite("Tones") struct ToneTests {
    @Test(
        "have their cadence",
        arguments: [
            (Tone.ringBack, [(0, 1.0, true), (1.1, 4.9, false), (5.1, 5.9, true)]),
            (.busy, [(0.02, 0.48, true), (0.52, 0.98, false), (1.02, 1.48, true)]),
            (.congestion, [(0.02, 0.24, true), (0.26, 0.49, false)]),
            (.attention, [(0.02, 0.19, true), (0.22, 0.29, false), (0.32, 0.49, true), (0.51, 3.9, false)]),
            (.callWaiting, [(0.02, 0.19, true), (0.22, 0.59, false), (0.62, 0.79, true), (0.81, 3.9, false)]),
            (.ring, [(0.02, 1.39, true), (1.41, 3.99, false), (4.02, 5.3, true)]),
        ] as [(Tone, [(Double, Double, Bool)])])
    func cadence(tone: Tone, parts: [(Double, Double, Bool)]) {
        let bench = LoopBench()
        bench.loopCells.pointee.tone.store(tone.rawValue, ordering: .relaxed)
        bench.turn(620)
        let played = Array(bench.played())
        for (from, to, sounds) in parts {
            let part = played[Int(from * 48_000)..<Int(to * 48_000)]
            #expect(sounds ? Signals.rms(part) > 500 : part.allSatisfy { $0 == 0 }, "\(from) s")
        }
        #expect(Signals.steepest(played) < 5_000)
    }

    @Test("end softly when they are stopped")
    func stop() {
        let bench = LoopBench()
        bench.loopCells.pointee.tone.store(Tone.ringBack.rawValue, ordering: .relaxed)
        bench.turn(20)
        bench.loopCells.pointee.tone.store(0, ordering: .relaxed)
        bench.turn(2)
        let played = bench.played(from: 20)
        #expect(Signals.steepest(bench.played(from: 15)) < 250)
        #expect(played.suffix(480).allSatisfy { $0 == 0 })
    }

    @Test("sound over a call")
    func overCall() throws {
        let bench = LoopBench()
        let peer = try Peer(.pcmu, hertz: 1_300)
        bench.enter(peer)
        bench.loopCells.pointee.rings.store(true, ordering: .relaxed)
        bench.turn(60, peer)
        let played = bench.played(from: 20)
        #expect(Signals.peak(of: 1_300, in: played) > 6_000)
        #expect(Signals.peak(of: 784, in: played) > 500)
    }

    @Test("A peer that holds us is not heard beyond its last word", arguments: [Codec.opus, .pcmu])
    func heldByPeer(codec: Codec) throws {
        let peer = try Peer(codec)
        let bench = LoopBench()
        bench.enter(peer)
        bench.turn(40, peer)
        peer.hertz = 0
        var configuration = peer.call.configuration
        configuration.direction = .recvonly
        try peer.call.update(configuration)
        let last = bench.turns
        bench.turn(30, peer)
        // What had come is heard: a packet, what Opus looks ahead, and a turn in which it fades.
        #expect(Signals.rms(bench.played(from: last + 4)) == 0)
        #expect(peer.call.statistics.playout.concealed == 0)
        // It goes on, be it music or the peer.
        peer.hertz = 600
        bench.turn(40, peer)
        #expect(Signals.rms(bench.played(from: bench.turns - 20)) > 3_000)
    }
}
