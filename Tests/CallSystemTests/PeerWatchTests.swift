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
        #expect(bench.log.taken() == ["end A", "close A"])
        guard case .ended(let ended)? = bench.takenEventsWhole().last else {
            Issue.record("the call has not ended")
            return
        }
        #expect(ended.endReason == .failed(status: nil, text: "no media for 60 s"))
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
