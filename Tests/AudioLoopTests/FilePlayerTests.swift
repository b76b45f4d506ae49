import MediaDescription
import Realtime
import SoundDevices
import Testing

@testable import AudioLoop

@Suite("A file in the microphone's place") struct FilePlayerTests {
    /// As long as three and a half turns.
    private let content = Signals.sine(700, 1_680).map { $0 / 2 + 1 }
    private var clip: SoundClip { SoundClip(content) }

    private func sent(_ peer: Peer) -> [UInt32] {
        peer.sent.filter { $0.kind == .ended }.map(\.gates)
    }

    /// A call in a loop that has turned a few times.
    private func scene(capture: [Int16] = []) throws -> (bench: LoopBench, peer: Peer) {
        let (bench, peer) = (LoopBench(capture: capture), try Peer())
        bench.enter(peer)
        bench.turn(4, peer)
        return (bench, peer)
    }

    /// What a tap says the peer was sent.
    private func tapped(_ peer: Peer, _ turns: () -> Void) -> [Int16] {
        let tap = SoundTap()
        peer.call.setTap(tap)
        let reader = tap.takeReader()
        turns()
        var samples: [Int16] = []
        while let part = reader?.pop() {
            for frame in 0..<part.count { samples.append(part.frames[2 * frame]) }
        }
        return samples
    }

    @Test("It is sent to the bit from its first sample to its last, once, and its end is told")
    func exact() throws {
        let (bench, peer) = try scene()
        let samples = tapped(peer) {
            peer.call.play(PlayedSound(clip, loops: false, number: 7))
            bench.turn(3, peer)
            #expect(sent(peer).isEmpty)
            bench.turn(10, peer)
        }
        #expect(samples == content + [Int16](repeating: 0, count: 13 * 480 - content.count))
        #expect(sent(peer) == [7])
        peer.call.play(nil)
        bench.turn(5, peer)
        #expect(sent(peer) == [7])
    }

    @Test("The microphone gives way to it within 5 ms, and is back within 5 ms of its end")
    func microphone() throws {
        let (bench, peer) = try scene(capture: [Int16](repeating: 4_000, count: 400_000))
        let samples = tapped(peer) {
            peer.call.play(PlayedSound(clip, loops: false, number: 1))
            bench.turn(10, peer)
        }
        #expect(Array(samples[240..<1_680]) == Array(content[240...]))
        #expect(samples[1_680...].dropFirst(240).allSatisfy { $0 == 4_000 })
        #expect(Signals.steepest(samples) < 800)
    }

    @Test("Over and over, without a seam, until it is stopped; then it dies away within 5 ms, and no end is told")
    func loops() throws {
        let (bench, peer) = try scene()
        let samples = tapped(peer) {
            peer.call.play(PlayedSound(clip, loops: true, number: 1))
            bench.turn(20, peer)
            peer.call.play(nil)
            bench.turn(4, peer)
        }
        for index in 0..<(20 * 480) where samples[index] != content[index % content.count] {
            Issue.record("sample \(index)")
            break
        }
        #expect(samples[(20 * 480 + 240)...].allSatisfy { $0 == 0 })
        #expect(sent(peer).isEmpty)
    }

    @Test("Held, nothing of it leaves, and it goes on from there; muted, it runs on unheard")
    func gates() throws {
        let (bench, peer) = try scene()
        let long = Signals.sine(700, 48_000)
        peer.call.play(PlayedSound(SoundClip(long), loops: false, number: 3))
        bench.turn(20, peer)
        _ = peer.set(held: true)
        bench.turn(1, peer)
        let before = peer.payloads().count
        bench.turn(50, peer)
        #expect(peer.payloads().count == before)
        _ = peer.set(muted: true)
        bench.turn(2, peer)
        let muted = peer.payloads().count
        bench.turn(40, peer)
        #expect(Signals.rms(try peer.heard(from: muted + 2)) < 10)
        #expect(sent(peer).isEmpty)
        _ = peer.set()
        bench.turn(37, peer)
        #expect(sent(peer).isEmpty)
        bench.turn(3, peer)
        #expect(sent(peer) == [3], "20, 2, 40 and 38 turns of it have passed")
    }

    @Test("Another one takes its place")
    func replaced() throws {
        let (bench, peer) = try scene()
        let other = Signals.sine(1_900, 960)
        let samples = tapped(peer) {
            peer.call.play(PlayedSound(clip, loops: false, number: 1))
            bench.turn(2, peer)
            peer.call.play(PlayedSound(SoundClip(other), loops: false, number: 2))
            bench.turn(6, peer)
        }
        // The first dies away in the turn that sees the change.
        #expect(Array(samples[(3 * 480)..<(5 * 480)]) == other)
        #expect(sent(peer) == [2])
    }

    @Test("Where another one takes its place, the microphone is not heard between the two")
    func replacedInSpeech() throws {
        let (bench, peer) = try scene(capture: [Int16](repeating: 4_000, count: 400_000))
        let silence = SoundClip([Int16](repeating: 0, count: 48_000))
        let samples = tapped(peer) {
            peer.call.play(PlayedSound(silence, loops: false, number: 1))
            bench.turn(5, peer)
            peer.call.play(PlayedSound(silence, loops: false, number: 2))
            bench.turn(5, peer)
        }
        #expect(samples[240...].allSatisfy { $0 == 0 })
    }

    @Test("It is kept from one loop to the next")
    func nextLoop() throws {
        let (bench, peer) = try scene()
        peer.call.play(PlayedSound(clip, loops: false, number: 1))
        bench.turn(2, peer)
        bench.leave(peer)
        bench.turn(2, peer)
        let next = LoopBench()
        next.enter(peer)
        next.turn(1, peer)
        #expect(sent(peer).isEmpty)
        next.turn(2, peer)
        #expect(sent(peer) == [1])
    }
}

@Suite("An echo") struct EchoTests {
    @Test("Who calls hears itself, and nothing else; and not while it is held", arguments: [Codec.opus, .g722, .pcmu])
    func echo(codec: Codec) throws {
        let bench = LoopBench(capture: Signals.sine(1_000, 400_000))
        let peer = try Peer(codec, hertz: 600)
        peer.call.setEchoes(true)
        bench.enter(peer)
        bench.turn(100, peer)
        let heard = try peer.heard(from: 20)
        #expect(Signals.peak(of: 600, in: heard) > 6_000)
        #expect(Signals.peak(of: 1_000, in: heard) < 100)
        _ = peer.set(held: true)
        bench.turn(2, peer)
        let before = peer.payloads().count
        bench.turn(20, peer)
        #expect(peer.payloads().count == before)
    }

    @Test("Several are apart, and a conversation beside them does not hear them")
    func several() throws {
        let bench = LoopBench(capture: Signals.sine(1_000, 400_000))
        let peers = [try Peer(hertz: 600), try Peer(hertz: 1_500)]
        for peer in peers {
            peer.call.setEchoes(true)
            bench.enter(peer)
        }
        bench.turn(100, peers)
        for (peer, others) in zip(peers, [[1_000.0, 1_500.0], [1_000.0, 600.0]]) {
            let heard = try peer.heard(from: 20)
            for other in others { #expect(Signals.peak(of: other, in: heard) < 100) }
        }
    }
}
