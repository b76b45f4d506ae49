import AudioLoop
import Codecs
import MediaDescription
import Playout
import Realtime
import Testing

/// The three switches and remote hold, and what is to be sent and heard.
struct GateCase: Sendable, CustomTestStringConvertible {
    var held: Bool
    var muted: Bool
    var earmuffed: Bool
    /// The peer holds us: our direction is `recvonly`.
    var remoteHeld: Bool

    static let all: [GateCase] = (0..<16).map {
        GateCase(held: $0 & 1 != 0, muted: $0 & 2 != 0, earmuffed: $0 & 4 != 0, remoteHeld: $0 & 8 != 0)
    }

    var testDescription: String {
        let words = [(held, "held"), (muted, "muted"), (earmuffed, "earmuffed"), (remoteHeld, "remoteHeld")]
        let set = words.compactMap { $0.0 ? $0.1 : nil }
        return set.isEmpty ? "open" : set.joined(separator: "+")
    }

    enum Sent { case audio, silence, nothing }
    var sent: Sent { held || remoteHeld ? .nothing : muted ? .silence : .audio }
    var isHeard: Bool { !held && !earmuffed }
}

@Suite("The gates of a call") struct GateTests {
    @Test("do as the table says, to the sample, once acknowledged", arguments: GateCase.all, [Codec.opus, .pcma])
    func table(gates: GateCase, codec: Codec) throws {
        let bench = LoopBench(capture: Signals.sine(1_000, 200_000))
        let peer = try Peer(codec)
        bench.enter(peer)
        bench.turn(31, peer)
        var configuration = peer.call.configuration
        configuration.direction = gates.remoteHeld ? .recvonly : .sendrecv
        try peer.call.update(configuration)
        let request = peer.set(held: gates.held, muted: gates.muted, earmuffed: gates.earmuffed)
        #expect(!request.isSettled)
        var waited = 0
        while peer.settled.last?.word != request.word && waited < 6 {
            bench.turn(1, peer)
            waited += 1
        }
        let acknowledged = try #require(peer.settled.last)
        #expect(acknowledged.word == request.word)
        #expect(peer.call.gatesAreSettled)
        let turn = bench.turns
        bench.turn(60, peer)

        switch gates.sent {
        case .nothing: #expect(peer.payloads(from: acknowledged.packets).isEmpty)
        case .silence:
            // The first silent packet was acknowledged; from it on it is as if there had never been sound.
            let silent = peer.payloads(from: acknowledged.packets - 1)
            let fresh = try peer.freshSilence(packets: silent.count)
            #expect(silent.count >= 30)
            #expect(silent == fresh)
        case .audio:
            let heard = try peer.heard(from: acknowledged.packets)
            #expect(Signals.peak(of: 1_000, in: heard.suffix(19_200)) > 7_000)
        }
        let played = bench.played(from: turn)
        if gates.isHeard {
            #expect(Signals.peak(of: 600, in: played.suffix(19_200)) > 6_000)
        } else {
            #expect(played.allSatisfy { $0 == 0 })
            #expect(played.count == 60 * LoopBench.period)
        }
    }

    @Test("Hold is acknowledged in the turn that applies it, and throws the part-filled packet away", arguments: 0..<4)
    func holdIsImmediate(extraTurns: Int) throws {
        let bench = LoopBench(capture: Signals.sine(1_000, 200_000))
        let peer = try Peer(.pcma)
        bench.enter(peer)
        bench.turn(20 + extraTurns, peer)
        let packets = peer.payloads().count
        let request = peer.set(held: true)
        bench.turn(1, peer)
        #expect(peer.settled.last?.word == request.word)
        bench.turn(20, peer)
        #expect(peer.payloads().count == packets)
    }

    @Test("After resume nothing is sent of what the microphone heard before it", arguments: [Codec.opus, .g722, .pcmu])
    func holdForgets(codec: Codec) throws {
        // Loud until some turns into the hold, silent then.
        let bench = LoopBench(capture: Signals.sine(1_000, 30 * 480))
        let peer = try Peer(codec)
        bench.enter(peer)
        bench.turn(21, peer)
        _ = peer.set(held: true)
        bench.turn(20, peer)
        let before = peer.sent.count
        _ = peer.set()
        bench.turn(40, peer)
        let resumed = peer.payloads(from: before)
        #expect(resumed.count >= 19)
        // With the gate open, "as from an encoder that has just begun" is all that can be asked.
        let fresh = try peer.freshSilence(packets: resumed.count)
        #expect(resumed == fresh)
    }

    @Test("Time runs on through hold: what is sent after it bears the time it was heard at, and is marked")
    func timeRunsOn() throws {
        let bench = LoopBench(capture: Signals.sine(1_000, 200_000))
        let peer = try Peer(.opus)
        bench.enter(peer)
        bench.turn(11, peer)
        _ = peer.set(held: true)
        bench.turn(36, peer)
        let before = peer.sent.count
        _ = peer.set()
        bench.turn(4, peer)
        let first = try #require(peer.sent.dropFirst(before).first { $0.kind == .audio })
        #expect(first.marker)
        // 47 turns had passed.
        #expect(first.timestamp == 47 * 480)
        #expect(peer.sent.first?.marker == true)
        #expect(peer.sent.dropFirst().first?.marker == false)
        let pauses = peer.sent.filter { $0.kind == .pause }
        #expect(pauses.isEmpty)
    }

    @Test("A held call wakes the network thread twice a second, no oftener, and keeps its clock")
    func heldCallsAreQuiet() throws {
        let bench = LoopBench(capture: Signals.sine(1_000, 200_000))
        let peer = try Peer(.opus)
        bench.enter(peer)
        bench.turn(10, peer)
        _ = peer.set(held: true)
        bench.turn(1, peer)
        let before = peer.sent.count
        bench.turn(300, peer)
        let pauses = peer.sent.dropFirst(before)
        #expect(pauses.count == 6)
        #expect(pauses.allSatisfy { $0.kind == .pause })
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $1.timestamp - $0.timestamp == 25 * 960 })
    }

    @Test("A call that was muted before hold is muted after it")
    func muteSurvivesHold() throws {
        let bench = LoopBench(capture: Signals.sine(1_000, 200_000))
        let peer = try Peer(.pcmu)
        bench.enter(peer)
        bench.turn(10, peer)
        _ = peer.set(muted: true)
        bench.turn(10, peer)
        _ = peer.set(held: true, muted: true)
        bench.turn(10, peer)
        let before = peer.sent.count
        let request = peer.set(muted: true)
        bench.turn(1, peer)
        // Nothing of the microphone is on its way: settled at once.
        #expect(peer.settled.last?.word == request.word)
        bench.turn(20, peer)
        let resumed = peer.payloads(from: before)
        #expect(resumed == (try peer.freshSilence(packets: resumed.count)))
        #expect(resumed.count >= 9)
    }

    @Test("Mute pauses the stream where the peer wants discontinuous transmission")
    func mutePauses() throws {
        var wishes = OpusParameters()
        wishes.discontinuousTransmission = true
        let bench = LoopBench(capture: Signals.sine(1_000, 300_000))
        let peer = try Peer(.opus, opus: OpusSettings(peer: wishes))
        bench.enter(peer)
        bench.turn(20, peer)
        _ = peer.set(muted: true)
        bench.turn(200, peer)
        let pauses = peer.sent.filter { $0.kind == .pause }.count
        #expect(pauses > 50)
        #expect(peer.sent.count == 110)
    }

    @Test("Of a pause its first packet is sent, and no other; after speech there is a first one again")
    func pausesAreTold() throws {
        var wishes = OpusParameters()
        wishes.discontinuousTransmission = true
        let speech = Signals.sine(1_000, 48_000)
        let silence = [Int16](repeating: 0, count: 2 * 48_000)
        let bench = LoopBench(capture: speech + silence + speech + silence)
        let peer = try Peer(.opus, opus: OpusSettings(peer: wishes))
        bench.enter(peer)
        bench.turn(600, peer)
        // What is not longer than two octets stands for a pause; others of it come every 400 ms, of the room's noise.
        let sent = peer.sent
        let told = sent.indices.filter { sent[$0].kind == .audio && sent[$0].count <= 2 }
        #expect(told.count >= 2)
        for index in told {
            #expect(index == 0 || sent[index - 1].kind == .audio && sent[index - 1].count > 2)
            #expect(!sent.indices.contains(index + 1) || sent[index + 1].kind == .pause || sent[index + 1].count > 2)
        }
        // No pause begins without.
        for index in sent.indices.dropFirst() where sent[index].kind == .pause && sent[index - 1].kind == .audio {
            #expect(sent[index - 1].count <= 2)
        }
    }

    @Test("Only the last of several requests is acknowledged, and it holds")
    func superseded() throws {
        let bench = LoopBench(capture: Signals.sine(1_000, 200_000))
        let peer = try Peer(.pcmu)
        bench.enter(peer)
        bench.turn(10, peer)
        _ = peer.set(muted: true)
        _ = peer.set(held: true)
        let last = peer.set(earmuffed: true)
        bench.turn(5, peer)
        #expect(peer.settled.last?.word == last.word)
        #expect(peer.call.gates.isEarmuffed && !peer.call.gates.isHeld)
    }

    @Test("What a hold throws away is counted when it is acknowledged, and what a call that goes leaves behind, then")
    func flushedIsCounted() throws {
        let bench = LoopBench()
        let peer = try Peer(jitter: JitterLimits(minimumMilliseconds: 100))
        bench.enter(peer)
        bench.turn(40, peer)
        #expect(peer.call.statistics.playout.flushed == 0)
        let request = peer.set(held: true)
        bench.turn(1, peer)
        #expect(peer.settled.last?.word == request.word)
        let flushed = peer.call.statistics.playout.flushed
        #expect(flushed >= 3)
        bench.turn(20, peer)
        #expect(peer.call.statistics.playout.flushed == flushed)
        _ = peer.set()
        bench.turn(40, peer)
        bench.leave(peer)
        // A request that has come since leaves it no last turn in which it fades.
        _ = peer.set(muted: true)
        bench.turn(1, peer)
        #expect(peer.call.statistics.playout.flushed >= flushed + 3)
    }

    @Test("With no loop running a request is settled at once")
    func withoutLoop() throws {
        let peer = try Peer()
        let request = peer.set(held: true)
        #expect(request.isSettled)
        #expect(peer.call.gatesAreSettled)
    }

    @Test("A request that the loop has not seen when the call leaves it is settled then")
    func leaving() throws {
        let bench = LoopBench()
        let peer = try Peer()
        bench.enter(peer)
        bench.turn(5, peer)
        bench.leave(peer)
        let request = peer.set(held: true)
        #expect(!request.isSettled)
        bench.turn(1, peer)
        #expect(peer.settled.last?.word == request.word)
        let next = peer.set()
        #expect(next.isSettled)
    }
}
