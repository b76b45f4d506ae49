import MediaDescription
import Realtime
import SoundDevices
import Testing

@testable import AudioLoop

@Suite("A tap of a call's sound") struct TapTests {
    private let sine = Signals.sine(1_000, 400_000)

    /// Takes all that a tap has given: both sides, and the sampling time of each part.
    private final class Listener {
        let tap: SoundTap
        private let reader: RingReader<TappedSound>?
        private(set) var sent: [Int16] = []
        private(set) var heard: [Int16] = []
        private(set) var starts: [(start: Int, count: Int)] = []

        init(beeps: Bool = false) {
            tap = SoundTap(beeps: beeps)
            reader = tap.takeReader()
        }

        func listen() {
            while let part = reader?.pop() {
                starts.append((part.start, part.count))
                for frame in 0..<part.count {
                    sent.append(part.frames[2 * frame])
                    heard.append(part.frames[2 * frame + 1])
                }
            }
        }

        var isContinuous: Bool { zip(starts, starts.dropFirst()).allSatisfy { $0.start + $0.count == $1.start } }
    }

    /// A call in a loop.
    private func scene() throws -> (bench: LoopBench, peer: Peer) {
        let (bench, peer) = (LoopBench(capture: sine), try Peer())
        bench.enter(peer)
        return (bench, peer)
    }

    /// One who listens to `peer` from now on.
    private func listener(to peer: Peer, beeps: Bool = false) -> Listener {
        let listener = Listener(beeps: beeps)
        peer.call.setTap(listener.tap)
        return listener
    }

    @Test("gives what is sent and what is heard, to the sample and side by side")
    func both() throws {
        let (bench, peer) = try scene()
        bench.turn(40, peer)
        let listener = listener(to: peer)
        bench.turn(50, peer)
        listener.listen()
        #expect(listener.sent == Array(sine[(40 * 480)..<(90 * 480)]))
        #expect(listener.heard == Array(bench.played(from: 40)))
        #expect(listener.starts.first?.start == 40 * 480 && listener.isContinuous)
    }

    @Test("Muted, earmuffed, held: silence to the sample, and time goes on")
    func gates() throws {
        let (bench, peer) = try scene()
        let listener = listener(to: peer)
        bench.turn(40, peer)
        _ = peer.set(muted: true)
        bench.turn(20, peer)
        _ = peer.set(earmuffed: true)
        bench.turn(20, peer)
        _ = peer.set(held: true)
        bench.turn(20, peer)
        listener.listen()
        let turn = { (range: Range<Int>) in (range.lowerBound * 480)..<(range.upperBound * 480) }
        // A gate takes half a turn to close.
        #expect(
            listener.sent[turn(41..<60)].allSatisfy { $0 == 0 } && Signals.rms(listener.heard[turn(41..<60)]) > 3_000)
        #expect(
            listener.heard[turn(61..<80)].allSatisfy { $0 == 0 } && Signals.rms(listener.sent[turn(61..<80)]) > 3_000)
        #expect(listener.sent[turn(81..<100)].allSatisfy { $0 == 0 })
        #expect(listener.heard[turn(81..<100)].allSatisfy { $0 == 0 })
        #expect(listener.isContinuous && listener.sent.count == 100 * 480)
    }

    @Test("Of a member of a group, what it is sent has the others in it")
    func group() throws {
        let bench = LoopBench(capture: sine)
        let peers = [try Peer(hertz: 700), try Peer(hertz: 1_300)]
        for peer in peers {
            peer.call.setGroup(1)
            bench.enter(peer)
        }
        let listener = listener(to: peers[0])
        bench.turn(60, peers)
        listener.listen()
        let (sent, heard) = (listener.sent.dropFirst(20 * 480), listener.heard.dropFirst(20 * 480))
        #expect(Signals.peak(of: 1_300, in: sent) > 5_000 && Signals.peak(of: 1_000, in: sent) > 5_000)
        #expect(Signals.peak(of: 700, in: sent) < 200)
        #expect(Signals.peak(of: 700, in: heard) > 5_000 && Signals.peak(of: 1_300, in: heard) < 200)
    }

    @Test("What the loop does not run for is missing, and the sampling time says how much that is")
    func betweenLoops() throws {
        let (bench, peer) = try scene()
        let listener = listener(to: peer)
        bench.turn(20, peer)
        bench.leave(peer)
        bench.turn(5)
        let next = LoopBench(capture: sine)
        next.enter(peer)
        next.turn(20, peer)
        listener.listen()
        // The turn in which it leaves is not given.
        #expect(listener.sent.count == 40 * 480)
        // The microphone comes back over half a turn.
        #expect(Array(listener.sent.dropFirst(20 * 480 + 240)) == Array(sine[240..<(20 * 480)]))
        #expect(try #require(listener.starts.last).start >= 39 * 480)
    }

    @Test("Of a reader that is too slow the latest is lost, counted, and nothing else")
    func slow() throws {
        let (bench, peer) = try scene()
        let listener = listener(to: peer)
        bench.turn(300, peer)
        #expect(listener.tap.droppedFrames == 300 * 480 - 512 * 240)
        listener.listen()
        #expect(listener.isContinuous && listener.sent.count == 512 * 240)
        bench.turn(1, peer)
        listener.listen()
        #expect(!listener.isContinuous && listener.starts.last?.start == 300 * 480 + 240)
    }

    @Test("One tap takes the place of another, and of one that is taken away nothing comes any more")
    func change() throws {
        let (bench, peer) = try scene()
        let listeners = [Listener(), Listener()]
        for (index, listener) in listeners.enumerated() {
            peer.call.setTap(listener.tap)
            bench.turn(10 + index, peer)
        }
        peer.call.setTap(nil)
        bench.turn(10, peer)
        for listener in listeners { listener.listen() }
        // The turn that sees the change is the first one's still.
        #expect(listeners[0].sent.count == 11 * 480 && listeners[1].sent.count == 11 * 480)
        #expect(listeners[1].starts.first?.start == 11 * 480)
    }

    @Test("A beep tells both parties, at the beginning and every 15 s; not while the call is held")
    func beep() throws {
        let bench = LoopBench(seconds: 20)
        let peer = try Peer(hertz: 0)
        bench.enter(peer)
        bench.turn(4, peer)
        let listener = listener(to: peer, beeps: true)
        for turn in 0..<1_600 {
            bench.turn(1, peer)
            if turn % 100 == 0 { listener.listen() }
        }
        listener.listen()
        for start in [0, 15 * 48_000] {
            let beep = listener.sent[start..<start + 9_600]
            #expect(abs(Signals.peak(of: 1_400, in: beep) - 3_277) < 100)
            #expect(listener.sent[(start + 9_600)..<(start + 48_000)].allSatisfy { $0 == 0 })
            #expect(
                Signals.peak(of: 1_400, in: bench.played(from: 4)[(4 * 480 + start)..<(4 * 480 + start + 9_600)])
                    > 3_000)
        }
        #expect(listener.heard.allSatisfy { $0 == 0 }, "it is not what the other party says")
    }
}
