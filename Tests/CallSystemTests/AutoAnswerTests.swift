import CallModel
import CallSystem
import EventLoop
import Testing

@testable import CallFakes

@Suite("Call center, answers by itself", .timeLimit(.minutes(1))) struct AutoAnswerTests {
    init() { EventLoop.shared.runInBackground() }

    @Test("A caller who may ask is answered after its delay and two beeps, in which nothing rings") @DaemonActor
    func asked() async {
        let bench = Bench()
        let call = bench.incoming(answerMode: .automatic(afterMilliseconds: 2_000))
        #expect(bench.media.ring == .ring)
        bench.clock.run(.milliseconds(1_999))
        #expect(bench.media.tone == nil)
        bench.clock.run(.milliseconds(1))
        #expect(bench.media.ring == nil && bench.media.tone == .attention)
        #expect(!bench.log.lines.contains("activate A"))
        bench.clock.run(.milliseconds(799))
        #expect(bench.state(call) == .incoming && !bench.log.lines.contains("activate A"))
        bench.clock.run(.milliseconds(100))
        #expect(bench.state(call) == .connected && bench.media.tone == nil)
        #expect(bench.center.snapshot(of: call)?.muted == false)
    }

    @Test("answer_muted: the microphone is closed before the call has a stream") @DaemonActor
    func muted() async {
        let bench = Bench(CallPolicy(answerMuted: true))
        let call = bench.incoming(answerMode: .automatic(afterMilliseconds: 0))
        bench.clock.run(.seconds(1))
        #expect(bench.state(call) == .connected && bench.center.snapshot(of: call)?.muted == true)
        let gates = bench.log.lines.firstIndex(of: "gates A muted")
        let configured = bench.log.lines.firstIndex(of: "configure A")
        #expect((gates ?? .max) < (configured ?? 0))
        #expect(bench.media.gates[call]?.muted == true)
    }

    @Test("What a person answers is not muted") @DaemonActor
    func answeredByHand() async {
        let bench = Bench(CallPolicy(answerMuted: true))
        let call = bench.answered()
        #expect(bench.center.snapshot(of: call)?.muted == false)
    }

    @Test(
        "An account's own delay goes before that of all calls",
        arguments: [(nil, 500), (-1, nil), (2_000, 2_000)] as [(Int?, Int?)])
    @DaemonActor func perAccount(own: Int?, expected: Int?) async {
        let bench = Bench(
            CallPolicy(
                answerAfterMilliseconds: 500, answerAfterMillisecondsByAccount: own.map { ["office": $0] } ?? [:],
                answerBeep: false))
        let call = bench.incoming()
        bench.clock.run(.milliseconds((expected ?? 30_000) - 1))
        #expect(bench.state(call) == .incoming)
        bench.clock.run(.milliseconds(100))
        #expect(bench.state(call) == (expected == nil ? .incoming : .connected))
    }

    @Test("Never at the cost of another call, nor after the caller has given up or somebody has answered") @DaemonActor
    func notAlone() async {
        let bench = Bench()
        let first = bench.answered()
        let second = bench.incoming(answerMode: .automatic(afterMilliseconds: 0))
        bench.clock.run(.seconds(2))
        #expect(bench.state(second) == .incoming && bench.held(first) == false)
        let quick = Bench()
        let given = quick.incoming(answerMode: .automatic(afterMilliseconds: 0))
        quick.clock.run(.milliseconds(400))
        #expect(quick.media.tone == .attention)
        quick.signalling.tell(.ended(given, .unanswered))
        quick.clock.run()
        #expect(quick.media.tone == nil)
        quick.clock.run(.seconds(2))
        #expect(!quick.log.lines.contains("answer A"))
        let handed = Bench(CallPolicy(answerMuted: true))
        let call = handed.incoming(answerMode: .automatic(afterMilliseconds: 0))
        handed.clock.run(.milliseconds(400))
        handed.perform(.answer(call))
        #expect(handed.media.tone == nil)
        handed.clock.run(.seconds(2))
        #expect(handed.center.snapshot(of: call)?.muted == false)
    }
}
