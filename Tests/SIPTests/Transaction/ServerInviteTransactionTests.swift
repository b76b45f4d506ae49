import SIP
import Testing

@Suite("INVITE server transaction") struct ServerInviteTransactionTests {
    typealias Event = ServerInviteTransaction.Event
    typealias State = ServerInviteTransaction.State

    static func harness(reliable: Bool) -> TransactionHarness<ServerInviteTransaction> {
        var harness = TransactionHarness(ServerInviteTransaction(request: Sample.invite, isReliable: reliable))
        harness.handle { $0.handle(.start, at: $1) }
        return harness
    }

    @Test("Where nobody answers within 200 ms, 100 is sent")
    func trying() {
        var harness = Self.harness(reliable: false)
        harness.run(until: 3_600_000)
        #expect(harness.log == ["0 deliver INVITE", "200 send 100"])
    }

    @Test("Where somebody does, it is not", arguments: [180, 183, 200, 486])
    func answeredInTime(status: Int) {
        var harness = Self.harness(reliable: true)
        harness.run(until: 199)
        harness.handle { $0.handle(.respond(Sample.answer(status)), at: $1) }
        harness.run(until: 1_000)
        #expect(harness.log == ["0 deliver INVITE", "199 send \(status)"])
    }

    @Test("A repeated INVITE gets the last provisional answer again")
    func repeated() {
        var harness = Self.harness(reliable: false)
        harness.handle { $0.handle(.respond(Sample.answer(180)), at: $1) }
        harness.handle { $0.handle(.respond(Sample.answer(183)), at: $1) }
        harness.run(until: 500)
        harness.handle { $0.handle(.request(Sample.invite), at: $1) }
        #expect(harness.log == ["0 deliver INVITE", "0 send 180", "0 send 183", "500 send 183"])
    }

    @Test("A refusal over UDP is repeated at intervals of up to T2; without an ACK it times out after 64 * T1")
    func refusal() {
        var harness = Self.harness(reliable: false)
        harness.handle { $0.handle(.respond(Sample.answer(486)), at: $1) }
        harness.run(until: 100_000)
        let times = [0, 500, 1500, 3500, 7500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]
        #expect(
            harness.log == ["0 deliver INVITE"] + times.map { "\($0) send 486" } + [
                "32000 timedOut", "32000 terminated",
            ])
    }

    @Test("A refusal over TCP is sent once, and waits for its ACK as long")
    func refusalReliable() {
        var harness = Self.harness(reliable: true)
        harness.handle { $0.handle(.respond(Sample.answer(486)), at: $1) }
        harness.run(until: 100_000)
        #expect(harness.log == ["0 deliver INVITE", "0 send 486", "32000 timedOut", "32000 terminated"])
    }

    @Test("The ACK ends the repetition; its copies and late INVITEs are absorbed for T4")
    func acknowledged() {
        var harness = Self.harness(reliable: false)
        harness.handle { $0.handle(.respond(Sample.answer(486)), at: $1) }
        harness.run(until: 600)
        harness.handle { $0.handle(.request(Sample.ack), at: $1) }
        harness.run(until: 1_000)
        harness.handle { $0.handle(.request(Sample.ack), at: $1) }
        harness.handle { $0.handle(.request(Sample.invite), at: $1) }
        harness.run(until: 100_000)
        #expect(harness.log == ["0 deliver INVITE", "0 send 486", "500 send 486", "5600 terminated"])
    }

    @Test("Over TCP the ACK ends it at once")
    func acknowledgedReliable() {
        var harness = Self.harness(reliable: true)
        harness.handle { $0.handle(.respond(Sample.answer(486)), at: $1) }
        harness.handle { $0.handle(.request(Sample.ack), at: $1) }
        #expect(harness.log == ["0 deliver INVITE", "0 send 486", "0 terminated"])
    }

    @Test("After a 2xx repeated INVITEs get nothing, further 2xx are sent, for 64 * T1", arguments: [true, false])
    func accepted(reliable: Bool) {
        var harness = Self.harness(reliable: reliable)
        harness.handle { $0.handle(.respond(Sample.answer(200)), at: $1) }
        harness.run(until: 500)
        harness.handle { $0.handle(.request(Sample.invite), at: $1) }
        harness.handle { $0.handle(.respond(Sample.answer(200)), at: $1) }
        harness.handle { $0.handle(.respond(Sample.answer(486)), at: $1) }
        harness.run(until: 600)
        harness.handle { $0.handle(.request(Sample.ack), at: $1) }
        harness.run(until: 100_000)
        #expect(
            harness.log == [
                "0 deliver INVITE", "0 send 200", "500 send 200", "600 deliver ACK", "32000 terminated",
            ])
    }

    @Test("An ACK of RFC 2543 must bear the tag of the refusal")
    func legacyACK() {
        var invite = Sample.request(.invite, branch: "1")
        invite.headers.set(.via, "SIP/2.0/UDP 192.0.2.1")
        var transaction = ServerInviteTransaction(request: invite, isReliable: false)
        let now = SIPInstant(nanoseconds: 0)
        _ = transaction.handle(.start, at: now)
        _ = transaction.handle(.respond(Sample.answer(486, to: invite, tag: "ours")), at: now)
        _ = transaction.handle(.request(invite.ack(for: Sample.answer(486, to: invite, tag: "other"))), at: now)
        #expect(transaction.state == .completed)
        _ = transaction.handle(.request(invite.ack(for: Sample.answer(486, to: invite, tag: "ours"))), at: now)
        #expect(transaction.state == .confirmed)
    }

    static let paths: [State: [Event]] = [
        .initial: [], .proceeding: [.start], .completed: [.start, .respond(Sample.answer(486))],
        .confirmed: [.start, .respond(Sample.answer(486)), .request(Sample.ack)],
        .accepted: [.start, .respond(Sample.answer(200))],
        .terminated: [.start, .respond(Sample.answer(486)), .timer(.h)],
    ]

    static let events: [String: Event] = [
        "start": .start, "INVITE": .request(Sample.invite), "ACK": .request(Sample.ack),
        "1xx": .respond(Sample.answer(180)), "2xx": .respond(Sample.answer(200)),
        "refusal": .respond(Sample.answer(486)), "no response": .respond(Sample.invite), "error": .transportError,
    ].merging(TransactionTimer.allCases.map { ("\($0)", Event.timer($0)) }) { first, _ in first }

    /// Everything that has an effect; every other pair of state and event has none and changes nothing.
    static let table: [String: String] = [
        "initial start": "proceeding: deliver INVITE, trying+200",
        "proceeding trying": "proceeding: -trying, send 100",
        "proceeding 1xx": "proceeding: -trying, send 180",
        "proceeding 2xx": "accepted: -trying, send 200, l+32000",
        "proceeding refusal": "completed: -trying, send 486, g+500, h+32000",
        "proceeding error": "proceeding: transportFailed",
        "completed INVITE": "completed: send 486",
        "completed ACK": "confirmed: -g, -h, i+5000",
        "completed g": "completed: send 486, g+1000",
        "completed h": "terminated: -g, timedOut, terminated",
        "completed error": "completed: transportFailed",
        "confirmed i": "terminated: terminated",
        "accepted ACK": "accepted: deliver ACK",
        "accepted 2xx": "accepted: send 200",
        "accepted l": "terminated: terminated",
        "accepted error": "accepted: transportFailed",
    ]

    @Test("Every state meets every event", arguments: State.allCases, events.keys.sorted())
    func table(state: State, name: String) throws {
        let now = SIPInstant(nanoseconds: 1_000_000_000)
        var transaction = ServerInviteTransaction(request: Sample.invite, isReliable: false)
        for event in try #require(Self.paths[state]) { _ = transaction.handle(event, at: now) }
        #expect(transaction.state == state)
        let effects = transaction.handle(try #require(Self.events[name]), at: now).map { short($0, at: now) }
        #expect(
            "\(transaction.state): \(effects.joined(separator: ", "))" == Self.table["\(state) \(name)"] ?? "\(state): "
        )
    }
}
