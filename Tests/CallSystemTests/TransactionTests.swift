import CallModel
import CallSystem
import EventLoop
import Testing

@testable import CallFakes

extension ActionReport {
    /// Why the action failed; nil where it is fulfilled.
    fileprivate var failure: FailureReason? {
        if case .failure(let error) = result { error.reason } else { nil }
    }
}

extension Bench {
    /// Of two calls the held one is resumed, and since a third cannot be answered, that is undone.
    @DaemonActor func expectResumeIsUndone() throws {
        let first = answered()
        let second = answered()
        let third = incoming()
        signalling.answerError = CallError(.invalidState, "cancelled just now")
        let reports = try #require(try transaction([.resume(first), .answer(third)])?.get())
        #expect(reports.map(\.isUndone) == [true, false])
        #expect(held(first) == true && held(second) == false)
    }
}

@Suite("Transactions", .timeLimit(.minutes(1))) struct TransactionTests {
    init() { EventLoop.shared.runInBackground() }

    @Test("A transaction with an impossible action does nothing") @DaemonActor
    func impossible() async throws {
        let bench = Bench()
        let call = bench.answered()
        _ = bench.log.taken()
        let reports = try #require(try bench.transaction([.hold(call), .answer(CallID()), .end(call)])?.get())
        #expect(reports.map(\.failure) == [.cancelled, .unknownCall, .cancelled])
        #expect(bench.log.taken() == [])
        #expect(bench.held(call) == false)
    }

    @Test("What an earlier action of a transaction makes impossible, or possible, is seen beforehand") @DaemonActor
    func dependent() async {
        let bench = Bench()
        let call = bench.incoming()
        _ = bench.log.taken()
        let impossible: [[CallRequest]] = [
            [.mute(call), .hold(call)], [.end(call), .mute(call)],
            [.mute(call), .start(.alice, account: nil, id: call)],
        ]
        for requests in impossible {
            let reports = try? bench.transaction(requests)?.get()
            #expect(reports?.allSatisfy { (try? $0.result.get()) == nil } == true, "\(requests)")
        }
        #expect(bench.log.taken() == [] && bench.center.snapshot(of: call)?.muted == false)
        let possible = try? bench.transaction([.mute(call), .answer(call), .hold(call)])?.get()
        #expect(possible?.allSatisfy { (try? $0.result.get()) != nil } == true)
        #expect(bench.held(call) == true)
    }

    @Test("What follows a failed action is cancelled, and what came before is undone") @DaemonActor
    func failedAction() async throws {
        let bench = Bench()
        let call = bench.incoming()
        bench.media.deviceError = CallError(.deviceUnavailable, "none")
        let reports = try #require(try bench.transaction([.mute(call), .answer(call), .hold(call)])?.get())
        #expect(reports.map(\.failure) == [.cancelled, .deviceUnavailable, .cancelled])
        #expect(reports.map(\.isUndone) == [true, false, false])
        #expect(bench.center.snapshot(of: call)?.muted == false)
    }

    @Test("An empty transaction is an error, and so is an endless one") @DaemonActor
    func transactionLength() async {
        let bench = Bench()
        let call = bench.incoming()
        guard case .failure(let empty) = bench.transaction([]),
            case .failure(let long) = bench.transaction(Array(repeating: .mute(call), count: 17))
        else {
            Issue.record("they were carried out")
            return
        }
        #expect(empty.reason == .emptyTransaction && long.reason == .notSupported)
    }

    @Test("The end of one call makes room for another in the same transaction") @DaemonActor
    func replace() async throws {
        let bench = Bench(CallPolicy(maximumCalls: 1))
        let call = bench.answered()
        let next = CallID()
        let reports = try bench.transaction([.end(call), .start(.alice, account: nil, id: next)])?.get()
        #expect(reports?.allSatisfy { (try? $0.result.get()) != nil } == true)
        #expect(bench.center.calls.map(\.id) == [next])
    }

    @Test("A call that was held explicitly is active again where the answer after it fails") @DaemonActor
    func undoneHold() async throws {
        let bench = Bench()
        let first = bench.answered()
        let second = bench.incoming()
        bench.signalling.answerError = CallError(.invalidState, "cancelled just now")
        let reports = try #require(try bench.transaction([.hold(first), .answer(second)])?.get())
        #expect(reports.map(\.failure) == [.cancelled, .invalidState])
        #expect(reports[0].isUndone && reports[0].elapsedMs > reports[1].elapsedMs)
        #expect(bench.held(first) == false && bench.state(second) == .incoming)
    }

    @Test("What is undone is undone from the last to the first") @DaemonActor
    func order() async throws {
        let bench = Bench()
        let first = bench.answered()
        let second = bench.answered()
        let third = bench.incoming()
        bench.signalling.answerError = CallError(.invalidState, "cancelled just now")
        _ = bench.log.taken()
        let reports = try #require(
            try bench.transaction([.mute(second), .hold(second), .resume(first), .earmuff(first), .answer(third)])?
                .get())
        #expect(reports.map(\.isUndone) == [true, true, true, true, false])
        let gates = bench.log.taken().filter { $0.hasPrefix("gates") }
        #expect(
            gates == [
                "gates B muted", "gates B held+muted", "gates A", "gates A earmuffed", "gates A held+earmuffed",
                "gates A earmuffed", "gates A", "gates A held", "gates B muted", "gates B",
            ])
        #expect(bench.held(first) == true && bench.held(second) == false)
        #expect(bench.center.snapshot(of: second)?.muted == false)
    }

    @Test("A resume that held another call by the way gives that one its turn back") @DaemonActor
    func undoneResume() async throws {
        try Bench().expectResumeIsUndone()
    }

    @Test("What the remote party does not take back stays, and is reported as it is") @DaemonActor
    func notUndone() async throws {
        let bench = Bench()
        let first = bench.answered()
        let second = bench.incoming()
        bench.signalling.answerError = CallError(.invalidState, "cancelled just now")
        var result: Result<[ActionReport], CallError>?
        bench.center.transaction([.hold(first), .answer(second)], readAt: bench.clock.now) { result = $0 }
        bench.clock.run(.milliseconds(26))
        bench.signalling.outcome = .refused(status: 488, text: "Not Acceptable Here")
        bench.clock.run(.seconds(1))
        let reports = try #require(try result?.get())
        #expect(reports.map(\.failure) == [nil, .invalidState])
        #expect(reports.map(\.isUndone) == [false, false])
        #expect(bench.held(first) == true)
    }

    @Test("A call that was dialled is cancelled again while nobody has answered it") @DaemonActor
    func undoneStart() async throws {
        let bench = Bench()
        let held = bench.answered()
        bench.perform(.hold(held))
        bench.media.acknowledges = false
        var result: Result<[ActionReport], CallError>?
        bench.center.transaction(
            [.start(.alice, account: nil, id: nil), .mute(held)], readAt: bench.clock.now
        ) { result = $0 }
        bench.clock.run(.seconds(1))
        #expect(result == nil && bench.center.calls.count == 2)
        bench.clock.run(.seconds(2))
        let reports = try #require(try result?.get())
        #expect(reports.map(\.failure) == [.cancelled, .timedOut])
        #expect(reports[0].isUndone && bench.center.calls.map(\.id) == [held])
    }

    @Test("Where it has come to nothing by itself, the call that was held for it is active again") @DaemonActor
    func undoneVainStart() async throws {
        let bench = Bench()
        let first = bench.answered()
        let dialled = CallID()
        var result: Result<[ActionReport], CallError>?
        bench.center.transaction(
            [.start(.alice, account: nil, id: dialled), .mute(first)], readAt: bench.clock.now
        ) { result = $0 }
        bench.clock.run(.milliseconds(5))
        bench.media.acknowledges = false
        bench.clock.run(.milliseconds(100))
        bench.media.acknowledges = true
        #expect(bench.state(dialled) == .connecting && bench.held(first) == true && result == nil)
        bench.signalling.tell(.ended(dialled, .busy))
        bench.clock.run(.seconds(3))
        let reports = try #require(try result?.get())
        #expect(reports.map(\.failure) == [.cancelled, .timedOut])
        #expect(reports.map(\.isUndone) == [true, false])
        #expect(bench.held(first) == false && bench.center.calls.map(\.id) == [first])
    }

    @Test("What cannot follow what comes before it is seen beforehand, in every pair of actions") @DaemonActor
    func foresight() async throws {
        let impossible: [(CallID, CallID) -> [CallRequest]] = [
            { first, _ in [.hold(first), Self.press(first)] },
            { first, second in [.resume(second), Self.press(first)] },
            { first, _ in [.start(.alice, account: nil, id: nil), .resume(first)] },
            { first, _ in [.start(.alice, account: nil, id: first)] },
            { first, second in [.end(first), .end(second), .hold(second)] },
            { first, _ in [.answer(first)] }, { _, _ in [.resume(CallID())] },
        ]
        for requests in impossible {
            let bench = Bench()
            let second = bench.answered()
            let first = bench.answered()
            _ = bench.log.taken()
            let reports = try #require(try bench.transaction(requests(first, second))?.get())
            #expect(reports.allSatisfy { $0.failure != nil && !$0.isUndone }, "\(reports.map(\.request))")
            #expect(bench.log.taken() == [], "\(reports.map(\.request))")
        }
        let possible: [(CallID, CallID) -> [CallRequest]] = [
            { first, _ in [.hold(first), .resume(first), Self.press(first)] },
            { first, second in [.resume(second), Self.press(second), .end(second), .resume(first)] },
            { first, second in [.end(first), .resume(second), .mute(second)] },
        ]
        for requests in possible {
            let bench = Bench()
            let second = bench.answered()
            let first = bench.answered()
            let reports = try #require(try bench.transaction(requests(first, second))?.get())
            #expect(reports.allSatisfy { $0.failure == nil }, "\(reports)")
        }
    }

    private static func press(_ call: CallID) -> CallRequest {
        guard let digits = DigitString("1") else { preconditionFailure("1 is a digit") }
        return .dtmf(call, digits)
    }

    @Test("Ending the active call and answering is one request") @DaemonActor
    func endAndAnswer() async throws {
        let bench = Bench()
        let first = bench.answered()
        let second = bench.incoming()
        let answer = bench.perform(.endAndAnswer(second))
        #expect(answer.result?.call.state == .connected)
        #expect(bench.center.calls.map(\.id) == [second])
        #expect(!bench.log.lines.contains("gates A held"))
        _ = first
    }

    @Test("It ends a call that is being dialled, too, and leaves those that are held") @DaemonActor
    func endDialledAndAnswer() async throws {
        let bench = Bench()
        let held = bench.answered()
        _ = bench.dialled()
        let third = bench.incoming()
        #expect(bench.perform(.answer(third)).failure == .invalidState)
        #expect(bench.perform(.endAndAnswer(third)).result?.changed == true)
        #expect(bench.center.calls.map(\.id) == [held, third])
        #expect(bench.held(held) == true)
    }

    @Test("A call that cannot be answered ends no other") @DaemonActor
    func endAndAnswerInVain() async {
        let bench = Bench()
        let first = bench.answered()
        #expect(bench.perform(.endAndAnswer(CallID())).failure == .unknownCall)
        #expect(bench.perform(.endAndAnswer(first)).failure == .invalidState)
        #expect(bench.state(first) == .connected)
    }

    @Test("A request that waits for its turn longer than it may take has timed out") @DaemonActor
    func waitsTooLong() async {
        let bench = Bench()
        let first = bench.answered()
        let second = bench.answered()
        bench.signalling.outcome = nil
        // The peer does not answer: this one has the floor for 10 s.
        let slow = bench.ask(.resume(first))
        let waiting = bench.ask(.resume(second))
        bench.clock.run(.milliseconds(9_999))
        #expect(slow.results.isEmpty && waiting.results.isEmpty)
        bench.clock.run(.milliseconds(1))
        #expect(slow.failure == .timedOut && waiting.failure == .timedOut)
        #expect(waiting.results.count == 1)
    }
}
