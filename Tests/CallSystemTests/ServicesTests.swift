import CallModel
import CallSystem
import EventLoop
import Testing

@testable import CallFakes

@Suite("Call center, calls that are nobody's conversation", .timeLimit(.minutes(1))) struct ServicesTests {
    init() { EventLoop.shared.runInBackground() }

    @DaemonActor private func echo(_ bench: Bench) -> CallID {
        let call = CallID()
        _ = bench.log.name(call)
        var offered = IncomingCall(id: call, from: Handle(kind: .generic, value: "carol"))
        offered.service = .echo
        bench.signalling.tell(.incoming(offered))
        bench.clock.run(.milliseconds(100))
        return call
    }

    @Test("An echo is answered at once, rings nowhere, and neither holds a conversation nor is held for one")
    @DaemonActor func echo() async {
        let bench = Bench()
        let talk = bench.answered()
        let call = echo(bench)
        #expect(bench.state(call) == .connected && bench.center.snapshot(of: call)?.service == .echo)
        #expect(bench.held(talk) == false && bench.held(call) == false)
        #expect(bench.media.ring == nil && bench.media.tone == nil)
        let order = bench.log.lines.filter { $0.hasSuffix(" B") || $0.hasPrefix("service") }
        #expect(order.firstIndex(of: "service B echo") ?? .max < order.firstIndex(of: "activate B") ?? -1)
        // A second conversation holds the first, and not the echo.
        let other = bench.answered()
        #expect(bench.held(talk) == true && bench.held(other) == false && bench.held(call) == false)
        bench.perform(.end(call))
        #expect(bench.held(talk) == true && bench.held(other) == false)
    }

    @Test("It does not count: neither for maximum_calls nor for who is answered by itself; there are eight at most")
    @DaemonActor func count() async {
        let bench = Bench(CallPolicy(maximumCalls: 1, answerAfterMilliseconds: 0, answerBeep: false))
        let echoes = (0..<9).map { _ in echo(bench) }
        #expect(echoes.dropLast().allSatisfy { bench.state($0) == .connected })
        #expect(
            bench.state(echoes[8]) == nil && bench.log.lines.contains { $0.hasPrefix("reject") && $0.hasSuffix("busy") }
        )
        let call = bench.incoming()
        bench.clock.run(.milliseconds(100))
        #expect(bench.state(call) == .connected && bench.held(call) == false)
    }

    @Test("It is held and resumed for itself, is in no group, and does not resume what was held") @DaemonActor
    func alone() async {
        let bench = Bench(CallPolicy(autoResume: true))
        let talk = bench.answered()
        let call = echo(bench)
        #expect(bench.perform(.hold(call)).result?.changed == true && bench.held(talk) == false)
        #expect(bench.perform(.resume(call)).result?.changed == true && bench.held(talk) == false)
        #expect(bench.perform(.merge([talk, call])).failure == .notSupported)
        bench.perform(.hold(talk))
        bench.perform(.end(call))
        bench.clock.run(.seconds(1))
        #expect(bench.held(talk) == true)
    }

    @Test("Whoever has reached an echo gets no conversation by it, neither transferred nor replaced")
    @DaemonActor func nobodysMicrophone() async {
        let bench = Bench()
        let call = echo(bench)
        bench.signalling.tell(.transferRequested(call, to: .alice))
        bench.clock.run(.milliseconds(100))
        #expect(bench.log.lines.contains("refuseTransfer A"))
        let other = CallID()
        bench.signalling.tell(.incoming(IncomingCall(id: other, from: .alice, replaces: call)))
        bench.clock.run(.milliseconds(100))
        #expect(bench.state(other) == nil && bench.log.lines.contains { $0.hasPrefix("reject") })
        #expect(bench.center.snapshot(of: call)?.capabilities.transfer == false)
        #expect(bench.perform(.transfer(call, to: .handle(.alice))).failure == .notSupported)
        let talk = bench.answered()
        #expect(bench.perform(.transfer(talk, to: .call(call))).failure == .notSupported)
        #expect(Set(bench.center.calls.map(\.id)) == [call, talk] && bench.held(talk) == false)
    }

    @Test("A transaction may be about an echo and a conversation, and sees that they are apart") @DaemonActor
    func transaction() async {
        let bench = Bench(CallPolicy(maximumCalls: 2))
        let (talk, call) = (bench.answered(), echo(bench))
        let reports = try? bench.transaction([.hold(call), .resume(call), .start(.alice, account: nil, id: CallID())])?
            .get()
        #expect(reports?.map { (try? $0.result.get()) != nil } == [true, true, true])
        #expect(bench.held(talk) == true && bench.held(call) == false)
    }

    @Test("What is said of groups counts conversations only") @DaemonActor
    func capabilities() async {
        let bench = Bench()
        let call = echo(bench)
        let talk = bench.answered()
        func can(_ call: CallID) -> Bool? { bench.center.snapshot(of: call)?.capabilities.group }
        #expect(can(call) == false && can(talk) == false)
        let other = bench.answered()
        #expect(can(call) == false && can(talk) == true && can(other) == true)
    }

    @Test("Whom an echo is beside ends no echo, and is transferred as if there were none") @DaemonActor
    func beside() async {
        let bench = Bench(CallPolicy(maximumCalls: 1))
        let call = echo(bench)
        let talk = bench.answered()
        bench.signalling.tell(.transferRequested(talk, to: .alice))
        bench.clock.run(.milliseconds(100))
        #expect(bench.log.lines.contains("follow B as C"), "\(bench.log.lines)")
        let another = Bench()
        let second = echo(another)
        _ = another.answered()
        let third = another.incoming()
        #expect(another.perform(.endAndAnswer(third)).result?.changed == true)
        #expect(another.center.calls.map(\.id) == [second, third])
        #expect(bench.state(call) == .connected)
    }

    @Test("What a failed transaction has taken the turn from gets it back, not the echo") @DaemonActor
    func undone() async throws {
        let bench = Bench()
        let call = echo(bench)
        try bench.expectResumeIsUndone()
        #expect(bench.held(call) == false)
    }

    @DaemonActor private final class Outcome { var results: [Result<ActionResult, CallError>] = [] }

    @Test("A probe dials beside a conversation, without a tone, and its end is no failure that is heard") @DaemonActor
    func probe() async {
        let bench = Bench()
        let talk = bench.answered()
        let call = CallID()
        let outcome = Outcome()
        bench.center.start(.probe, .alice, account: nil, id: call, readAt: bench.clock.now) {
            outcome.results.append($0)
        }
        bench.clock.run(.milliseconds(50))
        #expect((try? outcome.results.first?.get())?.call.service == .probe && bench.held(talk) == false)
        #expect(bench.log.lines.contains("service B probe"))
        bench.signalling.tell(.ringing(call, earlyMedia: false))
        bench.clock.run(.milliseconds(10))
        #expect(bench.media.tone == nil)
        bench.signalling.tell(.ended(call, .busy))
        bench.clock.run(.milliseconds(10))
        #expect(bench.media.tone == nil && bench.state(call) == nil)
        bench.perform(.end(talk))
        #expect(bench.media.tone == nil)
        // With no conversation, too.
        let second = CallID()
        bench.center.start(.probe, .alice, account: nil, id: second, readAt: bench.clock.now) { _ in }
        bench.connect(second)
        #expect(bench.state(second) == .connected)
        let third = Outcome()
        bench.center.start(.probe, .alice, account: nil, id: second, readAt: bench.clock.now) {
            third.results.append($0)
        }
        bench.clock.run(.milliseconds(10))
        if case .failure(let error)? = third.results.first { #expect(error.reason == .callAlreadyExists) }
        #expect(third.results.count == 1)
    }
}
