@testable import AudioLoop
import Codecs
import MediaDescription
import Testing

@Suite("A switch does not click") struct RampTests {
    @Test("It goes from open to closed and back in 240 equal steps")
    func ramp() {
        var ramp = Ramp(isOpen: true)
        let closing = (0..<300).map { _ in ramp.pass(24_000, towardsOpen: false) }
        #expect(closing.first == 23_900)
        #expect(closing[238] == 100)
        #expect(closing[239...].allSatisfy { $0 == 0 })
        #expect(ramp.isClosed)
        let opening = (0..<300).map { _ in ramp.pass(24_000, towardsOpen: true) }
        #expect(opening.first == 100)
        #expect(opening[238] == 23_900)
        #expect(opening[239...].allSatisfy { $0 == 24_000 })
    }

    @Test("Many samples at once pass as one by one", arguments: [true, false], [true, false])
    func block(wasOpen: Bool, opens: Bool) {
        var (one, many) = (Ramp(isOpen: wasOpen), Ramp(isOpen: wasOpen))
        for turn in 0..<3 {
            let sound = (0..<160).map { Int16($0 * 100 + turn) }
            var passed = [Int16](repeating: -1, count: 160)
            many.pass(sound, into: &passed, 160, towardsOpen: opens)
            #expect(passed == sound.map { one.pass($0, towardsOpen: opens) })
            #expect(many.position == one.position)
        }
    }

    @Test("What is played falls over 5 ms, and is exactly zero then", arguments: [true, false])
    func playout(held: Bool) throws {
        let bench = LoopBench()
        let peer = try Peer(.pcmu, hertz: 200, peak: 20_000)
        bench.enter(peer)
        bench.turn(30, peer)
        let turn = bench.turns
        _ = held ? peer.set(held: true) : peer.set(earmuffed: true)
        bench.turn(3, peer)
        let played = Array(bench.played(from: turn))
        #expect(played[..<230].contains { $0 != 0 })
        #expect(played[240...].allSatisfy { $0 == 0 })
        // The wave itself moves by 524 a sample, the ramp by 83.
        #expect(Signals.steepest(bench.played(from: turn - 1)) < 900)
    }

    @Test("What is sent falls over 5 ms")
    func capture() throws {
        let bench = LoopBench(capture: Signals.sine(200, 200_000, peak: 20_000))
        let peer = try Peer(.pcmu)
        bench.enter(peer)
        bench.turn(20, peer)
        _ = peer.set(muted: true)
        bench.turn(20, peer)
        _ = peer.set()
        bench.turn(20, peer)
        #expect(Signals.steepest(try peer.heard().dropFirst(2_000)) < 1_500)
    }
}
