import MediaDescription
import Synchronization
import Testing

@testable import AudioLoop

@Suite("The volume of a session") struct VolumeTests {
    private let loud = (0..<480).map { Int16(truncatingIfNeeded: ($0 * 137) % 65_536 - 32_768) }

    @Test(
        "At 100 nothing is touched, at 50 a quarter of the amplitude is left, at 0 nothing",
        arguments: [100, 50, 0])
    func gain(percent: Int) {
        var volume = Volume()
        var scaled = [Int16](repeating: 0, count: 480)
        // The first turn is the way there.
        for _ in 0..<2 { volume.scale(loud, into: &scaled, 480, towards: percent) }
        #expect(scaled == loud.map { Int16(Int($0) * percent * percent / 10_000) })
        #expect(volume.isUnity(towards: percent) == (percent == 100))
        var mix = loud.map(Int32.init)
        volume.scale(&mix, 480, towards: percent)
        #expect(mix == scaled.map(Int32.init))
    }

    @Test("A change is spread over the turn, in both directions")
    func change() {
        var volume = Volume()
        let flat = [Int16](repeating: 20_000, count: 480)
        var scaled = flat
        for target in [0, 100, 30] {
            let last = scaled[479]
            volume.scale(flat, into: &scaled, 480, towards: target)
            let steps = zip([last] + scaled, scaled).map { abs(Int($0) - Int($1)) }
            #expect(steps.allSatisfy { $0 <= 42 }, "to \(target)")
            #expect(abs(Int(scaled[479]) - 2 * target * target) <= 1)
        }
    }

    @Test(
        "The microphone's is what the peer hears, the loudspeaker's what calls sound like; the ringer has none"
    )
    func loop() throws {
        let bench = LoopBench(capture: Signals.sine(1_000, 200_000, peak: 16_000))
        let peer = try Peer(.pcma)
        bench.enter(peer)
        bench.turn(20, peer)
        bench.loopCells.pointee.captureVolume.store(50, ordering: .relaxed)
        bench.loopCells.pointee.playbackVolume.store(0, ordering: .relaxed)
        bench.turn(5, peer)
        let (turn, packets) = (bench.turns, peer.sent.count)
        bench.turn(30, peer)
        #expect(bench.played(from: turn).allSatisfy { $0 == 0 })
        let loudest = try peer.heard(from: packets).map { abs(Int($0)) }.max() ?? 0
        #expect(3_700...4_300 ~= loudest, "\(loudest)")
        bench.loopCells.pointee.rings.store(true, ordering: .relaxed)
        bench.turn(20, peer)
        #expect(bench.played(from: turn + 30).contains { abs(Int($0)) > 3_000 })
    }
}
