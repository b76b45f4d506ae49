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

    @Test("Under talk it is as it comes: of two phases one is apart, and nothing is left out")
    func talk() throws {
        let loops = try [10, 11].map { loop(try Peer(.opus), after: $0, 600) }
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

    @Test("In a pause where the peer was heard later: ten milliseconds of it are left out, once", arguments: [10, 11])
    func pause(turns: Int) throws {
        // At first its packets wait a turn longer than they need to.
        let loop = loop(try Peer(.opus), after: turns, 460)
        let wasTogether = loop.isTogether
        // Softer than -40 dBFS.
        loop.turn(120, microphone: 300, early: 5)
        #expect(loop.isTogether)
        #expect(loop.leaps == (wasTogether ? [] : [1_440]))
        let sound = loop.peer.sent.filter { $0.kind == .audio }
        #expect(zip(sound, sound.dropFirst()).allSatisfy { $1.marker == ($1.timestamp - $0.timestamp != 960) })
        #expect(loop.peer.call.statistics.playout.late == 0)
        // In what follows nothing is, wherever the peer goes.
        loop.turn(1, microphone: 300, early: -1)
        loop.turn(400, microphone: 300, early: 5)
        #expect(loop.leaps.count <= 1)
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

    @Test("Nothing is left out of a recording or of another codec", arguments: [10, 11])
    func exceptions(turns: Int) throws {
        let recorded = try Peer(.opus)
        let tap = SoundTap()
        recorded.call.setTap(tap)
        #expect(loop(recorded, after: turns, 600, microphone: 0).leaps.isEmpty)
        let other = loop(try Peer(.pcmu), after: turns, 600, microphone: 0)
        #expect(other.leaps.allSatisfy { $0 == 160 })
        recorded.call.setTap(nil)
    }

    @Test("A turn is left out after a tenth of a second of quiet, and only where a packet begins")
    func quiet() {
        var phase = PacketPhase()
        func packet() {
            for turn in 0..<2 {
                phase.begin()
                if turn == 0 { phase.decoded() } else { phase.full(turns: 2) }
            }
        }
        _ = phase.start(turns: 2)
        // The first two tell how often the peer's packets come.
        for _ in 0..<100 { packet() }
        #expect(phase.isWaiting(turn: 480) == false)
        packet()
        #expect(phase.isWaiting(turn: 480))
        func leavesOut(_ isQuiet: Bool, beginsPacket: Bool = true) -> Bool {
            phase.leavesOut(isQuiet: isQuiet, beginsPacket: beginsPacket, turn: 480)
        }
        for isQuiet in Array(repeating: true, count: 10) + [false] + Array(repeating: true, count: 10) {
            #expect(!leavesOut(isQuiet))
        }
        #expect(!leavesOut(true, beginsPacket: false))
        #expect(leavesOut(true))
        #expect(!phase.isWaiting(turn: 480))
    }

    @Test("Of four turns of 5 ms to a packet at most two are left out, and any number is at a beginning")
    func short() {
        for encoded in 0..<4 {
            var phase = PacketPhase()
            _ = phase.start(turns: 4)
            for _ in 0..<120 {
                for turn in 0..<4 {
                    phase.begin()
                    if turn == 0 { phase.decoded() }
                    if turn == encoded { phase.full(turns: 4) }
                }
            }
            // The next turn is the one in which a packet is decoded.
            phase.begin()
            #expect(phase.isWaiting(turn: 240) == (encoded >= 2))
            let past = phase.start(turns: 4)
            // Full in this turn: three are past.
            #expect(past == 3)
            phase.decoded()
            phase.begin()
            let pastInNext = phase.start(turns: 4)
            #expect(pastInNext == 0)
        }
    }
}
