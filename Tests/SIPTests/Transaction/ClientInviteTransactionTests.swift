import SIP
import Testing

@Suite("INVITE client transaction") struct ClientInviteTransactionTests {
    typealias Event = ClientInviteTransaction.Event
    typealias State = ClientInviteTransaction.State

    static func harness(reliable: Bool) -> TransactionHarness<ClientInviteTransaction> {
        var harness = TransactionHarness(ClientInviteTransaction(request: Sample.invite, isReliable: reliable))
        harness.handle { $0.handle(.start, at: $1) }
        return harness
    }

    @Test("Unanswered over UDP it is repeated at doubling intervals, and given up after 64 * T1")
    func unanswered() {
        var harness = Self.harness(reliable: false)
        harness.run(until: 100_000)
        #expect(
            harness.log == [
                "0 send INVITE", "500 send INVITE", "1500 send INVITE", "3500 send INVITE", "7500 send INVITE",
                "15500 send INVITE", "31500 send INVITE", "32000 timedOut", "32000 terminated",
            ])
    }

    @Test("Unanswered over TCP it is sent once, and given up after 64 * T1")
    func unansweredReliable() {
        var harness = Self.harness(reliable: true)
        harness.run(until: 100_000)
        #expect(harness.log == ["0 send INVITE", "32000 timedOut", "32000 terminated"])
    }

    @Test("A provisional answer ends repetition and time-out", arguments: [true, false])
    func provisional(reliable: Bool) {
        var harness = Self.harness(reliable: reliable)
        harness.run(until: 200)
        harness.handle { $0.handle(.response(Sample.answer(180)), at: $1) }
        harness.run(until: 3_600_000)
        #expect(harness.log == ["0 send INVITE", "200 deliver 180"])
        #expect(harness.transaction.state == .proceeding)
    }

    @Test("A refusal is acknowledged each time it comes, for 32 s over UDP")
    func refusal() {
        var harness = Self.harness(reliable: false)
        for time in [100, 600, 1600] {
            harness.run(until: time)
            harness.handle { $0.handle(.response(Sample.answer(486)), at: $1) }
        }
        harness.run(until: 100_000)
        #expect(
            harness.log == [
                "0 send INVITE", "100 send ACK", "100 deliver 486", "600 send ACK", "1600 send ACK", "32100 terminated",
            ])
    }

    @Test("A refusal over TCP ends it at once")
    func refusalReliable() {
        var harness = Self.harness(reliable: true)
        harness.handle { $0.handle(.response(Sample.answer(486)), at: $1) }
        #expect(harness.log == ["0 send INVITE", "0 send ACK", "0 deliver 486", "0 terminated"])
    }

    @Test("Timer D is at least 32 s where T1 is shorter, timers M and B follow T1")
    func shortT1() {
        let times = TransactionTimes(t1: .milliseconds(100))
        var refused = ClientInviteTransaction(request: Sample.invite, isReliable: false, times: times)
        let now = SIPInstant(nanoseconds: 0)
        #expect(refused.handle(.start, at: now).map { short($0) } == ["send INVITE", "a+100", "b+6400"])
        #expect(refused.handle(.response(Sample.answer(486)), at: now).map { short($0) }.last == "d+32000")
        var accepted = ClientInviteTransaction(request: Sample.invite, isReliable: true, times: times)
        _ = accepted.handle(.start, at: now)
        #expect(accepted.handle(.response(Sample.answer(200)), at: now).map { short($0) }.last == "m+6400")
    }

    @Test("Each 2xx, repeated or of another fork, is delivered for 64 * T1; no ACK is ours", arguments: [true, false])
    func accepted(reliable: Bool) {
        var harness = Self.harness(reliable: reliable)
        harness.run(until: 100)
        harness.handle { $0.handle(.response(Sample.answer(200)), at: $1) }
        harness.run(until: 600)
        harness.handle { $0.handle(.response(Sample.answer(200, tag: "fork")), at: $1) }
        harness.handle { $0.handle(.response(Sample.answer(486)), at: $1) }
        harness.run(until: 100_000)
        #expect(harness.log == ["0 send INVITE", "100 deliver 200", "600 deliver 200", "32100 terminated"])
    }

    @Test("CANCEL is allowed once a provisional answer came; with no final one within 64 * T1 it is over")
    func cancel() {
        var harness = Self.harness(reliable: false)
        #expect(!harness.transaction.allowsCancel)
        harness.run(until: 100)
        harness.handle { $0.handle(.response(Sample.answer(180)), at: $1) }
        #expect(harness.transaction.allowsCancel)
        harness.run(until: 1_000)
        harness.handle { $0.handle(.cancelled, at: $1) }
        #expect(!harness.transaction.allowsCancel)
        harness.run(until: 100_000)
        #expect(harness.log == ["0 send INVITE", "100 deliver 180", "33000 timedOut", "33000 terminated"])
    }

    @Test("The final answer to a cancelled INVITE ends that wait")
    func cancelAnswered() {
        var harness = Self.harness(reliable: true)
        harness.handle { $0.handle(.response(Sample.answer(180)), at: $1) }
        harness.handle { $0.handle(.cancelled, at: $1) }
        harness.run(until: 10)
        harness.handle { $0.handle(.response(Sample.answer(200)), at: $1) }
        #expect(harness.due == [.m: 32_010])
    }

    /// How each state is reached over UDP.
    static let paths: [State: [Event]] = [
        .initial: [], .calling: [.start], .proceeding: [.start, .response(Sample.answer(180))],
        .completed: [.start, .response(Sample.answer(486))], .accepted: [.start, .response(Sample.answer(200))],
        .terminated: [.start, .timer(.b)],
    ]

    static let events: [String: Event] = [
        "start": .start, "1xx": .response(Sample.answer(180)), "2xx": .response(Sample.answer(200)),
        "refusal": .response(Sample.answer(486)), "request": .response(Sample.invite), "cancelled": .cancelled,
        "error": .transportError,
    ].merging(TransactionTimer.allCases.map { ("\($0)", Event.timer($0)) }) { first, _ in first }

    /// Everything that has an effect; every other pair of state and event has none and changes nothing.
    static let table: [String: String] = [
        "initial start": "calling: send INVITE, a+500, b+32000",
        "calling 1xx": "proceeding: -a, -b, deliver 180",
        "calling 2xx": "accepted: -a, -b, deliver 200, m+32000",
        "calling refusal": "completed: -a, -b, send ACK, deliver 486, d+32000",
        "calling a": "calling: send INVITE, a+1000",
        "calling b": "terminated: -a, timedOut, terminated",
        "calling error": "terminated: -a, -b, transportFailed, terminated",
        "proceeding 1xx": "proceeding: deliver 180",
        "proceeding 2xx": "accepted: deliver 200, m+32000",
        "proceeding refusal": "completed: send ACK, deliver 486, d+32000",
        "proceeding cancelled": "proceeding: b+32000",
        "completed refusal": "completed: send ACK",
        "completed d": "terminated: terminated",
        "completed error": "terminated: -d, transportFailed, terminated",
        "accepted 2xx": "accepted: deliver 200",
        "accepted m": "terminated: terminated",
    ]

    @Test("Every state meets every event", arguments: State.allCases, events.keys.sorted())
    func table(state: State, name: String) throws {
        let now = SIPInstant(nanoseconds: 1_000_000_000)
        var transaction = ClientInviteTransaction(request: Sample.invite, isReliable: false)
        for event in try #require(Self.paths[state]) { _ = transaction.handle(event, at: now) }
        #expect(transaction.state == state)
        let effects = transaction.handle(try #require(Self.events[name]), at: now).map { short($0, at: now) }
        #expect(
            "\(transaction.state): \(effects.joined(separator: ", "))" == Self.table["\(state) \(name)"] ?? "\(state): "
        )
    }

    @Test("The ACK of a refusal has the request's branch and route, and the refusal's To")
    func acknowledgement() throws {
        var request = Sample.invite
        request.headers.append(.route, "<sip:proxy.example.com;lr>")
        var transaction = ClientInviteTransaction(request: request, isReliable: false)
        let now = SIPInstant(nanoseconds: 0)
        _ = transaction.handle(.start, at: now)
        let effects = transaction.handle(.response(Sample.answer(404, to: request, tag: "them")), at: now)
        let ack = try #require(effects.compactMap { if case .send(let ack) = $0 { ack } else { nil } }.first)
        #expect(ack.topVia == request.topVia && ack.to?.tag == "them" && ack.cseq == CSeq(number: 1, method: .ack))
        #expect(ack.headers.first(.route) == "<sip:proxy.example.com;lr>" && ack.requestURI == request.requestURI)
    }
}
