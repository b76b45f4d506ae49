@testable import AudioLoop
import Codecs
import MediaDescription
import Playout
import Testing

/// What a sender says in packets of 20 ms, for a network that brings them when a test says.
private struct Talk {
    let packets: [InboundPacket]

    init(_ codec: Codec, _ sound: [Int16], expectedLoss: Int = 5) throws {
        var wishes = OpusParameters()
        wishes.inBandFEC = expectedLoss > 5
        let encoder = try VoiceEncoder(codec, opus: OpusSettings(expectedLossPercent: expectedLoss, peer: wishes))
        var packets: [InboundPacket] = []
        for start in stride(from: 0, through: sound.count - 960, by: 960) {
            var packet = InboundPacket()
            packet.sequenceNumber = UInt16(truncatingIfNeeded: packets.count)
            packet.payloadType = 96
            packet.timestamp = UInt32(start / (48_000 / codec.clockRate))
            let part = Array(sound[start..<start + 960])
            packet.count = withUnsafeMutablePointer(to: &packet.payload) { payload in
                encoder.encode(
                    part, part.count, into: UnsafeMutableRawPointer(payload).assumingMemoryBound(to: UInt8.self),
                    capacity: 1_400)
            }
            packets.append(packet)
        }
        self.packets = packets
    }

    /// Plays from packet `first` on; packet k comes in turn 2k and the turns that `delay` says later, or never.
    func play(
        _ bench: LoopBench, _ peer: Peer, from first: Int = 0, to end: Int? = nil, delay: (Int) -> Int? = { _ in 0 }
    ) {
        let last = end ?? packets.count
        var waiting = (first..<last).compactMap { index in delay(index).map { (turn: 2 * index + $0, index: index) } }
        waiting.sort { ($0.turn, $0.index) < ($1.turn, $1.index) }
        var next = waiting[...]
        for turn in (2 * first)..<(2 * last) {
            while let arrival = next.first, arrival.turn <= turn {
                next.removeFirst()
                var packet = packets[arrival.index]
                packet.arrival = LoopBench.arrival
                _ = peer.inject(packet)
            }
            bench.turnOnce()
            peer.listen()
        }
    }
}

@Suite("What a network does to a call's sound") struct NetworkTests {
    private func heard(_ talk: Talk, _ codec: Codec, delay: (Int) -> Int? = { _ in 0 }) throws -> (
        sound: [Int16], peer: Peer
    ) {
        let bench = LoopBench(seconds: talk.packets.count / 50 + 1)
        let peer = try Peer(codec, hertz: 0)
        bench.enter(peer)
        talk.play(bench, peer, delay: delay)
        return (Array(bench.played()), peer)
    }

    @Test(
        "A packet that comes late is bridged without a click, and what follows is as if it had not",
        arguments: Codec.allCases)
    func late(codec: Codec) throws {
        let talk = try Talk(codec, Signals.sine(310, 7 * 48_000, peak: 9_000))
        let (undisturbed, _) = try heard(talk, codec)
        let (sound, peer) = try heard(talk, codec) { $0 == 320 ? 2 : 0 }
        let playout = peer.call.statistics.playout
        #expect(playout.concealed == 480 && playout.merges == 1)
        #expect(playout.lost == 0 && playout.late == 0 && playout.concealedLost == 0)
        #expect(Signals.steepest(sound) <= Signals.steepest(undisturbed) * 5 / 4)
        // The decoder has missed nothing: behind the cross-fade it is the same to the bit.
        let joint = 320 * 960 + 3 * 480
        #expect(sound[joint...].elementsEqual(undisturbed[joint...]))
        #expect(!sound[..<joint].elementsEqual(undisturbed[..<joint]))
    }

    @Test("A stall is heard out, and what was said meanwhile comes after it, all of it", arguments: Codec.allCases)
    func stall(codec: Codec) throws {
        let talk = try Talk(codec, Signals.sine(310, 3 * 48_000, peak: 9_000))
        // Packets 120 to 124 come together, the first 80 ms late.
        let (sound, peer) = try heard(talk, codec) { (120..<125).contains($0) ? 8 - 2 * ($0 - 120) : 0 }
        let playout = peer.call.statistics.playout
        #expect(playout.lost == 0 && playout.late == 0 && playout.merges == 1)
        #expect(playout.target >= 7 * 480)
        #expect(playout.concealed >= 6 * 480 && playout.concealed <= 8 * 480)
        let smooth = try heard(talk, codec).sound
        #expect(Signals.steepest(sound) <= Signals.steepest(smooth) * 5 / 4)
    }

    @Test("Lost packets are recovered from those after them, once they are many")
    func recovery() throws {
        let talk = try Talk(.opus, Signals.buzz(24 * 48_000), expectedLoss: 20)
        let repeats = talk.packets.map { packet in
            var packet = packet
            return withUnsafePointer(to: &packet.payload) {
                Codec.opus.hasRedundancy(
                    in: UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self), packet.count)
            }
        }
        let lost = stride(from: 13, to: talk.packets.count - 1, by: 20)
        let recoverable = lost.count { repeats[$0 + 1] }
        try #require(recoverable >= 30)
        let (_, peer) = try heard(talk, .opus) { $0 % 20 == 13 ? nil : 0 }
        let playout = peer.call.statistics.playout
        #expect(playout.lost == talk.packets.count / 20)
        // In the first seconds there was no reason to wait for them.
        #expect(playout.recovered >= recoverable / 2 && playout.recovered <= recoverable)
        #expect(playout.target >= 960 && playout.target <= 1_100)
    }

    @Test("What was learnt of the network serves at once after a hold and in another codec", arguments: [true, false])
    func learnt(holds: Bool) throws {
        let sound = Signals.sine(310, 12 * 48_000, peak: 9_000)
        let bench = LoopBench(seconds: 13)
        let peer = try Peer(.pcmu, hertz: 0)
        bench.enter(peer)
        // Three packets come together each time, the first 40 ms late.
        let late = { (index: Int) -> Int? in 4 - index % 3 * 2 }
        try Talk(.pcmu, sound).play(bench, peer, to: 250, delay: late)
        let before = peer.call.statistics.playout
        #expect(before.target >= 1_900)
        var rest = try Talk(.pcmu, sound)
        if holds {
            _ = peer.set(held: true)
            rest.play(bench, peer, from: 250, to: 300, delay: late)
            _ = peer.set()
        } else {
            var configuration = peer.call.configuration
            configuration.codec = .opus
            try peer.call.update(configuration)
            rest = try Talk(.opus, sound)
        }
        let turn = bench.turns
        rest.play(bench, peer, from: 300, to: 500, delay: late)
        let after = peer.call.statistics.playout
        #expect(after.anchorings == before.anchorings + 1)
        #expect(after.concealed == before.concealed && after.lost == before.lost)
        // And the first sound comes within 200 ms.
        let first = bench.played(from: turn).firstIndex { abs(Int($0)) > 2_000 }
        #expect((first ?? .max) - turn * LoopBench.period <= 9_600)
    }
}
