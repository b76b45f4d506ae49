@testable import AudioLoop
import AllocationCounter
import Codecs
import Glibc
import MediaDescription
import Realtime
import SoundDevices
import Synchronization
import Testing

@Suite("The loop's thread", .enabled(if: allocation_counter_available() == 1)) struct LoopRealtimeTests {
    @Test("neither allocates nor locks in ten thousand turns of a call", arguments: Codec.allCases)
    func tenThousandTurns(codec: Codec) throws {
        let bench = LoopBench(capture: Signals.sine(1_000, 400_000), seconds: 1)
        var wishes = OpusParameters()
        wishes.inBandFEC = true
        let peer = try Peer(codec, opus: OpusSettings(complexity: 5, peer: wishes))
        bench.enter(peer)
        var counts = 0
        for turn in 0..<10_000 {
            // The peer's voice is prepared outside of what is counted; now and then a packet of it is lost.
            if turn % 200 < 190 { peer.speak() }
            switch turn % 2_000 {
            case 500: _ = peer.set(held: true)
            case 600: _ = peer.set(muted: true)
            case 700: _ = peer.set(earmuffed: true)
            case 800: _ = peer.set()
            case 900: bench.loopCells.pointee.tone.store(2, ordering: .relaxed)
            case 950: peer.call.steer(expectedLossPercent: 20, bitRate: 16_000)
            case 1_000: bench.loopCells.pointee.tone.store(0, ordering: .relaxed)
            case 1_100:
                var configuration = peer.call.configuration
                configuration.packetMilliseconds = configuration.packetMilliseconds == 20 ? 40 : 20
                try peer.call.update(configuration)
            default: break
            }
            allocation_counter_reset_thread()
            let code = bench.turnBare()
            counts += allocation_counter_mallocs() + allocation_counter_frees() + allocation_counter_locks()
            if code != 0 { Issue.record("the device failed with \(code)") }
            peer.listen()
        }
        #expect(counts == 0)
        #expect(peer.call.statistics.encodedPackets > 2_000)
        #expect(peer.call.statistics.decodedPackets > 2_000)
    }

    @Test("neither allocates nor locks while it is tapped, plays files, and echoes")
    func tapped() throws {
        let bench = LoopBench(capture: Signals.sine(1_000, 400_000), seconds: 1)
        let peer = try Peer(.opus)
        bench.enter(peer)
        let taps = [SoundTap(beeps: true), SoundTap()]
        let readers = Readers(taps[0].takeReader(), taps[1].takeReader())
        let sounds = (1...4).map {
            PlayedSound(SoundClip(Signals.sine(500, 7_000)), loops: $0 % 2 == 0, number: UInt32($0))
        }
        var counts = 0
        for turn in 0..<2_000 {
            peer.speak()
            switch turn % 200 {
            case 10: peer.call.setTap(taps[turn / 200 % 2])
            case 20: peer.call.play(sounds[turn / 200 % 4])
            case 100: _ = peer.set(held: true)
            case 110: _ = peer.set()
            case 120: peer.call.setTap(nil)
            case 140: peer.call.play(nil)
            case 150: peer.call.setEchoes(true)
            case 190: peer.call.setEchoes(false)
            default: break
            }
            allocation_counter_reset_thread()
            let code = bench.turnBare()
            counts += allocation_counter_mallocs() + allocation_counter_frees() + allocation_counter_locks()
            if code != 0 { Issue.record("the device failed with \(code)") }
            peer.listen()
            readers.empty()
        }
        #expect(counts == 0)
    }

    /// The other ends of two taps.
    private final class Readers {
        private let first: RingReader<TappedSound>?
        private let second: RingReader<TappedSound>?

        init(_ first: consuming RingReader<TappedSound>?, _ second: consuming RingReader<TappedSound>?) {
            self.first = first
            self.second = second
        }

        func empty() {
            _ = first?.removeAll()
            _ = second?.removeAll()
        }
    }

    @Test("neither allocates nor locks in a group of four that is held, muted, left and joined")
    func group() throws {
        let bench = LoopBench(capture: Signals.sine(1_000, 400_000), seconds: 1)
        let peers = try [Codec.opus, .g722, .pcma, .pcmu].map { try Peer($0, peak: 16_000) }
        for peer in peers {
            peer.call.setGroup(1)
            bench.enter(peer)
        }
        var counts = 0
        for turn in 0..<2_000 {
            for peer in peers { peer.speak() }
            let peer = peers[turn / 100 % 4]
            switch turn % 100 {
            case 20: _ = peer.set(held: true)
            case 30: _ = peer.set(muted: true)
            case 40: _ = peer.set(muted: true, earmuffed: true)
            case 50: _ = peer.set()
            case 60: peer.call.setGroup(0)
            case 70: peer.call.setGroup(2)
            case 80: peer.call.setGroup(1)
            default: break
            }
            allocation_counter_reset_thread()
            let code = bench.turnBare()
            counts += allocation_counter_mallocs() + allocation_counter_frees() + allocation_counter_locks()
            if code != 0 { Issue.record("the device failed with \(code)") }
            for peer in peers { peer.listen() }
        }
        #expect(counts == 0)
        #expect(peers.allSatisfy { $0.call.statistics.encodedPackets > 800 })
    }

    @Test("neither allocates nor locks on files, from before a call's first turn to after its last")
    func files() throws {
        let microphone = try ToneFile(hertz: 1_000, seconds: 0.5)
        let recording = "/tmp/handset-loop-test-\(getpid()).wav"
        defer { unlink(recording) }
        let name = DeviceName.file(input: microphone.path, output: recording)
        let bench = try LoopBench(device: DuplexDevice(capture: name, playback: name))
        let peer = try Peer(.opus)
        var counts = 0
        for turn in 0..<300 {
            switch turn {
            case 10: bench.enter(peer)
            case 60: _ = peer.set(muted: true)
            case 90: _ = peer.set(held: true, muted: true)
            case 150: _ = peer.set(muted: true)
            case 180: _ = peer.set(earmuffed: true)
            case 210: _ = peer.set()
            case 220: bench.loopCells.pointee.tone.store(2, ordering: .relaxed)
            case 250: bench.loopCells.pointee.tone.store(0, ordering: .relaxed)
            case 280: bench.leave(peer)
            default: break
            }
            if 10..<280 ~= turn { peer.speak() }
            allocation_counter_reset_thread()
            _ = bench.turnBare(timeoutMilliseconds: 100)
            counts += allocation_counter_mallocs() + allocation_counter_frees() + allocation_counter_locks()
            peer.listen()
        }
        withExtendedLifetime(microphone) {}
        #expect(counts == 0)
        #expect(peer.call.statistics.encodedPackets >= 90)
        #expect(peer.call.statistics.decodedPackets >= 60)
        #expect(peer.settled.count >= 5)
    }
}
