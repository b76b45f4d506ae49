import AudioLoop
import Codecs
import MediaDescription
import SoundDevices
import Testing

@Suite("Hold music") struct HoldMusicTests {
    /// 50 whole periods.
    private let clip: SoundClip

    init() throws { clip = try ToneFile(hertz: 500, seconds: 0.1).clip() }

    private func bench() -> LoopBench { LoopBench(capture: Signals.sine(1_000, 400_000)) }

    /// A peer that has been talking for so many turns.
    private func peer(
        _ codec: Codec = .pcmu, on bench: LoopBench, turns: Int = 21, direction: MediaDirection = .sendrecv
    ) throws -> Peer {
        let peer = try Peer(codec, direction: direction)
        peer.call.setHoldMusic(clip)
        bench.enter(peer)
        bench.turn(turns, peer)
        return peer
    }

    @Test(
        "The held party hears it and not one sample of the microphone; we hear nothing of it",
        arguments: [Codec.opus, .g722, .pcma, .pcmu])
    func held(codec: Codec) throws {
        let bench = bench()
        // An odd turn: a packet is half full of the microphone.
        let peer = try peer(codec, on: bench, turns: 21)
        let before = peer.sent.count
        let request = peer.set(held: true)
        bench.turn(1, peer)
        #expect(peer.settled.last?.word == request.word, "settled in the turn that applies it")
        let turn = bench.turns
        bench.turn(61, peer)
        #expect(bench.played(from: turn).allSatisfy { $0 == 0 })
        // As from an encoder that never knew the microphone: a packet of silence for the half, then the music.
        let sent = peer.payloads(from: before)
        var music = [Int16](repeating: 0, count: 480)
        let content = UnsafeBufferPointer(start: clip.samples.pointee.first, count: clip.samples.pointee.count)
        for index in 0..<(62 * 480) {
            let level = min(index + 1, 240)
            music.append(Int16(Int(content[index % content.count]) * level / 240))
        }
        #expect(sent.count == 31)
        #expect(sent == Array(try peer.fresh(music).prefix(31)))
    }

    @Test("Packets follow each other without a gap in time, and none is marked")
    func continuous() throws {
        let bench = bench()
        let peer = try peer(.opus, on: bench)
        _ = peer.set(held: true)
        bench.turn(41, peer)
        _ = peer.set()
        bench.turn(40, peer)
        let packets = peer.sent
        #expect(packets.allSatisfy { $0.kind == .audio })
        #expect(zip(packets, packets.dropFirst()).allSatisfy { $1.timestamp &- $0.timestamp == 960 })
        #expect(packets.dropFirst().allSatisfy { !$0.marker })
    }

    @Test("It dies away within 5 ms of the resume, and begins anew at the next hold")
    func resumed() throws {
        let bench = bench()
        let peer = try peer(.pcmu, on: bench, turns: 20)
        _ = peer.set(held: true)
        let start = peer.payloads().count
        bench.turn(26, peer)
        let end = peer.payloads().count
        _ = peer.set()
        bench.turn(20, peer)
        let back = try peer.heard(from: end)
        #expect(Signals.peak(of: 500, in: back.dropFirst(960)) < 60)
        #expect(Signals.peak(of: 1_000, in: back.dropFirst(960)) > 8_000)
        #expect(Signals.steepest(try peer.heard(from: end - 5).dropFirst(960)) < 2_500, "no click where it ends")
        _ = peer.set(held: true)
        let second = peer.payloads().count
        bench.turn(26, peer)
        #expect(peer.payloads(from: second) == Array(peer.payloads(from: start).prefix(end - start)))
        #expect(end - start == 13)
    }

    @Test("Held anew before it has died away, nothing of the microphone gets out")
    func quickly() throws {
        let bench = bench()
        let peer = try peer(.pcmu, on: bench, turns: 20)
        for _ in 0..<6 {
            _ = peer.set(held: true)
            bench.turn(2, peer)
            _ = peer.set()
            // The turn in which it dies away: the microphone is in half a packet.
            bench.turn(1, peer)
            let before = peer.payloads().count
            _ = peer.set(held: true)
            bench.turn(21, peer)
            #expect(Signals.peak(of: 1_000, in: try peer.heard(from: before)) < 120)
        }
    }

    @Test("Who holds us, too, is sent nothing; muted before, it is muted after", arguments: [Codec.opus, .pcmu])
    func inactive(codec: Codec) throws {
        let bench = bench()
        let peer = try peer(codec, on: bench, turns: 20)
        _ = peer.set(held: true, muted: true)
        bench.turn(20, peer)
        var configuration = peer.call.configuration
        configuration.direction = .recvonly
        try peer.call.update(configuration)
        bench.turn(1, peer)
        var before = peer.payloads().count
        bench.turn(40, peer)
        #expect(peer.payloads().count == before)
        configuration.direction = .sendrecv
        try peer.call.update(configuration)
        bench.turn(20, peer)
        #expect(peer.payloads().count > before + 8, "the music goes on")
        let request = peer.set(muted: true)
        bench.turn(2, peer)
        #expect(peer.settled.last?.word == request.word)
        before = peer.payloads().count
        bench.turn(40, peer)
        let silence = peer.payloads(from: before + 4)
        let level = Signals.rms(try peer.heard(from: before + 4))
        #expect(silence.count > 14 && level < 4, "\(level)")
    }

    @Test("Members of a group that is held hear it, each from its beginning, and not each other")
    func group() throws {
        let bench = bench()
        let peers = [try Peer(.pcmu, hertz: 700), try Peer(.pcmu, hertz: 1_300)]
        for peer in peers {
            peer.call.setHoldMusic(clip)
            peer.call.setGroup(1)
            bench.enter(peer)
        }
        bench.turn(40, peers)
        for peer in peers { _ = peer.set(held: true) }
        bench.turn(1, peers)
        let before = peers.map { $0.payloads().count }
        bench.turn(60, peers)
        for (peer, first) in zip(peers, before) {
            let heard = try peer.heard(from: first)
            #expect(Signals.peak(of: 500, in: heard) > 8_000)
            for other in [700, 1_000, 1_300] { #expect(Signals.peak(of: Double(other), in: heard) < 120) }
        }
        #expect(peers[0].payloads(from: before[0]) == peers[1].payloads(from: before[1]))
    }

    @Test("A loop that lets a held call go gives its music on to the next one")
    func otherLoop() throws {
        let bench = bench()
        let peer = try peer(.pcmu, on: bench, turns: 20)
        _ = peer.set(held: true)
        bench.turn(20, peer)
        bench.leave(peer)
        bench.turn(2, peer)
        let before = peer.payloads().count
        let next = LoopBench()
        next.enter(peer)
        next.turn(40, peer)
        #expect(peer.payloads().count >= before + 18)
        #expect(Signals.peak(of: 500, in: try peer.heard(from: before + 1)) > 8_000)
    }

    @Test("Music that is taken away stops; what comes while the call is held begins")
    func changed() throws {
        let bench = bench()
        let peer = try peer(.pcmu, on: bench, turns: 20)
        peer.call.setHoldMusic(nil)
        _ = peer.set(held: true)
        bench.turn(20, peer)
        var before = peer.payloads().count
        bench.turn(20, peer)
        #expect(peer.payloads().count == before)
        peer.call.setHoldMusic(clip)
        bench.turn(41, peer)
        #expect(Signals.peak(of: 500, in: try peer.heard(from: before + 1)) > 8_000)
        peer.call.setHoldMusic(nil)
        bench.turn(1, peer)
        before = peer.payloads().count
        bench.turn(20, peer)
        #expect(peer.payloads().count == before)
    }
}
