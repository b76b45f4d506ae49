import AllocationCounter
import Codecs
import MediaDescription
import Realtime
import SoundDevices
import Synchronization
import Testing

@testable import AudioLoop

@Suite("Profiles in the loop") struct HandsFreeStageTests {
    /// A bench whose microphone hears `capture`, with a canceller at hand.
    private static func bench(capture: [Int16], seconds: Int = 20) -> (LoopBench, HandsFreeMemory) {
        let bench = LoopBench(capture: capture, seconds: seconds)
        let memory = HandsFreeMemory(period: LoopBench.period)
        bench.loopCells.pointee.handsFree.store(UInt(bitPattern: memory.pointer), ordering: .releasing)
        return (bench, memory)
    }

    private static func choose(_ profile: HandsFreeProfile, _ bench: LoopBench) {
        bench.loopCells.pointee.profile.store(profile.number, ordering: .releasing)
    }

    @Test("With `line` what is sent is what was captured, to the bit, also after another profile")
    func line() throws {
        let sound = Signals.buzz(480_000)
        let (bench, memory) = Self.bench(capture: sound)
        defer { withExtendedLifetime(memory) {} }
        let peer = try Peer(.pcmu, hertz: 0)
        bench.enter(peer)
        bench.turn(40, peer)
        let plain = LoopBench(capture: sound)
        let other = try Peer(.pcmu, hertz: 0)
        plain.enter(other)
        plain.turn(122, other)
        let wanted = other.payloads()
        #expect(peer.payloads() == Array(wanted.prefix(20)))
        Self.choose(.speakerphone, bench)
        bench.turn(40, peer)
        Self.choose(.line, bench)
        bench.turn(42, peer)
        // From the second packet after the change on; the encoder's filter remembers the first.
        let isSame = Array(peer.payloads().dropFirst(42)) == Array(wanted.dropFirst(42))
        #expect(isSame && wanted.count == 61)
    }

    @Test("A change of the profile in a call does not click", arguments: HandsFreeProfile.allCases)
    func change(to profile: HandsFreeProfile) throws {
        let sound = Signals.sine(440, 480_000, peak: 2_300)
        let (bench, memory) = Self.bench(capture: sound)
        defer { withExtendedLifetime(memory) {} }
        let peer = try Peer(.pcmu, hertz: 0)
        bench.enter(peer)
        for turn in 0..<300 {
            if turn % 60 == 50 { Self.choose(profile, bench) }
            if turn % 60 == 20 { Self.choose(turn % 120 < 60 ? .line : .handset, bench) }
            bench.turn(1, peer)
        }
        let heard = try peer.heard(from: 10)
        // 440 Hz at this peak climb by 133 a sample, by 330 at the most that is brought up, and µ-law has steps of its own.
        #expect(Signals.steepest(heard.dropFirst(480)) < 600)
    }

    @Test("The echo of the loudspeaker is sent with `line` and gone with `speakerphone`")
    func echo() throws {
        let (bench, memory) = Self.bench(capture: [Int16](repeating: 0, count: 20 * 48_000))
        defer { withExtendedLifetime(memory) {} }
        bench.sound.echo(after: 480 + 200, gain: 128)
        let peer = try Peer(.pcmu, hertz: 600, peak: 8_000)
        bench.enter(peer)
        bench.turn(200, peer)
        let loud = Signals.rms(try peer.heard(from: 50))
        #expect(loud > 2_000)
        Self.choose(.speakerphone, bench)
        bench.turn(300, peer)
        let sent = peer.payloads().count
        bench.turn(200, peer)
        let soft = Signals.rms(try peer.heard(from: sent))
        #expect(soft < loud / 100)
        #expect(bench.loopCells.pointee.echoIsConverged.value == 1)
        #expect(bench.loopCells.pointee.echoReduction.value > 100_000)
    }

    @Test("What the loudspeaker lost in a stall is known: the canceller goes on where it was")
    func stall() throws {
        let (bench, memory) = Self.bench(capture: [Int16](repeating: 0, count: 30 * 48_000), seconds: 30)
        defer { withExtendedLifetime(memory) {} }
        bench.sound.echo(after: 480 + 200, gain: 128)
        Self.choose(.speakerphone, bench)
        let peer = try Peer(.pcmu, hertz: 600, peak: 8_000)
        bench.enter(peer)
        bench.turn(400, peer)
        let alignments = bench.loopCells.pointee.echoAlignments.value
        bench.sound.allow(turns: 0)
        for _ in 0..<5 { _ = bench.turnBare() }
        bench.sound.allow(turns: .max)
        let sent = peer.payloads().count
        bench.turn(100, peer)
        #expect(bench.loopCells.pointee.echoAlignments.value == alignments + 1)
        let soft = Signals.rms(try peer.heard(from: sent + 10))
        // 30 dB below the echo's 2,828.
        #expect(soft < 89)
    }

    @Test(
        "What the loudspeaker plays is known to the sample, also of the turn with which it starts anew after it ran dry",
        arguments: [false, true])
    func ranDry(isSaidOnWrite: Bool) throws {
        let (bench, memory) = Self.bench(capture: [Int16](repeating: 0, count: 10 * 48_000), seconds: 10)
        defer { withExtendedLifetime(memory) {} }
        // The microphone hears nothing else, and as loud as it is played: what it hears is what is to be known.
        bench.sound.echo(after: LoopBench.period, gain: 256)
        Self.choose(.speakerphone, bench)
        let peer = try Peer(.pcmu, hertz: 600, peak: 8_000)
        bench.enter(peer)
        var known: [Int16] = []
        func turn(_ count: Int) {
            for _ in 0..<count {
                bench.turn(1, peer)
                known += UnsafeBufferPointer(start: memory.pointer.pointee.played, count: LoopBench.period)
            }
        }
        turn(400)
        let alignments = bench.loopCells.pointee.echoAlignments.value
        #expect(alignments == 1)
        // 6 ms more lie between the two ends then, which is less than what is taken for a jump.
        bench.sound.runDry(isSaidOnWrite: isSaidOnWrite, ahead: 300)
        turn(20)
        #expect(bench.loopCells.pointee.echoAlignments.value == alignments + 1)
        let sent = peer.payloads().count
        turn(100)
        let heard = bench.sound.heard
        let early = 96
        let wrong = known.indices.dropLast(early).filter { known[$0] != heard[$0 + early] }
        let (count, first) = (wrong.count, wrong.first ?? 0)
        #expect(count == 0, "the first in turn \(first / LoopBench.period)")
        #expect(known.contains { $0 > 7_000 })
        // 30 dB below the echo's 5,657.
        #expect(Signals.rms(try peer.heard(from: sent)) < 178)
    }

    @Test(
        "neither allocates nor locks in two thousand turns of any profile",
        .enabled(if: allocation_counter_available() == 1))
    func allocations() throws {
        let (bench, memory) = Self.bench(capture: Signals.buzz(2_000 * 480))
        defer { withExtendedLifetime(memory) {} }
        bench.sound.echo(after: 700, gain: 100)
        let peer = try Peer(.opus)
        bench.enter(peer)
        var counts = 0
        for turn in 0..<2_000 {
            peer.speak()
            if turn % 250 == 0 { Self.choose(HandsFreeProfile(number: UInt32(turn / 250 % 3)), bench) }
            if turn % 700 == 600 { bench.sound.allow(turns: 0) }
            if turn % 700 == 603 { bench.sound.allow(turns: .max) }
            allocation_counter_reset_thread()
            let code = bench.turnBare()
            counts += allocation_counter_mallocs() + allocation_counter_frees() + allocation_counter_locks()
            if code != 0 { Issue.record("the device failed with \(code)") }
            peer.listen()
        }
        #expect(counts == 0)
    }
}
