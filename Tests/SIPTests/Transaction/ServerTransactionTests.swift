import SIP
import Testing

@Suite("Non-INVITE server transaction") struct ServerTransactionTests {
    typealias Event = ServerTransaction.Event
    typealias State = ServerTransaction.State

    static func answer(_ status: Int) -> SIPMessage { Sample.answer(status, to: Sample.options) }

    @Test("A repeated request gets the last answer again, for 64 * T1 after the final one over UDP")
    func repeated() {
        var harness = TransactionHarness(ServerTransaction(request: Sample.options, isReliable: false))
        harness.handle { $0.handle(.start, at: $1) }
        harness.handle { $0.handle(.request(Sample.options), at: $1) }
        harness.handle { $0.handle(.respond(Self.answer(100)), at: $1) }
        harness.run(until: 500)
        harness.handle { $0.handle(.request(Sample.options), at: $1) }
        harness.handle { $0.handle(.respond(Self.answer(200)), at: $1) }
        harness.handle { $0.handle(.respond(Self.answer(404)), at: $1) }
        harness.run(until: 32_400)
        harness.handle { $0.handle(.request(Sample.options), at: $1) }
        harness.run(until: 100_000)
        #expect(
            harness.log == [
                "0 deliver OPTIONS", "0 send 100", "500 send 100", "500 send 200", "32400 send 200", "32500 terminated",
            ])
    }

    @Test("Over TCP the final answer ends it at once")
    func reliable() {
        var harness = TransactionHarness(ServerTransaction(request: Sample.options, isReliable: true))
        harness.handle { $0.handle(.start, at: $1) }
        harness.handle { $0.handle(.respond(Self.answer(200)), at: $1) }
        #expect(harness.log == ["0 deliver OPTIONS", "0 send 200", "0 terminated"])
    }

    static let paths: [State: [Event]] = [
        .initial: [], .trying: [.start], .proceeding: [.start, .respond(answer(100))],
        .completed: [.start, .respond(answer(200))], .terminated: [.start, .respond(answer(200)), .timer(.j)],
    ]

    static let events: [String: Event] = [
        "start": .start, "request": .request(Sample.options), "1xx": .respond(answer(183)),
        "final": .respond(answer(200)), "no response": .respond(Sample.options), "error": .transportError,
    ].merging(TransactionTimer.allCases.map { ("\($0)", Event.timer($0)) }) { first, _ in first }

    /// Everything that has an effect; every other pair of state and event has none and changes nothing.
    static let table: [String: String] = [
        "initial start": "trying: deliver OPTIONS",
        "trying 1xx": "proceeding: send 183",
        "trying final": "completed: send 200, j+32000",
        "trying error": "trying: transportFailed",
        "proceeding request": "proceeding: send 100",
        "proceeding 1xx": "proceeding: send 183",
        "proceeding final": "completed: send 200, j+32000",
        "proceeding error": "proceeding: transportFailed",
        "completed request": "completed: send 200",
        "completed j": "terminated: terminated",
        "completed error": "completed: transportFailed",
    ]

    @Test("Every state meets every event", arguments: State.allCases, events.keys.sorted())
    func table(state: State, name: String) throws {
        let now = SIPInstant(nanoseconds: 1_000_000_000)
        var transaction = ServerTransaction(request: Sample.options, isReliable: false)
        for event in try #require(Self.paths[state]) { _ = transaction.handle(event, at: now) }
        #expect(transaction.state == state)
        let effects = transaction.handle(try #require(Self.events[name]), at: now).map { short($0, at: now) }
        #expect(
            "\(transaction.state): \(effects.joined(separator: ", "))" == Self.table["\(state) \(name)"] ?? "\(state): "
        )
    }
}
