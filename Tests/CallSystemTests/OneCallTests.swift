import CallModel
import CallSystem
import EventLoop
import MediaDescription
import Testing

@testable import CallFakes

@Suite("Call center, one call", .timeLimit(.minutes(1))) struct OneCallTests {
    init() { EventLoop.shared.runInBackground() }

    @Test("A call shows the account that it goes through, also where none was named") @DaemonActor
    func account() async {
        let bench = Bench()
        bench.signalling.firstAccount = "home"
        #expect(bench.perform(.start(.alice, account: nil, id: CallID())).result?.call.account == "home")
    }

    @Test("A call is dialled, rings, connects, and the remote party ends it") @DaemonActor
    func outgoing() async {
        let bench = Bench()
        let call = CallID()
        let start = bench.perform(.start(.alice, account: "office", id: call))
        #expect(start.result?.changed == true)
        #expect(start.result?.elapsedMs == 1)
        #expect(start.result?.call.state == .connecting)
        bench.signalling.tell(.ringing(call, earlyMedia: false))
        bench.clock.run()
        #expect(bench.media.tone == .ringBack)
        bench.connect(call)
        #expect(bench.media.tone == nil)
        bench.signalling.tell(.ended(call, .remoteEnded))
        bench.clock.run()
        #expect(bench.center.calls.isEmpty)
        #expect(
            bench.log.taken() == [
                "open A", "start A alice", "tone ringBack", "configure A", "activate A", "tone off", "close A",
            ])
        #expect(
            bench.takenEvents() == [
                "call.started A", "call.updated A state", "call.updated A codec,security",
                "call.updated A state,capabilities,connectedAt", "call.ended A remoteEnded",
            ])
        #expect(bench.perform(.end(call)).failure == .unknownCall)
    }

    @Test("Early media takes the place of the ring-back tone") @DaemonActor
    func earlyMedia() async {
        let bench = Bench()
        let call = bench.dialled()
        #expect(bench.media.tone == .ringBack)
        bench.signalling.tell(.media(call, .plain))
        bench.signalling.tell(.ringing(call, earlyMedia: true))
        bench.clock.run()
        #expect(bench.media.tone == nil)
        #expect(bench.log.lines.contains("activate A"))
    }

    @Test("An incoming call rings until it is answered, and the devices are open before the peer is told") @DaemonActor
    func incoming() async {
        let bench = Bench()
        let call = bench.incoming()
        #expect(bench.media.ring == .ring)
        let answer = bench.perform(.answer(call))
        #expect(answer.result?.call.state == .connected)
        #expect(answer.result?.elapsedMs == 12)
        #expect(answer.result?.appliedMs == nil)
        #expect(
            bench.log.taken() == ["ring ring", "open A", "activate A", "ring off", "answer A", "configure A"])
        let snapshot = bench.center.snapshot(of: call)
        #expect(snapshot?.codec == "PCMA" && snapshot?.security == "none" && snapshot?.displayName == "Bob")
        #expect(snapshot?.connectedAt != nil && snapshot?.account == "office")
    }

    @Test("Where no device opens, the answer fails and the call rings on") @DaemonActor
    func noDevice() async {
        let bench = Bench()
        bench.media.deviceError = CallError(.deviceUnavailable, "hw:0 is busy")
        let call = bench.incoming()
        #expect(bench.perform(.answer(call)).failure == .deviceUnavailable)
        #expect(bench.media.ring == .ring)
        bench.media.deviceError = nil
        #expect(bench.perform(.answer(call)).result?.changed == true)
    }

    @Test("Where no port is free, or the signalling refuses, the answer fails with the reason") @DaemonActor
    func refusedAnswer() async {
        let bench = Bench()
        let call = bench.incoming()
        bench.media.portError = CallError(.mediaFailed, "no port")
        #expect(bench.perform(.answer(call)).failure == .mediaFailed)
        bench.media.portError = nil
        bench.signalling.answerError = CallError(.invalidState, "cancelled just now")
        #expect(bench.perform(.answer(call)).failure == .invalidState)
        #expect(bench.state(call) == .incoming)
    }

    @Test("Where no port is free nobody is called, the start fails with the reason, and who was held for it is back")
    @DaemonActor
    func noPort() async {
        let bench = Bench()
        let call = bench.answered()
        bench.media.portError = CallError(.mediaFailed, "no port")
        _ = bench.log.taken()
        let start = bench.perform(.start(.alice, account: nil, id: CallID()))
        #expect(start.failure == .mediaFailed && start.results.count == 1)
        bench.clock.run(.milliseconds(100))
        #expect(bench.held(call) == false && bench.center.calls.count == 1)
        #expect(!bench.log.taken().contains { $0.hasPrefix("start") })
        bench.media.portError = nil
        #expect(bench.perform(.start(.alice, account: nil, id: CallID())).result?.changed == true)
    }

    @Test("Hold says how long the gates and the peer took") @DaemonActor
    func hold() async {
        let bench = Bench()
        let call = bench.answered()
        _ = bench.log.taken()
        let hold = bench.perform(.hold(call))
        #expect(hold.result?.appliedMs == 5 && hold.result?.elapsedMs == 25)
        #expect(hold.result?.peerNotified == true && hold.result?.call.held == true)
        #expect(bench.log.taken() == ["gates A held", "held A true", "offer A 1"])
        let again = bench.perform(.hold(call))
        #expect(again.result?.changed == false)
        #expect(bench.log.taken() == [])
        let resume = bench.perform(.resume(call))
        #expect(resume.result?.elapsedMs == 25 && resume.result?.appliedMs == 25)
        #expect(resume.result?.peerNotified == nil && resume.result?.call.held == false)
        #expect(bench.log.taken() == ["activate A", "held A false", "offer A 2", "gates A"])
    }

    @Test("A peer that does not answer the hold is held after 4 s without knowing it") @DaemonActor
    func silentPeer() async {
        let bench = Bench()
        let call = bench.answered()
        bench.signalling.outcome = nil
        let hold = bench.perform(.hold(call))
        #expect(hold.results.isEmpty)
        #expect(bench.held(call) == true)
        bench.clock.run(.seconds(4))
        #expect(hold.result?.peerNotified == false && hold.result?.elapsedMs == 4_000)
        let resume = bench.perform(.resume(call))
        bench.clock.run(.seconds(10))
        #expect(resume.failure == .timedOut)
        #expect(bench.held(call) == true)
    }

    @Test("The end of a call in mid-hold ends both requests, once each") @DaemonActor
    func endDuringHold() async {
        let bench = Bench()
        let call = bench.answered()
        bench.signalling.outcome = nil
        let hold = bench.perform(.hold(call))
        let end = bench.perform(.end(call))
        bench.clock.run(.seconds(20))
        #expect(hold.results.count == 1 && hold.failure == .cancelled)
        #expect(end.results.count == 1 && end.result?.call.state == .ended)
        #expect(end.result?.call.endReason == .localEnded && end.result?.call.endedAt != nil)
    }

    @Test("A mute before there is a stream holds from its first packet") @DaemonActor
    func earlyMute() async {
        let bench = Bench()
        let call = bench.incoming()
        let mute = bench.perform(.mute(call))
        #expect(mute.result?.changed == true && mute.result?.call.muted == true)
        bench.perform(.answer(call))
        #expect(bench.media.gates[call] == Gates(muted: true))
        let lines = bench.log.lines
        #expect((lines.firstIndex(of: "gates A muted") ?? 99) < (lines.firstIndex(of: "activate A") ?? 0))
        #expect(bench.perform(.earmuff(call)).result?.appliedMs == 5)
        #expect(bench.media.gates[call] == Gates(muted: true, earmuffed: true))
        #expect(bench.perform(.unmute(call)).result?.changed == true)
        #expect(bench.media.gates[call] == Gates(earmuffed: true))
        #expect(bench.perform(.unearmuff(call)).result?.call.earmuffed == false)
    }

    @Test("Digits go out and come in") @DaemonActor
    func digits() async throws {
        let bench = Bench()
        let call = bench.answered()
        let digits = try #require(DigitString("12;3"))
        let dtmf = bench.ask(.dtmf(call, digits))
        bench.clock.run(.milliseconds(199))
        #expect(dtmf.results.isEmpty)
        bench.clock.run(.milliseconds(1))
        #expect(dtmf.result?.changed == true)
        bench.perform(.dtmf(call, try #require(DigitString(""))))
        #expect(bench.log.lines.suffix(2) == ["digits A 12", "digits A 3"])
        _ = bench.takenEvents()
        bench.center.handle(MediaEvent.digit(call, "5", milliseconds: 120))
        bench.center.handle(SignallingEvent.digit(call, "#", milliseconds: 80))
        bench.center.handle(MediaEvent.digit(CallID(), "5", milliseconds: 120))
        bench.clock.run()
        #expect(bench.takenEvents() == ["call.dtmf A 5 120", "call.dtmf A # 80"])
    }

    @Test("A peer that goes over to another codec is followed, and the call says so") @DaemonActor
    func codec() async {
        let bench = Bench()
        let call = bench.answered()
        _ = bench.takenEvents()
        var parameters = StreamParameters.plain
        parameters.codec = .g722
        bench.center.handle(MediaEvent.codecChanged(call, parameters))
        bench.clock.run()
        #expect(bench.log.lines.last == "configure A")
        #expect(bench.takenEvents() == ["call.updated A codec"])
        #expect(bench.center.snapshot(of: call)?.codec == "G722")
    }

    @Test("A caller whom nobody answers is unanswered, and so is a callee") @DaemonActor
    func ringTimeout() async {
        let bench = Bench(CallPolicy(ringTimeoutSeconds: 30))
        let incoming = bench.incoming()
        bench.clock.run(.seconds(29))
        #expect(bench.state(incoming) == .incoming)
        bench.clock.run(.seconds(2))
        #expect(bench.takenEvents().last == "call.ended A unanswered")
        #expect(bench.media.ring == nil)
        _ = bench.dialled()
        bench.clock.run(.seconds(31))
        #expect(bench.takenEvents().last == "call.ended B unanswered")
        #expect(bench.media.tone == nil)
    }

    @Test("A call is answered by itself after the time that was set, if it is alone") @DaemonActor
    func autoAnswer() async {
        let bench = Bench(CallPolicy(answerAfterMilliseconds: 500, answerBeep: false))
        let call = bench.incoming()
        bench.clock.run(.milliseconds(499))
        #expect(bench.state(call) == .incoming)
        bench.clock.run(.milliseconds(50))
        #expect(bench.state(call) == .connected)
        let second = bench.incoming()
        bench.clock.run(.seconds(5))
        #expect(bench.state(second) == .incoming && bench.held(call) == false)
        bench.perform(.end(call))
        bench.perform(.end(second))
        bench.center.policy.answerAfterMilliseconds = -1
        let third = bench.incoming()
        bench.clock.run(.seconds(5))
        #expect(bench.state(third) == .incoming)
        let never = Bench()
        let ringing = never.incoming()
        never.clock.run(.seconds(50))
        #expect(never.state(ringing) == .incoming)
    }

    @Test(
        "A call that fails is heard to fail, for 4 s",
        arguments: [
            (EndReason.busy, CallTone.busy), (.declined, .busy), (.failed(status: 503, text: "no"), .congestion),
        ]) @DaemonActor
    func failureTone(reason: EndReason, tone: CallTone) async {
        let bench = Bench()
        let call = bench.dialled()
        bench.signalling.tell(.ended(call, reason))
        bench.clock.run()
        #expect(bench.media.tone == tone)
        bench.clock.run(.milliseconds(3_999))
        #expect(bench.media.tone == tone)
        bench.clock.run(.milliseconds(1))
        #expect(bench.media.tone == nil)
    }

    @Test("A new call stops the tone of a failed one") @DaemonActor
    func failureToneGivesWay() async {
        let bench = Bench()
        bench.signalling.tell(.ended(bench.dialled(), .busy))
        bench.clock.run()
        _ = bench.incoming()
        #expect(bench.media.tone == nil && bench.media.ring == .ring)
        bench.clock.run(.seconds(5))
        #expect(bench.media.ring == .ring)
    }

    @Test("A start that is refused leaves nothing behind") @DaemonActor
    func startRefused() async {
        let bench = Bench()
        bench.signalling.startError = CallError(.unknownAccount, "no such account")
        let start = bench.perform(.start(.alice, account: "nobody", id: nil))
        #expect(start.failure == .unknownAccount)
        #expect(bench.center.calls.isEmpty && bench.takenEvents().isEmpty)
        bench.signalling.startError = nil
        bench.media.portError = CallError(.mediaFailed, "no port")
        #expect(bench.perform(.start(.alice, account: nil, id: nil)).failure == .mediaFailed)
        #expect(bench.center.calls.isEmpty)
    }

    @Test("Accounts and devices are told of when they change") @DaemonActor
    func otherEvents() async {
        let bench = Bench()
        let registered = AccountStatus(name: "office", state: .registered, reachable: true, expiresIn: 300)
        for status in [AccountStatus(name: "office", state: .registering, reachable: false), registered, registered] {
            bench.center.handle(.account(status))
        }
        bench.center.handle(.account(AccountStatus(name: "office", state: .failed, reachable: false, lastError: "403")))
        bench.center.handle(.audioActivated)
        bench.center.handle(.audioInterrupted(message: "hw:1 is gone"))
        bench.center.handle(.audioResumed)
        bench.center.handle(.audioDeactivated)
        bench.center.handle(.stranger(address: "198.51.100.9", count: 1))
        bench.clock.run()
        #expect(
            bench.takenEvents() == [
                "account.registered office", "account.failed office", "audio.activated",
                "audio.interrupted hw:1 is gone", "audio.resumed", "audio.deactivated",
                "daemon.requestDropped 198.51.100.9 1",
            ])
    }

    @Test("Shutting down ends the calls, then the signalling, then the sound") @DaemonActor
    func shutDown() async {
        let bench = Bench()
        let call = bench.answered()
        bench.signalling.outcome = nil
        let hold = bench.ask(.hold(call))
        var isDone = false
        bench.center.shutDown { isDone = true }
        bench.clock.run(.milliseconds(10))
        #expect(hold.failure == .cancelled)
        #expect(bench.takenEvents().last == "call.ended A localEnded")
        #expect(bench.perform(.start(.alice, account: nil, id: nil)).failure == .cancelled)
        bench.clock.run(.seconds(2))
        #expect(isDone)
        #expect(bench.log.lines.last == "media stops")
    }
}
