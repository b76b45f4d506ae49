import CallModel
import CallSystem
import EventLoop
import Testing

@testable import CallFakes

@Suite("Gates of a call", .timeLimit(.minutes(1))) struct GateTableTests {
    init() { EventLoop.shared.runInBackground() }

    struct Row: Sendable, CustomTestStringConvertible {
        var held: Bool
        var muted: Bool
        var earmuffed: Bool
        var remoteHeld: Bool
        var testDescription: String { "held \(held), muted \(muted), earmuffed \(earmuffed), remoteHeld \(remoteHeld)" }
    }

    static let rows = (0..<16).map {
        Row(held: $0 & 1 != 0, muted: $0 & 2 != 0, earmuffed: $0 & 4 != 0, remoteHeld: $0 & 8 != 0)
    }

    @Test(
        "The loop is given the switches as they are, whoever holds, and a resume gives back what was set",
        arguments: rows)
    @DaemonActor
    func table(row: Row) async {
        // In whichever order the switches are set, the end is the same.
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let bench = Bench()
            let call = bench.answered()
            if row.remoteHeld { bench.signalling.tell(.remoteHold(call, true)) }
            bench.clock.run()
            for step in order {
                switch step {
                case 0: if row.held { bench.perform(.hold(call)) }
                case 1: if row.muted { bench.perform(.mute(call)) }
                default: if row.earmuffed { bench.perform(.earmuff(call)) }
                }
            }
            let gates = Gates(held: row.held, muted: row.muted, earmuffed: row.earmuffed)
            #expect(bench.media.gates[call] == gates)
            let snapshot = bench.center.snapshot(of: call)
            #expect(snapshot?.held == row.held && snapshot?.remoteHeld == row.remoteHeld)
            #expect(snapshot?.muted == row.muted && snapshot?.earmuffed == row.earmuffed)
            #expect(snapshot?.capabilities.dtmf == (!row.held && !row.remoteHeld))
            bench.perform(.resume(call))
            #expect(bench.media.gates[call] == Gates(muted: row.muted, earmuffed: row.earmuffed))
        }
    }
}

@Suite("The loop's clock", .timeLimit(.minutes(1))) struct LoopClockTests {
    init() { EventLoop.shared.runInBackground() }

    @Test("What is scheduled is called once, later; what is cancelled never is")
    func schedule() async {
        let order = await withCheckedContinuation { (done: CheckedContinuation<[String], Never>) in
            Task { @DaemonActor in
                let clock = LoopClock()
                var order: [String] = []
                let cancel = clock.schedule(after: .milliseconds(5)) { order.append("cancelled") }
                _ = clock.schedule(after: .milliseconds(30)) {
                    order.append("late")
                    done.resume(returning: order)
                }
                _ = clock.schedule(after: .zero) { order.append("soon") }
                cancel()
                order.append("now")
            }
        }
        #expect(order == ["now", "soon", "late"])
    }
}
