import EventLoop
import Testing

@Suite("Event loop", .timeLimit(.minutes(1))) struct EventLoopTests {
    init() { EventLoop.shared.runInBackground() }

    @Test("Timers fire in the order of their deadlines, cancelled ones never")
    func timers() async {
        let order = await withCheckedContinuation { (done: CheckedContinuation<[Int], Never>) in
            Task { @DaemonActor in
                var order: [Int] = []
                let cancelled = Timer(after: .milliseconds(10)) { order.append(0) }
                Timer(after: .milliseconds(60)) {
                    order.append(3)
                    done.resume(returning: order)
                }
                Timer(after: .milliseconds(40)) { order.append(2) }
                Timer(after: .milliseconds(20)) { order.append(1) }
                cancelled.cancel()
            }
        }
        #expect(order == [1, 2, 3])
    }
}
