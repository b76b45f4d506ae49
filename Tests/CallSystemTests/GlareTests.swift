import CallModel
import CallSystem
import EventLoop
import Testing

@testable import CallFakes

@Suite("Two who want something at once", .timeLimit(.minutes(1))) struct GlareTests {
    init() { EventLoop.shared.runInBackground() }

    @Test("Both hold at once: both are held, whichever offer comes first", arguments: [0, 3, 5, 10, 24, 26])
    @DaemonActor
    func bothHold(milliseconds: Int) async {
        let bench = Bench()
        let call = bench.answered()
        let hold = bench.ask(.hold(call))
        bench.signalling.tell(.remoteHold(call, true), after: .milliseconds(milliseconds))
        bench.clock.run(.milliseconds(100))
        #expect(hold.result?.changed == true && hold.result?.peerNotified == true)
        #expect(bench.center.snapshot(of: call)?.remoteHeld == true)
        // Ours is ours: it ends alone, and theirs stays.
        #expect(bench.perform(.resume(call)).result?.call.remoteHeld == true)
        #expect(bench.held(call) == false && bench.media.gates[call] == Gates())
        bench.signalling.tell(.remoteHold(call, false))
        bench.clock.run()
        #expect(bench.center.snapshot(of: call)?.remoteHeld == false)
    }

    @Test("Where the other's offer stands in the way of ours for too long, we are held all the same")
    @DaemonActor
    func longGlare() async {
        let bench = Bench()
        let call = bench.answered()
        bench.signalling.outcome = nil
        let hold = bench.ask(.hold(call))
        bench.signalling.tell(.remoteHold(call, true))
        bench.clock.run(.milliseconds(4_000))
        #expect(hold.result?.peerNotified == false && bench.media.gates[call]?.held == true)
        // The offer was repeated below the seam, and taken at last.
        bench.signalling.tell(.offerSettled(call, attempt: 1, .accepted))
        bench.clock.run()
        let again = bench.perform(.hold(call))
        #expect(again.result?.changed == false && again.result?.peerNotified == true)
    }

    @Test("Holding whoever holds us tells them so, and their resume does not make us audible")
    @DaemonActor
    func holdWhileHeld() async {
        let bench = Bench()
        let call = bench.answered()
        bench.signalling.tell(.remoteHold(call, true))
        bench.clock.run()
        #expect(bench.perform(.hold(call)).result?.peerNotified == true)
        bench.signalling.tell(.remoteHold(call, false))
        bench.clock.run()
        #expect(bench.held(call) == true && bench.media.gates[call]?.held == true)
    }

    @Test("A hold overtakes a resume whose offer has no answer, and a late answer changes nothing")
    @DaemonActor
    func holdDuringOffer() async {
        let bench = Bench()
        let call = bench.answered()
        bench.perform(.hold(call))
        bench.signalling.outcome = nil
        let resume = bench.perform(.resume(call))
        let hold = bench.perform(.hold(call))
        #expect(resume.failure == .superseded && hold.results.isEmpty)
        #expect(bench.log.lines.suffix(2) == ["held A true", "offer A 3"])
        bench.signalling.tell(.offerSettled(call, attempt: 2, .accepted))
        bench.clock.run()
        #expect(bench.held(call) == true && bench.media.gates[call]?.held == true)
        bench.signalling.tell(.offerSettled(call, attempt: 3, .accepted))
        bench.clock.run()
        #expect(hold.result?.changed == false && hold.result?.peerNotified == true)
    }

    @Test("A hold while the hold before has no answer ends with it", arguments: [OfferOutcome.accepted, nil])
    @DaemonActor
    func holdDuringHold(outcome: OfferOutcome?) async {
        let bench = Bench()
        let call = bench.answered()
        bench.signalling.outcome = outcome
        let first = bench.ask(.hold(call))
        bench.clock.run(.milliseconds(10))
        let second = bench.ask(.hold(call))
        bench.clock.run(.seconds(4))
        #expect(first.result?.changed == true && second.result?.changed == false)
        #expect(first.result?.peerNotified == (outcome != nil))
        #expect(second.result?.peerNotified == first.result?.peerNotified)
        #expect(bench.log.lines.filter { $0.hasPrefix("offer") }.count == 1)
    }

    @Test("The end of a call overtakes a hold at any moment of it", arguments: [0, 1, 5, 6, 24, 25, 26])
    @DaemonActor
    func endDuringHold(milliseconds: Int) async {
        let bench = Bench()
        let call = bench.answered()
        let hold = bench.ask(.hold(call))
        bench.clock.run(.milliseconds(milliseconds))
        let end = bench.ask(.end(call))
        bench.clock.run(.seconds(20))
        #expect(hold.results.count == 1 && (milliseconds < 25 ? hold.failure == .cancelled : hold.result != nil))
        #expect(end.results.count == 1 && end.result?.call.endReason == .localEnded)
        #expect(bench.center.calls.isEmpty && bench.media.gates.isEmpty && bench.log.misuses.isEmpty)
    }

    @Test("So it does a resume", arguments: [0, 1, 20, 21, 25, 26])
    @DaemonActor
    func endDuringResume(milliseconds: Int) async {
        let bench = Bench()
        let call = bench.answered()
        bench.perform(.hold(call))
        let resume = bench.ask(.resume(call))
        bench.clock.run(.milliseconds(milliseconds))
        let end = bench.ask(.end(call))
        bench.clock.run(.seconds(20))
        #expect(resume.results.count == 1 && (milliseconds < 25 ? resume.failure == .cancelled : resume.result != nil))
        #expect(end.results.count == 1 && bench.center.calls.isEmpty && bench.log.misuses.isEmpty)
    }

    @Test("A caller's CANCEL and our answer cross: one end of the answer, one end of the call", arguments: 0...14)
    @DaemonActor
    func cancelledWhileAnswered(milliseconds: Int) async {
        let bench = Bench()
        let call = bench.incoming()
        let answer = bench.ask(.answer(call))
        bench.signalling.tell(.ended(call, .unanswered), after: .milliseconds(milliseconds))
        bench.clock.run(.seconds(1))
        // 2 ms for the sound, 10 ms for the ACK: what came first has won.
        #expect(answer.results.count == 1)
        #expect(milliseconds <= 12 ? answer.failure == .cancelled : answer.result?.changed == true)
        #expect(bench.takenEvents().filter { $0.hasPrefix("call.ended") } == ["call.ended A unanswered"])
        #expect(bench.media.ring == nil && bench.media.gates.isEmpty && bench.log.misuses.isEmpty)
    }

    @Test("Two programs answer the same call: one has answered it, the other is told so") @DaemonActor
    func twoAnswers() async {
        let bench = Bench()
        let first = bench.answered()
        let call = bench.incoming()
        let answers = [bench.ask(.answer(call)), bench.ask(.answer(call)), bench.ask(.endAndAnswer(call))]
        bench.clock.run(.seconds(1))
        #expect(answers.map(\.failure) == [nil, .invalidState, .invalidState])
        #expect(bench.held(first) == true && bench.held(call) == false)
    }

    @Test("Two programs hold and resume each other's call: each is told what became of its own") @DaemonActor
    func crosswise() async {
        let bench = Bench()
        let first = bench.answered()
        let second = bench.answered()
        let one = bench.ask(.resume(first))
        let other = bench.ask(.resume(second))
        let hold = bench.ask(.hold(second))
        bench.clock.run(.seconds(1))
        #expect(one.result?.changed == true && other.failure == .superseded && hold.result?.call.held == true)
        #expect(bench.held(first) == false && bench.held(second) == true)
    }
}
