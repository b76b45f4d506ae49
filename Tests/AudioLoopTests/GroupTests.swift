@testable import AudioLoop
import Codecs
import MediaDescription
import Realtime
import Testing

@Suite("A group of calls in the loop") struct GroupTests {
    static let pitches = [430.0, 640, 1_310, 2_150]
    static let ours = 1_000.0

    private func peers(_ codec: Codec = .pcmu, count: Int = 4, peak: Double = 4_000) throws -> [Peer] {
        try Self.pitches.prefix(count).map { try Peer(codec, hertz: $0, peak: peak) }
    }

    private func join(_ bench: LoopBench, _ peers: [Peer], group: UInt32 = 7) {
        for peer in peers {
            peer.call.setGroup(group)
            bench.enter(peer)
        }
    }

    /// What each of them heard of each, and of us, since packet `from[…]`: peaks.
    private func heard(_ peers: [Peer], from: [Int]) throws -> [(others: [Double], ours: Double)] {
        try zip(peers, from).map { peer, from in
            let sound = try peer.heard(from: from)
            return (Self.pitches.map { Signals.peak(of: $0, in: sound) }, Signals.peak(of: Self.ours, in: sound))
        }
    }

    private func counts(_ peers: [Peer]) -> [Int] { peers.map { $0.sent.count } }

    @Test("Each hears all others and us, and never itself; we hear all", arguments: [Codec.pcmu, .g722, .opus])
    func allButItself(codec: Codec) throws {
        let bench = LoopBench(capture: Signals.sine(Self.ours, 400_000, peak: 4_000))
        let peers = try peers(codec)
        join(bench, peers)
        bench.turn(60, peers)
        let from = counts(peers)
        bench.turn(100, peers)
        for (index, heard) in try heard(peers, from: from).enumerated() {
            #expect(heard.ours > 3_000)
            for (other, peak) in heard.others.enumerated() {
                #expect(other == index ? peak < 60 : peak > 2_800, "\(index) hears \(other) with \(peak)")
            }
        }
        let played = bench.played(from: 80)
        #expect(Self.pitches.allSatisfy { Signals.peak(of: $0, in: played) > 2_800 })
        #expect(Signals.peak(of: Self.ours, in: played) < 60)
    }

    @Test("Two groups and a call beside them hear nothing of each other")
    func apart() throws {
        let bench = LoopBench(capture: Signals.sine(Self.ours, 400_000, peak: 4_000))
        let peers = try peers(count: 4)
        join(bench, Array(peers[..<2]), group: 1)
        join(bench, [peers[2]], group: 2)
        join(bench, [peers[3]], group: 0)
        bench.turn(60, peers)
        let from = counts(peers)
        bench.turn(80, peers)
        let heard = try heard(peers, from: from)
        #expect(heard.allSatisfy { $0.ours > 3_000 })
        let pairs = heard.map { $0.others.map { $0 > 1_000 } }
        #expect(pairs[0] == [false, true, false, false] && pairs[1] == [true, false, false, false])
        #expect(!pairs[2].contains(true) && !pairs[3].contains(true))
    }

    @Test("Where nobody else talks, what is sent in a group is what is sent outside one, to the bit")
    func bitExact() throws {
        func payloads(grouped: Bool) throws -> [[UInt8]] {
            let bench = LoopBench(capture: Signals.sine(Self.ours, 200_000, peak: 32_767))
            let peers = try [Codec.opus, .pcma, .g722].map { try Peer($0, hertz: 0) }
            join(bench, peers, group: grouped ? 3 : 0)
            bench.turn(100, peers)
            return peers.flatMap { $0.payloads() }
        }
        #expect(try payloads(grouped: true) == payloads(grouped: false))
    }

    @Test("A held group is silent every way, to the sample, and acknowledged in the turn that applies it")
    func held() throws {
        let bench = LoopBench(capture: Signals.sine(Self.ours, 400_000))
        let peers = try peers()
        join(bench, peers)
        bench.turn(61, peers)
        let words = peers.map { $0.set(held: true).word }
        bench.turn(1, peers)
        #expect(peers.map { $0.settled.last?.word } == words)
        let (from, turn) = (counts(peers), bench.turns)
        bench.turn(60, peers)
        #expect(bench.played(from: turn).allSatisfy { $0 == 0 })
        #expect(zip(peers, from).allSatisfy { $0.payloads(from: $1).isEmpty })
        for peer in peers { _ = peer.set() }
        bench.turn(20, peers)
        let resumed = counts(peers)
        bench.turn(80, peers)
        #expect(try heard(peers, from: resumed).allSatisfy { $0.others.count { $0 > 2_500 } == 3 && $0.ours > 6_000 })
    }

    @Test("One held member is out of it, and the rest goes on")
    func oneHeld() throws {
        let bench = LoopBench(capture: Signals.sine(Self.ours, 400_000, peak: 4_000))
        let peers = try peers()
        join(bench, peers)
        bench.turn(60, peers)
        _ = peers[0].set(held: true)
        bench.turn(2, peers)
        let (from, turn) = (counts(peers), bench.turns)
        bench.turn(80, peers)
        let heard = try heard(peers, from: from)
        #expect(peers[0].payloads(from: from[0]).isEmpty)
        #expect(heard.dropFirst().allSatisfy { $0.others[0] < 60 && $0.others.count { $0 > 2_800 } == 2 })
        #expect(Signals.peak(of: Self.pitches[0], in: bench.played(from: turn)) < 60)
    }

    @Test("Muted and earmuffed, each of them, we are out of it and they hear each other")
    func keep() throws {
        let bench = LoopBench(capture: Signals.sine(Self.ours, 400_000))
        let peers = try peers(peak: 3_000)
        join(bench, peers)
        bench.turn(61, peers)
        let words = peers.map { $0.set(muted: true, earmuffed: true).word }
        bench.turn(3, peers)
        #expect(peers.map { $0.settled.last?.word } == words)
        let (from, turn) = (peers.map { $0.settled.last?.packets ?? 0 }, bench.turns)
        bench.turn(80, peers)
        #expect(bench.played(from: turn).allSatisfy { $0 == 0 })
        for (index, heard) in try heard(peers, from: from).enumerated() {
            #expect(heard.ours < 30)
            #expect(heard.others[index] < 60 && heard.others.count { $0 > 2_000 } == 3)
        }
    }

    @Test("Mute and earmuff are between us and one member", arguments: [Codec.pcmu, .opus])
    func switches(codec: Codec) throws {
        let bench = LoopBench(capture: Signals.sine(Self.ours, 400_000, peak: 4_000))
        let peers = try peers(codec)
        join(bench, peers)
        bench.turn(60, peers)
        let mute = peers[0].set(muted: true)
        _ = peers[1].set(earmuffed: true)
        bench.turn(5, peers)
        let acknowledged = try #require(peers[0].settled.last)
        #expect(acknowledged.word == mute.word)
        let (from, turn) = (counts(peers), bench.turns)
        bench.turn(100, peers)
        let heard = try heard(peers, from: from)
        #expect(heard.map { $0.ours > 2_800 } == [false, true, true, true])
        #expect(heard.enumerated().allSatisfy { index, heard in heard.others.count { $0 > 2_800 } == 3 })
        // Of the microphone nothing is left from the packet after the acknowledgement on.
        #expect(heard[0].ours < 30)
        let played = bench.played(from: turn)
        #expect(Self.pitches.map { Signals.peak(of: $0, in: played) > 2_800 } == [true, false, true, true])
    }

    @Test("Who leaves is out of it within a turn or two, softly, and goes on as a call of its own")
    func leaving() throws {
        let bench = LoopBench(capture: Signals.sine(Self.ours, 400_000, peak: 4_000))
        let peers = try peers(count: 3)
        join(bench, peers)
        bench.turn(60, peers)
        peers[0].call.setGroup(0)
        bench.turn(4, peers)
        let from = counts(peers)
        bench.turn(80, peers)
        let heard = try heard(peers, from: from)
        #expect(heard.allSatisfy { $0.ours > 2_800 })
        #expect(heard[0].others.allSatisfy { $0 < 60 })
        #expect(heard[1].others[0] < 60 && heard[1].others[2] > 2_800 && heard[2].others[1] > 2_800)
        // One that hangs up leaves the rest.
        bench.leave(peers[1])
        bench.turn(4, peers)
        let rest = counts(peers)
        bench.turn(60, peers)
        let last = try peers[2].heard(from: rest[2])
        #expect(Signals.peak(of: Self.pitches[1], in: last) < 60 && Signals.peak(of: Self.ours, in: last) > 2_800)
    }

    @Test("Who hangs up falls silent softly, for us and for the others", arguments: 0..<6)
    func softEnd(extraTurns: Int) throws {
        let bench = LoopBench()
        // Low, so that a break is steeper than the tone.
        let peers = try [170.0, 0].map { try Peer(.pcma, hertz: $0, peak: 16_000) }
        join(bench, peers)
        bench.turn(60 + extraTurns, peers)
        let (turn, from) = (bench.turns, peers[1].sent.count)
        bench.leave(peers[0])
        bench.turn(10, peers)
        let played = bench.played(from: turn - 1)
        #expect(Signals.steepest(played) < 1_200)
        #expect(played.dropFirst(960).allSatisfy { $0 == 0 } && played.prefix(480).contains { abs(Int($0)) > 8_000 })
        // The decoder and the resampler round it off further.
        let heard = try peers[1].heard(from: from - 1)
        #expect(Signals.steepest(heard.dropFirst(240)) < 1_200)
    }

    @Test("One that is held by its remote party says what it says, and is sent nothing")
    func remoteHeld() throws {
        let bench = LoopBench(capture: Signals.sine(Self.ours, 400_000, peak: 4_000))
        let peers = try peers(count: 3)
        join(bench, peers)
        bench.turn(60, peers)
        var configuration = peers[0].call.configuration
        configuration.direction = .recvonly
        try peers[0].call.update(configuration)
        bench.turn(2, peers)
        let from = counts(peers)
        bench.turn(80, peers)
        #expect(peers[0].payloads(from: from[0]).isEmpty)
        #expect(try heard(peers, from: from)[1].others[0] > 2_800)
    }

    @Test("Eight members at full scale do not clip each other")
    func loud() throws {
        let pitches = (0..<8).map { 310.0 + Double($0) * 247 }
        let bench = LoopBench(capture: Signals.sine(Self.ours, 400_000, peak: 30_000))
        let peers = try pitches.map { try Peer(.pcmu, hertz: $0, peak: 31_000) }
        join(bench, peers)
        bench.turn(200, peers)
        let (from, turn) = (counts(peers), bench.turns)
        bench.turn(100, peers)
        let played = bench.played(from: turn)
        let levels = pitches.map { Signals.peak(of: $0, in: played) }
        // They are as loud as each other, and nothing is where only clipping would put it.
        #expect((levels.max() ?? 0) / (levels.min() ?? 1) < 1.3)
        #expect(Signals.peak(of: 3_733, in: played) < 40)
        let sound = try peers[3].heard(from: from[3])
        #expect(Signals.peak(of: pitches[3], in: sound) < 60)
        #expect(Signals.peak(of: pitches[4], in: sound) > 2_500)
    }
}
