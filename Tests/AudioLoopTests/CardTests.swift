@testable import AudioLoop
import AllocationCounter
import Glibc
import MediaDescription
import Realtime
import SoundDevices
import Testing

/// The ALSA name of a card to test with, from `HANDSET_TEST_CARD`: `hw:LoopA,0,0` in the virtual machine.
private let card = getenv("HANDSET_TEST_CARD").map { String(cString: $0) }

@Suite("The loop's thread on a kernel's sound card", .enabled(if: card != nil && allocation_counter_available() == 1))
struct LoopCardTests {
    @Test("neither allocates nor locks in a call, with its xruns and their recovery")
    func call() throws {
        let name = DeviceName.alsa(card ?? "")
        let device = try DuplexDevice(capture: name, playback: name)
        let bench = try LoopBench(device: device)
        let peer = try Peer(.opus)
        bench.enter(peer)
        var (counts, failures) = (0, 0)
        for turn in 0..<1_000 {
            peer.speak()
            if turn == 500 { _ = peer.set(held: true) }
            if turn == 600 { _ = peer.set() }
            // Longer than the card's buffer: both its sides run dry.
            if turn == 700 { usleep(200_000) }
            allocation_counter_reset_thread()
            if bench.turnBare(timeoutMilliseconds: 1_000) != 0 { failures += 1 }
            counts += allocation_counter_mallocs() + allocation_counter_frees() + allocation_counter_locks()
            peer.listen()
        }
        #expect(counts == 0)
        #expect(failures == 0)
        #expect(bench.loopCells.pointee.turns.turns >= 900)
        #expect(bench.loopCells.pointee.xruns.value >= 1)
        #expect(peer.call.statistics.encodedPackets >= 400)
        #expect(peer.call.statistics.decodedPackets >= 100)
        print("\(name): \(bench.loopCells.pointee.turns.turns) turns, \(bench.loopCells.pointee.xruns.value) xruns")
    }
}
