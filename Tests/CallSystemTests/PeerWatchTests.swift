import CallModel
import CallSystem
import EventLoop
import MediaDescription
import Testing

@testable import CallFakes

@Suite("Call center, peers that go without a word", .timeLimit(.minutes(1))) struct PeerWatchTests {
    init() { EventLoop.shared.runInBackground() }

    @DaemonActor private func bench(_ seconds: Int = 60) -> Bench {
        var policy = CallPolicy()
        policy.mediaTimeoutSeconds = seconds
        return Bench(policy)
    }

    @DaemonActor private func expectGone(_ bench: Bench) {
        #expect(bench.log.taken() == ["end A", "close A"])
        guard case .ended(let ended)? = bench.takenEventsWhole().last else {
            Issue.record("the call has not ended")
            return
        }
        #expect(ended.endReason == .failed(status: nil, text: "no media for 60 s"))
    }

    @Test("After 60 s without a packet the call is ended as failed, with a BYE") @DaemonActor
    func gone() async {
        let bench = bench()
        let call = bench.answered()
        bench.clock.run(.seconds(600))
        #expect(bench.state(call) == .connected)
        bench.media.silentSince = bench.clock.now
        bench.clock.run(.milliseconds(59_990))
        #expect(bench.state(call) == .connected)
        _ = bench.log.taken()
        _ = bench.takenEvents()
        bench.clock.run(.milliseconds(20))
        expectGone(bench)
    }

    @Test("A peer of whom nothing was ever heard has as long") @DaemonActor
    func never() async {
        let bench = bench(20)
        let call = bench.dialled()
        bench.media.silentSince = bench.clock.now
        bench.clock.run(.seconds(15))
        bench.connect(call)
        bench.clock.run(.milliseconds(19_980))
        #expect(bench.state(call) == .connected)
        bench.clock.run(.milliseconds(20))
        #expect(bench.state(call) == nil)
    }

    @Test("0: never; a reload takes effect on the calls there are") @DaemonActor
    func off() async {
        let bench = bench(0)
        let call = bench.answered()
        bench.media.silentSince = bench.clock.now
        bench.clock.run(.seconds(7_200))
        #expect(bench.state(call) == .connected)
        bench.center.policy.mediaTimeoutSeconds = 30
        bench.clock.run(.milliseconds(10))
        #expect(bench.state(call) == nil)
    }

    @Test(
        "Held, either way, a peer that sends nothing is not cut",
        arguments: [MediaDirection.sendonly, .recvonly, .inactive])
    @DaemonActor func held(direction: MediaDirection) async {
        let bench = bench()
        let call = bench.answered()
        bench.signalling.tell(.media(call, .plain.flowing(direction)))
        bench.clock.run()
        // What was on its way is no promise of more.
        bench.media.silentSince = bench.clock.now + .seconds(9)
        bench.clock.run(.seconds(3_600))
        #expect(bench.state(call) == .connected)
        // Once it is resumed, something has to come.
        bench.signalling.tell(.media(call, .plain))
        bench.clock.run(.seconds(59))
        #expect(bench.state(call) == .connected)
        bench.clock.run(.milliseconds(1_010))
        #expect(bench.state(call) == nil)
    }

    /// A call in which nothing need come, and of whose peer nothing comes any more.
    @DaemonActor private func silentlyHeld(_ bench: Bench, _ direction: MediaDirection = .recvonly) -> CallID {
        let call = bench.answered()
        bench.signalling.tell(.media(call, .plain.flowing(direction)))
        bench.clock.run()
        bench.media.silentSince = bench.clock.now
        _ = bench.log.taken()
        _ = bench.takenEvents()
        return call
    }

    @Test(
        "Held, either way, a silent peer is asked once in the time-out whether it is there",
        arguments: [MediaDirection.sendonly, .recvonly, .inactive])
    @DaemonActor func asked(direction: MediaDirection) async {
        let bench = bench()
        let call = silentlyHeld(bench, direction)
        bench.clock.run(.milliseconds(59_990))
        #expect(bench.log.taken() == [])
        bench.clock.run(.milliseconds(20))
        #expect(bench.log.taken() == ["enquire A"])
        bench.clock.run(.seconds(300))
        #expect(bench.log.taken() == Array(repeating: "enquire A", count: 5))
        #expect(bench.state(call) == .connected)
    }

    @Test("Held, one that does not answer has its call ended as any other that is gone") @DaemonActor
    func askedInVain() async {
        let bench = bench()
        let call = silentlyHeld(bench)
        bench.signalling.peersAreThere = false
        bench.clock.run(.milliseconds(91_990))
        #expect(bench.log.taken() == ["enquire A"])
        #expect(bench.state(call) == .connected)
        bench.clock.run(.milliseconds(20))
        expectGone(bench)
    }

    @Test("Held, one that is heard or resumed after the question needs no answer", arguments: [true, false])
    @DaemonActor func heardMeanwhile(isResumed: Bool) async {
        let bench = bench()
        let call = silentlyHeld(bench)
        bench.signalling.peersAreThere = false
        bench.clock.run(.seconds(70))
        #expect(bench.log.taken() == ["enquire A"])
        if isResumed {
            bench.signalling.tell(.media(call, .plain))
        } else {
            bench.media.silentSince = bench.clock.now
        }
        bench.clock.run(.seconds(59))
        #expect(bench.state(call) == .connected)
    }

    @Test("0: nobody is asked") @DaemonActor
    func askedNever() async {
        let bench = bench(0)
        let call = silentlyHeld(bench)
        bench.clock.run(.seconds(7_200))
        #expect(bench.log.taken() == [])
        #expect(bench.state(call) == .connected)
    }

    @Test("Held, one that has gone on with its reports is missed when they end") @DaemonActor
    func heldWithReports() async {
        let bench = bench()
        let call = bench.answered()
        bench.signalling.tell(.media(call, .plain.flowing(.inactive)))
        bench.clock.run(.seconds(100))
        bench.media.silentSince = bench.clock.now
        bench.clock.run(.seconds(59))
        #expect(bench.state(call) == .connected)
        bench.clock.run(.milliseconds(1_010))
        #expect(bench.state(call) == nil)
    }
}
