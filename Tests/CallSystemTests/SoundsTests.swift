import CallModel
import EventLoop
import Testing

@testable import CallFakes
@testable import CallSystem

@Suite("Sounds", .timeLimit(.minutes(1))) struct SoundsTests {
    init() { EventLoop.shared.runInBackground() }

    @Test("No tone says what the user did, or what takes no tone")
    func failures() {
        #expect(CallSounds.failureTone(for: .localEnded) == nil)
        #expect(CallSounds.failureTone(for: .unanswered) == nil)
        #expect(CallSounds.failureTone(for: .busy) == .busy)
        #expect(CallSounds.failureTone(for: .failed(status: nil, text: "")) == .congestion)
    }

    @Test("A call rings as its account does, else as all do; a silent one is only shown") @DaemonActor
    func ringTones() async {
        let bench = Bench()
        bench.center.policy.ringSound = .file("/all.wav")
        let first = bench.incoming()
        #expect(bench.media.ring == .ring && bench.media.ringSound == .file("/all.wav"))
        bench.perform(.reject(first, .declined))
        #expect(bench.media.ring == nil)

        bench.center.policy.ringSoundByAccount = ["office": .file("/office.wav")]
        let second = bench.incoming()
        #expect(bench.media.ring == .ring && bench.media.ringSound == .file("/office.wav"))
        bench.perform(.reject(second, .declined))

        bench.center.policy.ringSoundByAccount = ["office": .silent]
        let third = bench.incoming()
        #expect(bench.media.ring == nil)
        #expect(bench.center.snapshot(of: third)?.state == .incoming)
    }

    @Test("A silenced ringer falls silent at once and rings again; a second call is told of in the conversation")
    @DaemonActor func silentRinger() async {
        let bench = Bench()
        let call = bench.incoming()
        #expect(bench.media.ring == .ring)
        bench.center.isRingerSilent = true
        #expect(bench.media.ring == nil)
        bench.center.isRingerSilent = false
        #expect(bench.media.ring == .ring)
        bench.center.isRingerSilent = true
        bench.perform(.reject(call, .declined))
        let second = bench.incoming()
        #expect(bench.media.ring == nil && bench.center.snapshot(of: second)?.state == .incoming)
        bench.perform(.reject(second, .declined))
        _ = bench.answered()
        _ = bench.incoming()
        #expect(bench.media.ring == .callWaiting && bench.media.ringSound == .silent)
        // On other devices than the conversation's it rings as any call.
        bench.center.isRingerSilent = false
        #expect(bench.media.ring == .callWaiting && bench.media.ringSound == .standard)
    }

    @Test("A second call rings as its account does, too, and where that is silent its tone stays") @DaemonActor
    func secondCall() async {
        let bench = Bench()
        bench.center.policy.ringSoundByAccount = ["office": .file("/office.wav")]
        let call = bench.answered()
        let second = bench.incoming()
        #expect(bench.media.ring == .callWaiting && bench.media.ringSound == .file("/office.wav"))
        bench.perform(.end(call))
        #expect(bench.media.ring == .ring)
        bench.perform(.end(second))
        bench.center.policy.ringSoundByAccount = ["office": .silent]
        _ = bench.answered()
        _ = bench.incoming()
        #expect(bench.media.ring == .callWaiting && bench.media.ringSound == .silent)
    }
}
