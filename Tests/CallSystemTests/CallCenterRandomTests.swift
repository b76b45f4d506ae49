import CallModel
import CallSystem
import EventLoop
import Testing

@testable import CallFakes

@Suite("Call center, long random lives", .timeLimit(.minutes(2))) struct CallCenterRandomTests {
    init() { EventLoop.shared.runInBackground() }

    @Test(
        "At most one call or group is active, a held one is silent, and every request ends exactly once",
        arguments: 1...4)
    @DaemonActor
    func lives(seed: UInt64) async {
        var random = SeededGenerator(state: seed)
        let bench = Bench(
            CallPolicy(
                ringTimeoutSeconds: 20, autoResume: seed.isMultiple(of: 2), groupHold: seed > 2 ? .keep : .silence))
        var outcomes: [Bench.Outcome] = []
        for step in 0..<10_000 {
            bench.signalling.outcome =
                [.accepted, .accepted, .accepted, .refused(status: 488, text: "No"), nil].randomElement(using: &random)
                ?? nil
            bench.media.deviceError =
                Int.random(in: 0..<10, using: &random) == 0 ? CallError(.deviceUnavailable, "none") : nil
            bench.media.acknowledges = Int.random(in: 0..<50, using: &random) > 0
            if let outcome = act(bench, &random) { outcomes.append(outcome) }
            bench.clock.run(.milliseconds(Int.random(in: 0...60, using: &random)))
            if step.isMultiple(of: 500) { bench.clock.run(.seconds(Int.random(in: 0...30, using: &random))) }
            check(bench)
        }
        bench.media.acknowledges = true
        for call in bench.center.calls { outcomes.append(bench.ask(.end(call.id))) }
        bench.clock.run(.seconds(120))
        #expect(bench.center.calls.isEmpty)
        #expect(outcomes.allSatisfy { $0.results.count == 1 })
        #expect(bench.media.ring == nil && bench.media.tone == nil)
        #expect(bench.media.gates.isEmpty)
    }

    @DaemonActor private func act(_ bench: Bench, _ random: inout SeededGenerator) -> Bench.Outcome? {
        let call = bench.center.calls.randomElement(using: &random)?.id ?? CallID()
        switch Int.random(in: 0..<28, using: &random) {
        case 0, 1:
            bench.signalling.tell(.incoming(IncomingCall(id: CallID(), from: .alice)))
            return nil
        case 2: return bench.ask(.start(.alice, account: nil, id: nil))
        case 3, 4, 5: return bench.ask(.answer(call))
        case 6: return bench.ask(.reject(call, .busy))
        case 7: return bench.ask(.end(call))
        case 8, 9, 10: return bench.ask(.hold(call))
        case 11, 12, 13: return bench.ask(.resume(call))
        case 14: return bench.ask(.mute(call))
        case 15: return bench.ask(.unmute(call))
        case 16: return bench.ask(.earmuff(call))
        case 17: return DigitString("1,2;3").map { bench.ask(.dtmf(call, $0)) }
        case 18: bench.signalling.tell(.remoteHold(call, Bool.random(using: &random)))
        case 19: bench.signalling.tell(.ringing(call, earlyMedia: Bool.random(using: &random)))
        case 20, 21:
            if bench.state(call) != .incoming { bench.connect(call) }
        case 22: if Int.random(in: 0..<4, using: &random) == 0 { bench.signalling.tell(.ended(call, .remoteEnded)) }
        case 23, 24, 25:
            let calls = bench.center.calls.map { $0.id }.shuffled(using: &random)
            return bench.ask(.merge(Array(calls.prefix(Int.random(in: 1...3, using: &random)))))
        case 26: return bench.ask(.split(call))
        default: bench.clock.run(.seconds(Int.random(in: 0...3, using: &random)))
        }
        return nil
    }

    /// One expectation a step: 40,000 of them are slow enough.
    @DaemonActor private func check(_ bench: Bench) {
        let calls = bench.center.calls
        var wrongs: [String] = []
        // A call that is being ended is closed to media already.
        let audible = calls.filter { call in
            guard call.state == .connected, let gates = bench.media.gates[call.id] else { return false }
            return !gates.held && !(gates.muted && gates.earmuffed)
        }
        if Set(audible.map { $0.group?.uuid ?? $0.id.uuid }).count > 1 { wrongs.append("\(audible.count) are active") }
        if calls.count > 4 { wrongs.append("there are \(calls.count) calls") }
        for call in calls {
            if call.group != nil, calls.count(where: { $0.group == call.group }) < 2 { wrongs.append("a group of one") }
            guard let gates = bench.media.gates[call.id] else { continue }
            if bench.media.groups[call.id] != call.group { wrongs.append("the mix is not as the groups are") }
            let isAside = gates.muted && gates.earmuffed
            if call.held, !gates.held, !isAside || call.group == nil { wrongs.append("a held call's gates are open") }
            if gates.muted != call.muted, !isAside { wrongs.append("the gates are not as the call is muted") }
        }
        #expect(wrongs.isEmpty, "\(wrongs) \(bench.log.lines.suffix(40))")
        if bench.log.lines.count > 200 { bench.log.lines.removeFirst(100) }
    }
}
