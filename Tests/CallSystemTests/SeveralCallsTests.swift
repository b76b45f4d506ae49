import CallModel
import CallSystem
import EventLoop
import Testing

@testable import CallFakes

@Suite("Call center, several calls", .timeLimit(.minutes(1))) struct SeveralCallsTests {
    init() { EventLoop.shared.runInBackground() }

    @Test("A second call rings softly; answering it holds the first one before its caller is told") @DaemonActor
    func holdAndAnswer() async {
        let bench = Bench()
        let first = bench.answered()
        let second = bench.incoming("carol")
        #expect(bench.media.ring == .callWaiting)
        _ = bench.log.taken()
        let answer = bench.perform(.answer(second))
        #expect(answer.result?.call.state == .connected)
        #expect(bench.held(first) == true && bench.held(second) == false)
        #expect(
            bench.log.taken() == [
                "gates A held", "held A true", "offer A 1", "open B", "activate B", "ring off", "answer B",
                "configure B",
            ])
    }

    @Test("Who waits to be answered does not wait for the other peer's word") @DaemonActor
    func silentFirstPeer() async {
        let bench = Bench()
        let first = bench.answered()
        bench.signalling.outcome = nil
        let second = bench.incoming()
        #expect(bench.perform(.answer(second)).result?.changed == true)
        #expect(bench.held(first) == true)
    }

    @Test("Where the first call cannot be silenced, the second is not answered") @DaemonActor
    func stuckGates() async {
        let bench = Bench()
        let first = bench.answered()
        let second = bench.incoming()
        bench.media.acknowledges = false
        let answer = bench.perform(.answer(second))
        bench.clock.run(.seconds(5))
        #expect(answer.failure == .timedOut)
        #expect(bench.held(first) == false && bench.state(second) == .incoming)
        #expect(!bench.log.lines.contains("answer B"))
    }

    @Test("Dialling holds the active call; where the start is refused, it is active again") @DaemonActor
    func holdAndDial() async {
        let bench = Bench()
        let first = bench.answered()
        bench.signalling.startError = CallError(.notRegistered, "the account is not registered")
        let refused = bench.perform(.start(.alice, account: nil, id: nil))
        #expect(refused.failure == .notRegistered)
        bench.clock.run(.milliseconds(100))
        #expect(bench.held(first) == false)
        bench.signalling.startError = nil
        let second = bench.dialled()
        bench.connect(second)
        #expect(bench.held(first) == true && bench.held(second) == false)
    }

    @Test("Whom nobody can be dialled for is not held: a wrong account is found before") @DaemonActor
    func cannotDial() async throws {
        let bench = Bench()
        let first = bench.answered()
        bench.signalling.checkError = CallError(.unknownAccount, "no such account")
        _ = bench.log.taken()
        #expect(bench.perform(.start(.alice, account: "none", id: nil)).failure == .unknownAccount)
        let requests = [CallRequest.mute(first), .start(.alice, account: "none", id: nil)]
        let reports = try #require(try bench.transaction(requests)?.get())
        let reasons = reports.map { report in
            if case .failure(let error) = report.result { error.reason } else { nil as FailureReason? }
        }
        #expect(reasons == [.cancelled, .unknownAccount] && reports.allSatisfy { !$0.isUndone })
        #expect(bench.log.taken() == [] && bench.held(first) == false)
    }

    @Test("A caller who gives up while being answered gives the first call back") @DaemonActor
    func rollBack() async {
        let bench = Bench()
        let first = bench.answered()
        let second = bench.incoming()
        let answer = bench.ask(.answer(second))
        bench.clock.run(.milliseconds(6))
        bench.signalling.tell(.ended(second, .unanswered))
        bench.clock.run(.milliseconds(300))
        #expect(answer.results.count == 1 && answer.failure == .cancelled)
        #expect(bench.held(first) == false)
    }

    @Test("While one call is dialled, no other is made active") @DaemonActor
    func dialling() async {
        let bench = Bench()
        let first = bench.answered()
        bench.perform(.hold(first))
        _ = bench.dialled()
        let third = bench.incoming()
        #expect(bench.media.ring == .callWaiting && bench.media.tone == .ringBack)
        #expect(bench.perform(.answer(third)).failure == .invalidState)
        #expect(bench.perform(.resume(first)).failure == .invalidState)
        #expect(bench.perform(.start(.alice, account: nil, id: nil)).failure == .invalidState)
    }

    @Test("Requests for the floor are carried out in their order") @DaemonActor
    func floor() async {
        let bench = Bench()
        let first = bench.answered()
        let second = bench.incoming()
        let answer = bench.ask(.answer(second))
        let resume = bench.ask(.resume(first))
        let dial = bench.ask(.start(.alice, account: nil, id: nil))
        bench.clock.run(.seconds(1))
        #expect(answer.result != nil && resume.result?.changed == true && dial.result != nil)
        #expect(bench.center.calls.count { !$0.held } == 1)
    }

    @Test("A hold takes back a resume that waits for its turn") @DaemonActor
    func supersededResume() async {
        let bench = Bench()
        let first = bench.answered()
        let second = bench.incoming()
        bench.perform(.answer(second))
        let resume = bench.ask(.resume(first))
        let hold = bench.ask(.hold(first))
        bench.clock.run(.seconds(1))
        #expect(resume.failure == .superseded && hold.result?.changed == false)
        #expect(bench.held(first) == true && bench.held(second) == false)
    }

    @Test("Swap is a transaction of two actions") @DaemonActor
    func swap() async throws {
        let bench = Bench()
        let first = bench.answered()
        let second = bench.answered()
        let reports = try #require(try bench.transaction([.hold(second), .resume(first)])?.get())
        #expect(reports.map { (try? $0.result.get())?.changed } == [true, true])
        #expect(reports[0].elapsedMs == 25 && reports[1].elapsedMs == 50)
        #expect(bench.held(first) == false && bench.held(second) == true)
        let back = bench.perform(.resume(second))
        #expect(back.result?.changed == true)
        #expect(bench.held(first) == true && bench.held(second) == false)
    }

    @Test("A resume that the peer refuses leaves the other call as it was") @DaemonActor
    func refusedResume() async {
        let bench = Bench()
        let first = bench.answered()
        let second = bench.answered()
        bench.signalling.outcome = .refused(status: 488, text: "Not Acceptable Here")
        let resume = bench.ask(.resume(first))
        bench.clock.run(.milliseconds(10))
        bench.signalling.outcome = .accepted
        bench.clock.run(.milliseconds(200))
        #expect(resume.failure == .refused)
        #expect(bench.held(first) == true && bench.held(second) == false)
    }

    @Test("Beyond the maximum, callers hear busy and nothing is dialled") @DaemonActor
    func maximum() async {
        let bench = Bench(CallPolicy(maximumCalls: 2))
        _ = bench.answered()
        let second = bench.dialled()
        bench.connect(second)
        _ = bench.incoming("mallory")
        #expect(bench.log.lines.last == "reject C busy")
        #expect(bench.center.calls.count == 2)
        #expect(bench.perform(.start(.alice, account: nil, id: nil)).failure == .maximumCallsReached)
        #expect(bench.perform(.start(.alice, account: nil, id: second)).failure == .callAlreadyExists)
    }

    @Test("The end of the active call resumes the one held last only where that is set", arguments: [false, true])
    @DaemonActor
    func autoResume(isSet: Bool) async {
        let bench = Bench(CallPolicy(autoResume: isSet))
        let first = bench.answered()
        let second = bench.answered()
        let third = bench.answered()
        bench.signalling.tell(.ended(third, .remoteEnded))
        bench.clock.run(.milliseconds(200))
        #expect(bench.held(first) == true)
        #expect(bench.held(second) == !isSet)
    }

    @Test("So does the end of a call that was dialled in vain", arguments: [false, true]) @DaemonActor
    func autoResumeAfterDialling(isSet: Bool) async {
        let bench = Bench(CallPolicy(autoResume: isSet))
        let first = bench.answered()
        let second = bench.dialled()
        #expect(bench.held(first) == true)
        bench.signalling.tell(.ended(second, .busy))
        bench.clock.run(.milliseconds(200))
        #expect(bench.held(first) == !isSet)
    }

    @Test("The end of a held call resumes nothing") @DaemonActor
    func heldCallEnds() async {
        let bench = Bench(CallPolicy(autoResume: true))
        let first = bench.answered()
        let second = bench.answered()
        bench.perform(.hold(second))
        bench.perform(.end(first))
        bench.clock.run(.milliseconds(200))
        #expect(bench.held(second) == true)
    }
}
