import SIP
import Testing

@Suite("Transaction table") struct TransactionTableTests {
    /// A table whose clock stands still, in terms of what is seen of it.
    struct Walk {
        var table: TransactionTable
        let now = SIPInstant(nanoseconds: 0)

        init(maximumServerCount: Int = 1024) { table = TransactionTable(maximumServerCount: maximumServerCount) }

        mutating func receive(_ message: SIPMessage) -> TransactionTable.Arrival {
            table.receive(message, isReliable: false, at: now)
        }

        /// The key and fate of a request that starts a server transaction.
        mutating func started(_ request: SIPMessage) throws -> (key: TransactionKey, isMerged: Bool) {
            var result: (TransactionKey, Bool)?
            if case .started(let key, let effects, let isMerged) = receive(request) {
                #expect(effects.first == .deliver(request))
                result = (key, isMerged)
            }
            return try #require(result)
        }

        /// The key and effects of a message that belongs to a transaction that runs.
        mutating func matched(_ message: SIPMessage) throws -> (key: TransactionKey, effects: [String]) {
            var result: (TransactionKey, [String])?
            if case .matched(let key, let effects) = receive(message) { result = (key, effects.map { short($0) }) }
            return try #require(result)
        }

        mutating func start(_ request: SIPMessage) throws -> TransactionKey {
            let started = table.start(request, isReliable: false, at: now)
            #expect(started?.effects.first == .send(request))
            return try #require(started?.key)
        }

        mutating func respond(_ status: Int, _ request: SIPMessage, _ key: TransactionKey) -> [String] {
            table.respond(Sample.answer(status, to: request), to: key, at: now).map { short($0) }
        }

        mutating func fire(_ timer: TransactionTimer, _ key: TransactionKey) -> [String] {
            table.fire(timer, of: key, at: now).map { short($0) }
        }
    }

    @Test("A request starts a transaction, its copy is absorbed, its answer goes out, its end empties the table")
    func server() throws {
        var walk = Walk()
        let key = try walk.started(Sample.options).key
        let copy = try walk.matched(Sample.options)
        #expect(copy.key == key && copy.effects.isEmpty)
        let answered = walk.respond(200, Sample.options, key)
        #expect(answered == ["send 200", "j+32000"])
        #expect(walk.table.request(key) == Sample.options)
        let fired = walk.fire(.j, key)
        #expect(fired == ["terminated"])
        #expect(walk.table.count == 0 && walk.table.request(key) == nil)
        let late = walk.respond(200, Sample.options, key)
        #expect(late.isEmpty)
    }

    @Test("A response finds its request, and a stray one finds nothing")
    func client() throws {
        var walk = Walk()
        let stray = walk.receive(Sample.answer(200))
        #expect(stray == .stray)
        let key = try walk.start(Sample.invite)
        let again = walk.table.start(Sample.invite, isReliable: false, at: walk.now)
        let acknowledgement = walk.table.start(Sample.ack, isReliable: false, at: walk.now)
        #expect(again == nil && acknowledgement == nil)
        #expect(!walk.table.allowsCancel(key))
        let ringing = try walk.matched(Sample.answer(180))
        #expect(ringing.key == key && ringing.effects == ["-a", "-b", "deliver 180"])
        #expect(walk.table.allowsCancel(key))
        let cancelKey = try walk.start(Sample.invite.cancel())
        let cancelled = walk.table.cancelled(key, at: walk.now).map { short($0) }
        #expect(cancelled == ["b+32000"])
        let answer = try walk.matched(Sample.answer(200, to: Sample.invite.cancel()))
        #expect(answer.key == cancelKey && walk.table.count == 2)
        let failed = walk.table.transportFailed(key, at: walk.now)
        #expect(failed.isEmpty)
    }

    @Test("CANCEL finds its INVITE, and its own transaction is another")
    func cancel() throws {
        var walk = Walk()
        let cancel = Sample.invite.cancel()
        #expect(walk.table.invite(cancelledBy: cancel) == nil)
        let key = try walk.started(Sample.invite).key
        let own = try walk.started(cancel)
        #expect(walk.table.invite(cancelledBy: cancel) == key)
        #expect(own.key != key && !own.isMerged)
    }

    @Test("The ACK of a refusal belongs to its INVITE, that of a 2xx to the dialogue")
    func acknowledgements() throws {
        var walk = Walk()
        let key = try walk.started(Sample.invite).key
        _ = walk.respond(486, Sample.invite, key)
        let refusal = try walk.matched(Sample.ack)
        #expect(refusal.key == key && refusal.effects == ["-g", "-h", "i+5000"])
        let success = walk.receive(Sample.request(.ack, branch: "z9hG4bKack"))
        #expect(success == .acknowledgement)
    }

    @Test("The same request by another way is merged, as long as the first one runs")
    func merged() throws {
        var walk = Walk()
        let first = try walk.started(Sample.invite)
        let second = try walk.started(Sample.request(.invite, branch: "z9hG4bK2"))
        #expect(!first.isMerged && second.isMerged)
        _ = walk.respond(482, Sample.invite, second.key)
        _ = walk.fire(.h, second.key)
        _ = walk.respond(486, Sample.invite, first.key)
        let third = try walk.started(Sample.request(.invite, branch: "z9hG4bK3"))
        #expect(third.isMerged)
        _ = walk.fire(.h, first.key)
        let fourth = try walk.started(Sample.request(.invite, branch: "z9hG4bK4"))
        #expect(!fourth.isMerged)
    }

    @Test("A flood meets a limit that our own requests do not")
    func limit() throws {
        var walk = Walk(maximumServerCount: 2)
        let first = try walk.started(Sample.request(.options, branch: "z9hG4bKa")).key
        _ = try walk.started(Sample.request(.options, branch: "z9hG4bKb"))
        let third = Sample.request(.options, branch: "z9hG4bKc")
        let refused = walk.receive(third)
        #expect(refused == .full)
        _ = try walk.start(Sample.invite)
        _ = walk.respond(200, Sample.options, first)
        _ = walk.fire(.j, first)
        _ = try walk.started(third)
    }

    @Test("Instants saturate and never run backwards")
    func instants() {
        let start = SIPInstant(nanoseconds: 5)
        #expect(start + .nanoseconds(7) == SIPInstant(nanoseconds: 12))
        #expect(start + .seconds(-1) == start)
        #expect(SIPInstant(nanoseconds: .max) + .seconds(1) == SIPInstant(nanoseconds: .max))
        #expect(start + .seconds(Int64.max) == SIPInstant(nanoseconds: .max))
        #expect(SIPInstant(nanoseconds: 9) - start == .nanoseconds(4))
        #expect(start - SIPInstant(nanoseconds: 9) == .zero)
    }
}
