import CallModel
import CallSystem
import EventLoop
import Testing

@testable import CallFakes

/// Screens as a test says.
@DaemonActor private final class FakeScreening: CallScreening {
    var verdict = ScreeningVerdict()
    private(set) var asked: [IncomingCall] = []

    func verdict(on call: IncomingCall) -> ScreeningVerdict {
        asked.append(call)
        return verdict
    }

    func name(of handle: Handle) -> String? { handle == .alice ? "Alice of the book" : nil }
}

@Suite("Screening", .timeLimit(.minutes(1))) struct ScreeningTests {
    init() { EventLoop.shared.runInBackground() }

    @DaemonActor private func bench(
        refusing answer: RejectReason?, _ reason: EndReason, _ policy: CallPolicy = CallPolicy()
    ) -> (Bench, FakeScreening) {
        let bench = Bench(policy)
        let screening = FakeScreening()
        screening.verdict.refusal = .init(answer: answer, reason: reason)
        bench.center.screening = screening
        return (bench, screening)
    }

    @Test(
        "A call that may not ring is refused as wanted, and ends with its reason, having been nobody's",
        arguments: [RejectReason.declined, .busy], [EndReason.blocked, .doNotDisturb])
    @DaemonActor func refused(answer: RejectReason, reason: EndReason) throws {
        let (bench, screening) = bench(refusing: answer, reason)
        let call = bench.incoming()
        #expect(bench.center.calls.isEmpty)
        #expect(bench.takenEvents() == ["call.ended \(bench.log.name(call)) \(reason.word)"])
        #expect(bench.log.taken() == ["reject \(bench.log.name(call)) \(answer.rawValue)"])
        bench.signalling.tell(.ended(call, .declined))
        bench.clock.run(.seconds(70))
        #expect(bench.takenEvents().isEmpty)
        #expect(screening.asked.count == 1)
        #expect(bench.perform(.answer(call)).failure == .unknownCall)
    }

    @Test("A call that rings at the caller's end only is answered with nothing, until the time to ring is over")
    @DaemonActor func ringOut() throws {
        let (bench, screening) = bench(refusing: nil, .doNotDisturb, CallPolicy(ringTimeoutSeconds: 20))
        let call = bench.incoming()
        #expect(bench.takenEvents() == ["call.ended \(bench.log.name(call)) doNotDisturb"])
        bench.clock.run(.seconds(19))
        #expect(bench.log.taken().isEmpty)
        bench.clock.run(.seconds(2))
        #expect(bench.log.taken() == ["end \(bench.log.name(call))"])
        // One whose caller gives up is not ended a second time.
        let other = bench.incoming()
        bench.signalling.tell(.ended(other, .unanswered))
        bench.clock.run(.seconds(30))
        #expect(bench.log.taken().isEmpty)
        #expect(screening.asked.map(\.id) == [call, other])
    }

    @Test("Calls that ring at the caller's end only do not pile up")
    @DaemonActor func ringOutBound() {
        let (bench, screening) = bench(refusing: nil, .blocked)
        for _ in 0..<20 { _ = bench.incoming() }
        #expect(bench.log.lines.count { $0.contains("reject") } == 12, "\(bench.log.lines)")
        #expect(screening.asked.count == 20)
    }

    @Test("One call too many ends as busy, and is told of")
    @DaemonActor func full() {
        let bench = Bench(CallPolicy(maximumCalls: 1))
        _ = bench.incoming()
        let second = bench.incoming()
        #expect(bench.takenEvents().last == "call.ended \(bench.log.name(second)) busy")
        #expect(bench.center.calls.count == 1)
    }

    @Test("The name that screening knows is shown, of who calls and of who is called")
    @DaemonActor func names() {
        let bench = Bench()
        let screening = FakeScreening()
        screening.verdict.displayName = "Bob of the book"
        bench.center.screening = screening
        let incoming = bench.incoming()
        #expect(bench.center.snapshot(of: incoming)?.displayName == "Bob of the book")
        bench.perform(.end(incoming))
        bench.signalling.tell(.ended(incoming, .localEnded))
        bench.clock.run()
        let outgoing = bench.dialled()
        #expect(bench.center.snapshot(of: outgoing)?.displayName == "Alice of the book")
    }

    @Test("A contact's call is answered by itself where it says so")
    @DaemonActor func autoAnswer() {
        let bench = Bench()
        let screening = FakeScreening()
        screening.verdict.answersByItself = true
        bench.center.screening = screening
        let call = bench.incoming()
        bench.clock.run(.seconds(1))
        #expect(bench.log.lines.contains { $0.hasPrefix("answer") }, "\(bench.log.lines)")
        #expect(bench.center.snapshot(of: call) != nil)
    }

    @Test("A contact's call rings with the contact's tone, whatever its account has")
    @DaemonActor func ringTone() {
        let bench = Bench()
        let screening = FakeScreening()
        bench.center.screening = screening
        bench.center.policy.ringSoundByAccount = ["office": .file("/office.wav")]
        screening.verdict.ringTone = "/jane.wav"
        let call = bench.incoming()
        #expect(bench.media.ring == .ring && bench.media.ringSound == .file("/jane.wav"))
        bench.perform(.reject(call, .declined))
        screening.verdict.ringTone = "silent"
        _ = bench.incoming()
        #expect(bench.media.ring == nil)
    }

    @Test("The end of a call has the figures of its sound")
    @DaemonActor func quality() throws {
        let bench = Bench()
        let call = bench.answered()
        bench.connect(call)
        var statistics = CallStatistics()
        (statistics.sent.packets, statistics.received.packets, statistics.lost) = (50, 45, 5)
        (statistics.jitterMilliseconds, statistics.roundTripMilliseconds) = (1.5, 20)
        bench.media.figures = statistics
        bench.perform(.end(call))
        var ended: CallSnapshot?
        bench.signalling.tell(.ended(call, .localEnded))
        bench.clock.run()
        for case .ended(let snapshot) in bench.events { ended = snapshot }
        let quality = try #require(ended?.quality)
        #expect(quality.packetsSent == 50 && quality.packetsReceived == 45 && quality.lost == 5)
        #expect(quality.jitterMs == 1.5 && quality.roundTripMs == 20)
        for case .updated(_, let changed) in bench.events { #expect(!changed.contains("quality")) }
    }
}
