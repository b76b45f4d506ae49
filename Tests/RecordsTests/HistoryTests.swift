import CallModel
import FoundationEssentials
import Screening
import Testing

@testable import Records

@Suite("History") struct HistoryTests {
    @Test("A call is recorded as it ended, with everything that is known of it")
    func whole() async throws {
        let store = try Shelf().open()
        var call = CallSnapshot.incoming("sip:bob@example.com")
        store.note(call)
        call.state = .connected
        call.connectedAt = call.startedConnectingAt?.addingTimeInterval(5)
        store.note(call)
        #expect(try await store.entries().map(\.call.state) == [.connected])
        call.displayName = "Bob \u{1F600} '; DROP TABLE call; --"
        call.account = "office"
        call.codec = "opus"
        call.security = "AES_CM_128_HMAC_SHA1_80"
        var quality = CallQuality()
        (quality.packetsSent, quality.packetsReceived, quality.lost, quality.late) = (1_500, 1_490, 10, 2)
        (quality.concealedMs, quality.jitterMs, quality.roundTripMs, quality.mos) = (200.5, 3.25, 12, 4.125)
        call.quality = quality
        let ended = call.ended(.failed(status: 503, text: "gone"))
        #expect(await store.finished(ended) == 0)
        let entry = try #require(try await store.entries().first)
        #expect(entry.call == ended)
        #expect(entry.durationSeconds == 25)
        #expect(try await store.entries().count == 1)
    }

    @Test("Calls are found by being missed, direction, handle and age, the latest first")
    func queries() async throws {
        let store = try Shelf().open()
        var calls: [CallSnapshot] = []
        for number in 0..<20 {
            var call = CallSnapshot.incoming(number % 2 == 0 ? "030123456" : "sip:bob@example.com", at: Double(number))
            if number % 5 == 4 { call.direction = .outgoing }
            calls.append(call.ended(number % 3 == 0 ? .unanswered : .declined))
            await store.finished(calls[number])
        }
        func ids(_ query: HistoryQuery) async throws -> [CallID] { try await store.entries(query).map(\.call.id) }
        let newest = Array(calls.reversed())
        #expect(try await ids(HistoryQuery()) == newest.map(\.id))
        #expect(try await ids(HistoryQuery(limit: 3)) == newest.prefix(3).map(\.id))
        #expect(try await ids(HistoryQuery(limit: 3, before: calls[10].id)) == [9, 8, 7].map { calls[$0].id })
        #expect(try await ids(HistoryQuery(direction: .outgoing)) == [19, 14, 9, 4].map { calls[$0].id })
        #expect(try await ids(HistoryQuery(missedOnly: true)) == [18, 15, 12, 6, 3, 0].map { calls[$0].id })
        #expect(
            try await ids(HistoryQuery(limit: 2, direction: .incoming, handle: "+49 30 123456"))
                == [18, 16].map { calls[$0].id })
        await #expect(throws: CallError.self) { try await store.entries(HistoryQuery(before: CallID())) }
    }

    @Test(
        "Missed is who could not be answered, not whom we or others turned away",
        arguments: [
            (EndReason.unanswered, true, true), (.doNotDisturb, false, true), (.busy, false, true),
            (.busy, true, false),
            (.declined, true, false), (.blocked, false, false), (.answeredElsewhere, true, false),
            (.failed(status: nil, text: ""), true, true),
        ])
    func missed(reason: EndReason, rang: Bool, isMissed: Bool) async throws {
        let store = try Shelf().open()
        #expect(await store.finished(CallSnapshot.incoming("1").ended(reason), rang: rang) == (isMissed ? 1 : 0))
        let entry = try #require(try await store.entries(seen: true).first)
        #expect(entry.missed == isMissed)
        #expect(await store.finished(CallSnapshot.incoming("2").ended(.declined)) == 0)
        #expect(try await store.entries().last?.seen == isMissed)
    }

    @Test("What is older or more than is wanted goes; a call that goes on stays")
    func pruning() async throws {
        let shelf = try Shelf()
        let store = try shelf.open(limits: HistoryLimits(days: 30, entries: 5))
        var old = CallSnapshot.incoming("1")
        old.startedConnectingAt = Date().addingTimeInterval(-31 * 86_400)
        let goesOn = CallSnapshot.incoming("goes on")
        store.note(goesOn)
        await store.finished(old.ended(.declined))
        #expect(try await store.entries().map(\.call.id) == [goesOn.id])
        for number in 0..<8 { await store.finished(CallSnapshot.incoming("\(number)").ended(.declined)) }
        #expect(try await store.entries().map(\.call.handle.value) == ["7", "6", "5", "4", "3", "goes on"])
        store.configure(limits: HistoryLimits(days: 0, entries: 0), plan: .init(countryCode: ""))
        await store.finished(CallSnapshot.incoming("8").ended(.declined))
        #expect(try await store.entries().map(\.call.handle.value) == ["goes on"])
    }

    @Test("A call that has no end at the start is closed as failed, and counts as missed where nobody had answered")
    func interrupted() async throws {
        let shelf = try Shelf()
        let answered = CallSnapshot.incoming("answered").connected()
        do {
            let store = try shelf.open()
            store.note(answered)
            store.note(CallSnapshot.incoming("rang"))
            // It is not closed: as if the process had been killed.
            _ = try await store.entries()
        }
        let store = try shelf.open()
        #expect(store.contents.interrupted == 2)
        #expect(store.contents.missedCalls == 1)
        let entries = try await store.entries()
        #expect(entries.map(\.missed) == [true, false])
        for entry in entries {
            #expect(entry.call.endReason == .failed(status: nil, text: "the daemon was interrupted"))
        }
        // Nothing is known but that it was answered.
        #expect(entries.map(\.call.endedAt) == [nil, answered.connectedAt])
        #expect(shelf.problems.isEmpty)
    }

    @Test("A conversation that was cut off by a kill lasted until the daemon was last known to run")
    func cutOff() async throws {
        let shelf = try Shelf()
        var answered = CallSnapshot.incoming("answered")
        let start = try #require(answered.startedConnectingAt)
        let over = CallSnapshot.incoming("over").ended(.remoteEnded)
        do {
            let store = try shelf.open()
            store.note(CallSnapshot.incoming("rings"))
            await store.finished(over)
            answered.state = .connected
            answered.connectedAt = start.addingTimeInterval(5)
            store.note(answered)
            store.noteAlive(at: start.addingTimeInterval(65))
            store.noteAlive(at: start.addingTimeInterval(70))
            // What changes meanwhile is no end.
            store.note(answered)
            #expect(try await store.entries().first?.durationSeconds == nil)
        }
        let entries = try await shelf.open().entries()
        #expect(entries.map(\.call.handle.value) == ["answered", "over", "rings"])
        #expect(entries.map(\.durationSeconds) == [65, nil, nil])
        #expect(entries.map(\.call.endedAt) == [start.addingTimeInterval(70), over.endedAt, nil])
    }

    @Test("A clock that was set back makes no conversation shorter than nothing")
    func clockSetBack() async throws {
        let shelf = try Shelf()
        let answered = CallSnapshot.incoming("answered").connected()
        do {
            let store = try shelf.open()
            store.note(answered)
            store.noteAlive(at: try #require(answered.connectedAt).addingTimeInterval(-3_600))
            _ = try await store.entries()
        }
        #expect(try await shelf.open().entries().map(\.durationSeconds) == [0])
    }

    @Test("A file of the version before is taken over with what is in it")
    func migration() async throws {
        let shelf = try Shelf()
        do {
            let database = try Database(path: shelf.file)
            try database.execute(Schema.steps[0])
            try database.execute("PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = 1;")
            try database.execute(
                """
                INSERT INTO call (id, direction, handleType, handle, started, connected) VALUES \
                ('\(CallID())', 'incoming', 'generic', 'sip:a@b', \(Date().timeIntervalSince1970), \
                \(Date().timeIntervalSince1970))
                """)
        }
        let entries = try await shelf.open().entries()
        #expect(entries.map(\.durationSeconds) == [0] && shelf.problems.isEmpty)
    }

    @Test("All of it can be forgotten")
    func clearing() async throws {
        let store = try Shelf().open()
        await store.finished(CallSnapshot.incoming("1").ended(.unanswered))
        #expect(await store.saved { store.clearHistory(then: $0) })
        #expect(try await store.entries().isEmpty)
        #expect(await store.finished(CallSnapshot.incoming("2").ended(.declined)) == 0)
    }

    @Test("A name may be used again by a later call")
    func sameName() async throws {
        let store = try Shelf().open()
        let call = CallSnapshot.incoming("1")
        for _ in 0..<2 {
            store.note(call)
            await store.finished(call.ended(.declined))
        }
        #expect(try await store.entries().count == 2)
    }
}
