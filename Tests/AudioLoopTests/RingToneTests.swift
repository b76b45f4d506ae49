import Glibc
import MediaDescription
import SoundDevices
import Synchronization
import Testing

@testable import AudioLoop

@Suite("Ring tones") struct RingToneTests {
    private func ring(_ bench: LoopBench, _ tone: SoundClip?, volume: Int) {
        let cells = bench.loopCells
        cells.pointee.ringVolume.store(volume, ordering: .relaxed)
        cells.pointee.ringTone.store(tone.map { UInt(bitPattern: $0.samples) } ?? 0, ordering: .releasing)
        cells.pointee.rings.store(true, ordering: .releasing)
    }

    @Test("A file rings from its beginning to its end, and again, and stops softly")
    func file() throws {
        let file = try ToneFile(hertz: 600, seconds: 0.1)
        let tone = try SoundClip(path: file.path)
        #expect(tone.samples.pointee.count == 4_800)
        // The loop knows its samples and nothing more.
        defer { withExtendedLifetime(tone) {} }
        let bench = LoopBench()
        ring(bench, tone, volume: 100)
        bench.turn(30)
        let played = bench.played(from: 1)
        #expect(abs(Signals.peak(of: 600, in: played) - 10_000) < 200)
        #expect(Signals.steepest(played) < 900, "600 Hz is whole in 0.1 s: no step where it starts over")
        bench.loopCells.pointee.rings.store(false, ordering: .releasing)
        bench.turn(2)
        #expect(Signals.steepest(bench.played(from: 28)) < 900)
        #expect(bench.played(from: 31).allSatisfy { $0 == 0 })
    }

    @Test("One tone takes the place of another, a device is as loud as it was told")
    func changes() throws {
        let (low, high) = (try ToneFile(hertz: 500, seconds: 0.2), try ToneFile(hertz: 1_500, seconds: 0.2))
        let tones = [try SoundClip(path: low.path), try SoundClip(path: high.path)]
        defer { withExtendedLifetime(tones) {} }
        let bench = LoopBench()
        ring(bench, tones[0], volume: 100)
        bench.turn(20)
        ring(bench, tones[1], volume: 50)
        bench.turn(22)
        // A square law: half is a quarter.
        #expect(abs(Signals.peak(of: 1_500, in: bench.played(from: 22)) - 2_500) < 100)
        #expect(Signals.peak(of: 500, in: bench.played(from: 22)) < 20)
        ring(bench, nil, volume: 100)
        bench.turn(10)
        #expect(Signals.rms(bench.played(from: 44)) > 2_000, "the built-in one")
    }

    @Test("A file that is none, is empty or too long is refused with the reason")
    func refused() throws {
        let long = try ToneFile(hertz: 200, seconds: 31.5)
        let empty = try ToneFile(hertz: 201, seconds: 0)
        for path in [long.path, empty.path, "/nonexistent.wav", "/dev/null", "/etc/passwd"] {
            #expect(throws: SoundDeviceError.self) { try SoundClip(path: path) }
        }
    }

    @Test("A session lets a tone go once its loop has left it")
    func lifetime() throws {
        let path = "/tmp/handset-ring-session-\(getpid()).wav"
        defer { unlink(path) }
        let session = try AudioSession(capture: nil, playback: .file(input: nil, output: path))
        defer { session.close() }
        let file = try ToneFile(hertz: 700, seconds: 0.2)
        weak var former: SoundClip?
        do {
            let tone = try SoundClip(path: file.path)
            former = tone
            session.setRinging(Ringing(tone: tone))
        }
        usleep(100_000)
        session.setRinging(nil)
        #expect(former != nil, "the loop may still play it")
        usleep(900_000)
        session.setRinging(nil)
        #expect(former == nil)
    }
}
