import MediaDescription
import Playout
import Realtime
import Synchronization
import Testing

@testable import AudioLoop

/// The loop with one call, without devices and on a clock of its own.
private final class VirtualLoop {
    let peer: Peer
    private let cells = LockedValue(LoopCells())
    private let commands: RingWriter<LoopCommand>
    private var loop: AudioLoop
    /// When the last turn began, in nanoseconds.
    private var now: UInt64 = 1_000_000_000
    private var said = 0
    /// What happened in each turn.
    private(set) var encodes: [Bool] = []
    private(set) var decodes: [Bool] = []

    init(_ peer: Peer) {
        self.peer = peer
        var ring = Ring<LoopCommand>(capacity: 64)
        loop = AudioLoop(cells: cells.pointer, commands: ring.takeReader(), period: 480, tones: .recommended)
        commands = ring.takeWriter()
        peer.call.cells.pointer.pointee.isInLoop.store(true, ordering: .sequentiallyConsistent)
        _ = commands.push(LoopCommand(kind: .enter, slot: peer.call.slot.pointer))
    }

    /// - Parameters:
    ///   - microphone: the peak of a tone.
    ///   - early: how many milliseconds before a turn the peer's packets come, -1: it sends none.
    func turn(_ count: Int, microphone: Double, early: Int) {
        for _ in 0..<count {
            now += 10_000_000
            peer.arrival = now - UInt64(max(early, 0)) * 1_000_000
            if early >= 0 { peer.speak() }
            let captured = (said..<said + 480).map { Signals.wave(1_000, at: $0, peak: microphone) }
            said += 480
            var played = [Int16](repeating: 0, count: 480)
            let before = peer.call.statistics.decodedPackets
            loop.turn(captured: captured, played: &played, 480, now: now)
            loop.acknowledge()
            decodes.append(peer.call.statistics.decodedPackets > before)
            encodes.append(peer.take().contains { $0.kind == .audio })
        }
    }

    /// Whether in the last second both happened in the same turns.
    var isTogether: Bool {
        encodes.suffix(100).count(where: { $0 }) >= 49 && encodes.suffix(100) == decodes.suffix(100)
    }

    /// Where the timestamps leap, and by how much.
    var leaps: [UInt32] {
        let sound = peer.sent.filter { $0.kind == .audio }
        return zip(sound, sound.dropFirst()).map { $1.timestamp - $0.timestamp }.filter { $0 != 960 }
    }
}

@Suite("Our packets are full where the peer's are decoded") struct PacketPhaseTests {
    /// A loop whose peer speaks after so many turns.
    private func loop(
        _ peer: Peer, after turns: Int, _ count: Int = 280, microphone: Double = 8_000, early: Int = 5
    ) -> VirtualLoop {
        let loop = VirtualLoop(peer)
        loop.turn(turns, microphone: microphone, early: -1)
        loop.turn(count, microphone: microphone, early: early)
        return loop
    }

    @Test("Where the peer is heard later it stays as it came, and no pause is shortened", arguments: [8_000.0, 300])
    func later(microphone: Double) throws {
        let loops = try [10, 11].map { loop(try Peer(.opus), after: $0, 600, microphone: microphone) }
        #expect(loops.filter { $0.isTogether }.count == 1)
        #expect(loops.allSatisfy { $0.leaps.isEmpty })
    }

    @Test("From the first one on where the peer was heard before", arguments: [20, 21])
    func beginning(turns: Int) throws {
        let peer = try Peer(.opus, direction: .recvonly)
        let loop = loop(peer, after: 0, turns)
        try peer.call.update(CallAudioConfiguration(codec: .opus, receivePayloadType: 96))
        loop.turn(100, microphone: 8_000, early: 5)
        #expect(loop.isTogether)
        #expect(loop.leaps.isEmpty)
        #expect(peer.sent.first { $0.kind == .audio }?.marker == true)
        // Nothing of the microphone waits for it.
        #expect(loop.encodes.dropFirst(turns).prefix(2).contains(true))
    }

    @Test("Where the peer's has come a turn earlier it is decoded then, and sounds the same", arguments: [10, 11])
    func ahead(turns: Int) throws {
        let peer = try Peer(.opus, jitter: JitterLimits(minimumMilliseconds: 40))
        let loop = loop(peer, after: turns, 600)
        #expect(loop.isTogether)
        #expect(loop.leaps.isEmpty)
        let playout = peer.call.statistics.playout
        #expect(playout.concealed == 0 && playout.late == 0 && playout.leftOut == 0 && playout.putIn == 0)
        #expect(peer.call.statistics.decodedPackets >= 298)
    }

    @Test("Of four turns of 5 ms to a packet any number is past at a beginning")
    func short() {
        var phase = PacketPhase()
        #expect(phase.start(turns: 4) == 0)
        for _ in 0..<2 {
            for turn in 0..<4 {
                phase.begin()
                if turn == 0 { phase.decoded() }
            }
        }
        // Full in the next turn, in which a packet is decoded, or in one of those after it.
        for past in [3, 0, 1, 2] {
            phase.begin()
            #expect(phase.start(turns: 4) == past)
            if past == 3 { phase.decoded() }
        }
        #expect(phase.start(turns: 1) == 0 && phase.start(turns: 0) == 0)
    }
}
