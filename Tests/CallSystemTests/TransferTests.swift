import CallModel
import CallSystem
import EventLoop
import Testing

@testable import CallFakes

@Suite("Call center, transfers", .timeLimit(.minutes(1))) struct TransferTests {
    init() { EventLoop.shared.runInBackground() }

    // MARK: We transfer

    @Test("A blind transfer: held, asked, and given up when the target has answered") @DaemonActor
    func blind() async {
        let bench = Bench()
        let call = bench.answered()
        bench.signalling.transferOutcome = .answered
        _ = bench.log.taken()
        let transfer = bench.ask(.transfer(call, to: .handle(.alice)))
        bench.clock.run(.milliseconds(60))
        #expect(transfer.results.isEmpty && bench.held(call) == true)
        bench.signalling.tell(.transferProgress(call, status: 180))
        bench.clock.run(.milliseconds(100))
        #expect(transfer.result?.changed == true)
        #expect(
            bench.log.taken() == ["gates A held", "held A true", "offer A 1", "transfer A alice", "end A", "close A"])
        #expect(bench.center.calls.isEmpty)
        let events = bench.takenEvents()
        #expect(events.contains("call.transferProgress A 180"))
        #expect(events.last == "call.ended A transferred")
    }

    @Test("A transfer that fails leaves the call held, with the reason") @DaemonActor
    func failed() async {
        let bench = Bench()
        let call = bench.answered()
        bench.signalling.transferOutcome = .failed(CallError(.busy, "busy", sipStatus: 486))
        let transfer = bench.perform(.transfer(call, to: .handle(.alice)))
        #expect(transfer.failure == .busy)
        #expect(bench.held(call) == true && bench.state(call) == .connected)
        #expect(bench.perform(.resume(call)).result?.changed == true)
    }

    @Test("A peer that never tells: timedOut after 60 s") @DaemonActor
    func silent() async {
        let bench = Bench()
        let call = bench.answered()
        let transfer = bench.perform(.transfer(call, to: .handle(.alice)))
        bench.clock.run(.seconds(59))
        #expect(transfer.results.isEmpty)
        bench.clock.run(.seconds(1))
        #expect(transfer.failure == .timedOut && bench.held(call) == true)
    }

    @Test("An attended transfer gives up both calls, whether the target ends its own or not", arguments: [true, false])
    @DaemonActor func attended(targetHangsUp: Bool) async {
        let bench = Bench()
        let first = bench.answered()
        let second = bench.dialled()
        bench.connect(second)
        bench.signalling.transferOutcome = .answered
        let transfer = bench.ask(.transfer(first, to: .call(second)))
        bench.clock.run(.milliseconds(20))
        if targetHangsUp { bench.signalling.tell(.ended(second, .remoteEnded)) }
        bench.clock.run(.milliseconds(100))
        #expect(transfer.result?.changed == true)
        #expect(bench.log.lines.contains("transfer A to B"))
        #expect(bench.center.calls.isEmpty)
        #expect(bench.media.gates.isEmpty)
    }

    @Test("A call that was resumed meanwhile is not ended by what is told late") @DaemonActor
    func resumedMeanwhile() async {
        let bench = Bench()
        let call = bench.answered()
        let transfer = bench.perform(.transfer(call, to: .handle(.alice)))
        #expect(bench.perform(.resume(call)).result?.changed == true)
        #expect(transfer.failure == .superseded)
        // One at a time: the remote party is at the first one still.
        let other = bench.incoming()
        bench.perform(.answer(other))
        #expect(bench.perform(.transfer(call, to: .call(other))).failure == .invalidState)
        #expect(bench.perform(.transfer(other, to: .call(call))).failure == .invalidState)
        #expect(bench.held(other) == false)
        bench.signalling.tell(.transferSettled(call, attempt: 1, .answered))
        bench.clock.run(.milliseconds(100))
        #expect(bench.state(call) == .connected)
        bench.signalling.transferOutcome = .answered
        #expect(bench.perform(.transfer(call, to: .call(other))).result?.changed == true)
        #expect(bench.center.calls.isEmpty)
    }

    @Test("To a call that is not there, not connected, or the same one") @DaemonActor
    func impossible() async {
        let bench = Bench()
        let call = bench.answered()
        #expect(bench.perform(.transfer(call, to: .call(CallID()))).failure == .unknownCall)
        let ringing = bench.incoming()
        #expect(bench.perform(.transfer(call, to: .call(ringing))).failure == .invalidState)
        #expect(bench.perform(.transfer(call, to: .call(call))).failure == .invalidState)
        bench.signalling.tell(.transferAllowed(call, false))
        bench.clock.run()
        #expect(bench.perform(.transfer(call, to: .handle(.alice))).failure == .notSupported)
        #expect(bench.held(call) == false)
        #expect(bench.center.snapshot(of: call)?.capabilities.transfer == false)
    }

    // MARK: We are transferred

    @Test("A REFER is followed by a call that is muted as the old one was; the referrer's BYE ends the old one")
    @DaemonActor
    func followed() async throws {
        let bench = Bench()
        let call = bench.answered()
        bench.perform(.mute(call))
        _ = bench.log.taken()
        bench.signalling.tell(.transferRequested(call, to: .alice))
        bench.clock.run(.milliseconds(100))
        #expect(
            bench.log.taken() == [
                "gates A held+muted", "held A true", "offer A 1", "open B", "follow A as B", "gates B muted",
            ])
        let new = try #require(bench.center.calls.last)
        #expect(new.direction == .outgoing && new.handle == .alice && new.account == "office" && new.muted)
        bench.connect(new.id)
        bench.signalling.tell(.ended(call, .remoteEnded))
        bench.clock.run(.milliseconds(100))
        #expect(bench.center.calls.map(\.id) == [new.id])
        #expect(bench.held(new.id) == false)
        #expect(bench.media.gates[new.id]?.muted == true)
    }

    @Test("Where the new call comes to nothing, the old one is active again") @DaemonActor
    func cameToNothing() async throws {
        let bench = Bench()
        let call = bench.answered()
        bench.signalling.tell(.transferRequested(call, to: .alice))
        bench.clock.run(.milliseconds(100))
        #expect(bench.held(call) == true)
        bench.signalling.tell(.ended(try #require(bench.center.calls.last).id, .busy))
        bench.clock.run(.milliseconds(100))
        #expect(bench.held(call) == false)
    }

    @Test("Where it cannot even be begun, the peer is refused and the old call is active again") @DaemonActor
    func notBegun() async {
        let bench = Bench()
        let call = bench.answered()
        bench.signalling.followError = CallError(.notRegistered, "not registered")
        bench.signalling.tell(.transferRequested(call, to: .alice))
        bench.clock.run(.milliseconds(200))
        #expect(bench.log.lines.contains("refuseTransfer A"))
        #expect(bench.held(call) == false)
    }

    @Test("allow_transfer = false refuses, and so does a call beside a conversation with somebody else") @DaemonActor
    func refused() async {
        let strict = Bench(CallPolicy(allowTransfer: false))
        let call = strict.answered()
        strict.signalling.tell(.transferRequested(call, to: .alice))
        strict.clock.run(.milliseconds(100))
        #expect(strict.log.lines.last == "refuseTransfer A" && strict.held(call) == false)
        let bench = Bench()
        let first = bench.answered()
        let second = bench.incoming()
        bench.signalling.tell(.transferRequested(second, to: .alice))
        bench.perform(.answer(second))
        bench.signalling.tell(.transferRequested(first, to: .alice))
        bench.signalling.tell(.transferRequested(CallID(), to: .alice))
        bench.clock.run(.milliseconds(100))
        #expect(bench.log.lines.count { $0.hasPrefix("refuseTransfer") } == 3)
        #expect(bench.held(second) == false && bench.center.calls.count == 2)
    }

    @Test("With maximum_calls = 1 a call can be transferred, too") @DaemonActor
    func onlyCall() async {
        let bench = Bench(CallPolicy(maximumCalls: 1))
        let call = bench.answered()
        bench.signalling.tell(.transferRequested(call, to: .alice))
        bench.clock.run(.milliseconds(100))
        #expect(bench.log.lines.contains("follow A as B"))
        // But one more comes in nowhere.
        _ = bench.incoming()
        #expect(bench.log.lines.last == "reject C busy")
    }

    /// A call whose remote party holds us and has asked us to call Alice, which we do.
    @DaemonActor private static func dialling() throws -> (Bench, call: CallID, new: CallID) {
        let bench = Bench()
        let call = bench.answered()
        bench.signalling.tell(.remoteHold(call, true))
        bench.signalling.tell(.transferRequested(call, to: .alice))
        bench.clock.run(.milliseconds(100))
        let new = try #require(bench.center.calls.last).id
        return (bench, call, new)
    }

    @Test("A remote party that resumes the call while nobody has answered is talked to again") @DaemonActor
    func takenBack() async throws {
        let (bench, call, new) = try Self.dialling()
        bench.signalling.tell(.ringing(new, earlyMedia: false))
        bench.clock.run(.milliseconds(100))
        #expect(bench.held(call) == true && bench.state(new) == .ringing)
        // It holds us still: nothing but what was so before.
        bench.signalling.tell(.remoteHold(call, true))
        bench.clock.run(.milliseconds(100))
        #expect(bench.state(new) == .ringing)
        bench.signalling.tell(.remoteHold(call, false))
        bench.clock.run(.milliseconds(200))
        #expect(bench.center.calls.map(\.id) == [call] && bench.held(call) == false)
        #expect(bench.log.lines.contains("end B"))
    }

    @Test("Nor is anybody dialled for whom the call was resumed before it could be held for that") @DaemonActor
    func takenBackAtOnce() async {
        let bench = Bench()
        let call = bench.answered()
        bench.signalling.tell(.remoteHold(call, true))
        bench.signalling.tell(.transferRequested(call, to: .alice))
        bench.signalling.tell(.remoteHold(call, false))
        bench.clock.run(.milliseconds(200))
        #expect(bench.log.lines.contains("refuseTransfer A"))
        #expect(bench.center.calls.map(\.id) == [call] && bench.held(call) == false)
    }

    @Test("Once the target has answered, a resume by the old remote party ends nothing") @DaemonActor
    func takenBackTooLate() async throws {
        let (bench, call, new) = try Self.dialling()
        bench.connect(new)
        bench.signalling.tell(.remoteHold(call, false))
        bench.clock.run(.milliseconds(200))
        #expect(bench.held(new) == false && bench.held(call) == true)
    }

    @Test("A call in the place of one whose transfer is under way ends the dialling, and is not held") @DaemonActor
    func replacedMeanwhile() async throws {
        let bench = Bench()
        let call = bench.answered()
        bench.signalling.tell(.transferRequested(call, to: .alice))
        bench.clock.run(.milliseconds(100))
        let dialled = try #require(bench.center.calls.last).id
        bench.signalling.tell(.ringing(dialled, earlyMedia: false))
        bench.clock.run(.milliseconds(10))
        #expect(bench.held(call) == true)
        let new = bench.incoming("carol", replacing: call)
        bench.clock.run(.milliseconds(200))
        #expect(bench.center.calls.map(\.id) == [new])
        #expect(bench.state(new) == .connected && bench.held(new) == false && bench.media.gates[new]?.held == false)
    }

    // MARK: Replaced

    @Test("An INVITE with Replaces is answered without ringing, and the old call ends before two are active")
    @DaemonActor
    func replaced() async {
        let bench = Bench()
        let call = bench.answered()
        _ = bench.log.taken()
        _ = bench.takenEvents()
        let new = bench.incoming("carol", replacing: call)
        bench.clock.run(.milliseconds(100))
        #expect(bench.log.taken() == ["open B", "activate B", "answer B", "configure B", "end A", "close A"])
        #expect(bench.center.calls.map(\.id) == [new])
        #expect(bench.state(new) == .connected && bench.held(new) == false)
        let events = bench.takenEvents()
        #expect(events.first == "call.incoming B")
        #expect(events.contains("call.ended A transferred"))
    }

    @Test("It is muted, and held, as the old call was") @DaemonActor
    func switches() async {
        let bench = Bench()
        let call = bench.answered()
        bench.perform(.mute(call))
        bench.perform(.hold(call))
        let new = bench.incoming("carol", replacing: call)
        bench.clock.run(.milliseconds(100))
        let snapshot = bench.center.snapshot(of: new)
        #expect(snapshot?.muted == true && snapshot?.held == true && snapshot?.state == .connected)
        #expect(bench.media.gates[new]?.held == true)
        #expect(bench.log.lines.contains("held B true"))
        #expect(bench.perform(.resume(new)).result?.changed == true)
        #expect(bench.media.gates[new]?.held == false && bench.media.gates[new]?.muted == true)
    }

    @Test("A call that is still dialled can be replaced") @DaemonActor
    func dialled() async {
        let bench = Bench()
        let call = bench.dialled()
        let new = bench.incoming("carol", replacing: call)
        bench.clock.run(.milliseconds(100))
        #expect(bench.center.calls.map(\.id) == [new] && bench.state(new) == .connected)
        #expect(bench.media.tone == nil)
    }

    @Test("Where it cannot be answered, it is refused and the old call goes on") @DaemonActor
    func notAnswered() async {
        let bench = Bench()
        let call = bench.answered()
        bench.media.deviceError = CallError(.deviceUnavailable, "no device")
        let new = bench.incoming("carol", replacing: call)
        bench.clock.run(.milliseconds(100))
        #expect(bench.center.calls.map(\.id) == [call] && bench.state(new) == nil)
        #expect(bench.state(call) == .connected && bench.media.ring == nil)
    }

    @Test("Who hangs up meanwhile hangs up") @DaemonActor
    func hungUp() async {
        let bench = Bench()
        let call = bench.answered()
        let new = bench.incoming("carol", replacing: call)
        bench.perform(.end(call))
        bench.clock.run(.milliseconds(200))
        #expect(bench.state(call) == nil)
        // Connected before the end was asked for, or refused because of it; never left ringing.
        #expect(bench.state(new) != .incoming)
    }

    @Test(
        "The old call's BYE overtakes the ACK of the new one: it has been handed over all the same",
        arguments: [0, 1, 2, 3, 5, 8, 12, 20]) @DaemonActor
    func byeBeforeAck(milliseconds: Int) async {
        let bench = Bench()
        let call = bench.answered()
        bench.perform(.mute(call))
        _ = bench.takenEvents()
        let new = bench.incoming("carol", replacing: call)
        bench.signalling.tell(.ended(call, .remoteEnded), after: .milliseconds(milliseconds))
        bench.clock.run(.milliseconds(200))
        #expect(bench.takenEvents().filter { $0.hasPrefix("call.ended") } == ["call.ended A transferred"])
        #expect(bench.center.calls.map(\.id) == [new])
        #expect(bench.state(new) == .connected && bench.center.snapshot(of: new)?.muted == true)
    }

    @Test("The old call's BYE, and nothing to answer the new one with: both are over") @DaemonActor
    func byeAndNoDevice() async {
        let bench = Bench()
        let call = bench.answered()
        bench.media.deviceError = CallError(.deviceUnavailable, "no device")
        bench.offer(CallID(), from: "carol", replacing: call)
        bench.signalling.tell(.ended(call, .remoteEnded))
        bench.clock.run(.milliseconds(200))
        #expect(bench.center.calls.isEmpty && bench.media.ring == nil)
    }

    @Test("The place in a conference is kept, whichever of BYE and ACK comes first", arguments: [2, 20]) @DaemonActor
    func placeInGroup(milliseconds: Int) async {
        let bench = Bench()
        let first = bench.answered()
        let second = bench.answered()
        bench.perform(.merge([first, second]))
        let new = bench.incoming("carol", replacing: second)
        bench.signalling.tell(.ended(second, .remoteEnded), after: .milliseconds(milliseconds))
        bench.clock.run(.milliseconds(200))
        #expect(Set(bench.center.calls.map(\.id)) == [first, new])
        let groups = bench.center.calls.map(\.group)
        #expect(groups[0] != nil && groups[0] == groups[1])
        #expect(bench.held(first) == false && bench.held(new) == false)
    }

    @Test("One that names no call of ours, or one that only rings here, is refused") @DaemonActor
    func nothingToReplace() async {
        let bench = Bench()
        _ = bench.incoming("carol", replacing: CallID())
        #expect(bench.log.lines == ["reject A declined"])
        let ringing = bench.incoming()
        _ = bench.incoming("carol", replacing: ringing)
        #expect(bench.log.lines.last == "reject C declined")
        #expect(bench.state(ringing) == .incoming)
    }
}
