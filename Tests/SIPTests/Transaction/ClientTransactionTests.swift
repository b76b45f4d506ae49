import SIP
import Testing

@Suite("Non-INVITE client transaction") struct ClientTransactionTests {
    typealias Event = ClientTransaction.Event
    typealias State = ClientTransaction.State

    static func harness(reliable: Bool) -> TransactionHarness<ClientTransaction> {
        var harness = TransactionHarness(ClientTransaction(request: Sample.options, isReliable: reliable))
        harness.handle { $0.handle(.start, at: $1) }
        return harness
    }

    static func answer(_ status: Int) -> SIPMessage { Sample.answer(status, to: Sample.options) }

    @Test("Unanswered over UDP it is repeated at intervals of up to T2, and given up after 64 * T1")
    func unanswered() {
        var harness = Self.harness(reliable: false)
        harness.run(until: 100_000)
        let times = [0, 500, 1500, 3500, 7500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]
        #expect(harness.log == times.map { "\($0) send OPTIONS" } + ["32000 timedOut", "32000 terminated"])
    }

    @Test("Unanswered over TCP it is sent once, and given up after 64 * T1")
    func unansweredReliable() {
        var harness = Self.harness(reliable: true)
        harness.run(until: 100_000)
        #expect(harness.log == ["0 send OPTIONS", "32000 timedOut", "32000 terminated"])
    }

    @Test("After a provisional answer it is repeated every T2, the time-out stays")
    func provisional() {
        var harness = Self.harness(reliable: false)
        harness.run(until: 100)
        harness.handle { $0.handle(.response(Self.answer(100)), at: $1) }
        harness.run(until: 100_000)
        let times = [500, 4500, 8500, 12_500, 16_500, 20_500, 24_500, 28_500]
        #expect(
            harness.log == ["0 send OPTIONS", "100 deliver 100"] + times.map { "\($0) send OPTIONS" } + [
                "32000 timedOut", "32000 terminated",
            ])
    }

    @Test("The final answer is delivered once, its copies are absorbed for T4 over UDP")
    func final() {
        var harness = Self.harness(reliable: false)
        for time in [100, 600, 4_900] {
            harness.run(until: time)
            harness.handle { $0.handle(.response(Self.answer(200)), at: $1) }
        }
        harness.run(until: 100_000)
        #expect(harness.log == ["0 send OPTIONS", "100 deliver 200", "5100 terminated"])
    }

    @Test("Over TCP the final answer ends it at once", arguments: [200, 302, 404, 503, 603])
    func finalReliable(status: Int) {
        var harness = Self.harness(reliable: true)
        harness.handle { $0.handle(.response(Self.answer(status)), at: $1) }
        #expect(harness.log == ["0 send OPTIONS", "0 deliver \(status)", "0 terminated"])
    }

    static let paths: [State: [Event]] = [
        .initial: [], .trying: [.start], .proceeding: [.start, .response(answer(100))],
        .completed: [.start, .response(answer(200))], .terminated: [.start, .timer(.f)],
    ]

    static let events: [String: Event] = [
        "start": .start, "1xx": .response(answer(100)), "final": .response(answer(200)),
        "request": .response(Sample.options), "error": .transportError,
    ].merging(TransactionTimer.allCases.map { ("\($0)", Event.timer($0)) }) { first, _ in first }

    /// Everything that has an effect; every other pair of state and event has none and changes nothing.
    static let table: [String: String] = [
        "initial start": "trying: send OPTIONS, e+500, f+32000",
        "trying 1xx": "proceeding: deliver 100",
        "trying final": "completed: -e, -f, deliver 200, k+5000",
        "trying e": "trying: send OPTIONS, e+1000",
        "trying f": "terminated: -e, timedOut, terminated",
        "trying error": "terminated: -e, -f, transportFailed, terminated",
        "proceeding 1xx": "proceeding: deliver 100",
        "proceeding final": "completed: -e, -f, deliver 200, k+5000",
        "proceeding e": "proceeding: send OPTIONS, e+4000",
        "proceeding f": "terminated: -e, timedOut, terminated",
        "proceeding error": "terminated: -e, -f, transportFailed, terminated",
        "completed k": "terminated: terminated",
    ]

    @Test("Every state meets every event", arguments: State.allCases, events.keys.sorted())
    func table(state: State, name: String) throws {
        let now = SIPInstant(nanoseconds: 1_000_000_000)
        var transaction = ClientTransaction(request: Sample.options, isReliable: false)
        for event in try #require(Self.paths[state]) { _ = transaction.handle(event, at: now) }
        #expect(transaction.state == state)
        let effects = transaction.handle(try #require(Self.events[name]), at: now).map { short($0, at: now) }
        #expect(
            "\(transaction.state): \(effects.joined(separator: ", "))" == Self.table["\(state) \(name)"] ?? "\(state): "
        )
    }
}
