import EventLoop
import Testing

@testable import HandsetDaemon

@Suite("Tokens") struct TokenLedgerTests {
    private typealias Ledger = TokenLedger<String, String, Int>

    private func key(_ token: String, user: UInt32 = 1) -> Ledger.Key { .init(user: user, token: token) }
    private func at(_ seconds: UInt64) -> MonotonicInstant { .init(nanoseconds: seconds * 1_000_000_000) }

    private func word(_ verdict: Ledger.Verdict) -> String {
        switch verdict {
        case .new: "new"
        case .running: "running"
        case .finished(let answer): answer
        case .taken: "taken"
        }
    }

    @Test("A token is new, then running, then has its answer, for an hour")
    func life() {
        var ledger = Ledger()
        #expect(word(ledger.meet(key("a"), "hold", at: at(0), waiter: 1)) == "new")
        #expect(word(ledger.meet(key("a"), "hold", at: at(1), waiter: 2)) == "running")
        #expect(ledger.waiters(of: key("a")) == [1, 2])
        #expect(ledger.finish(key("a"), "done") == [1, 2])
        #expect(ledger.waiters(of: key("a")).isEmpty && ledger.finish(key("a"), "again").isEmpty)
        #expect(word(ledger.meet(key("a"), "hold", at: at(3_599), waiter: 3)) == "done")
        #expect(word(ledger.meet(key("a"), "hold", at: at(3_600), waiter: 4)) == "new")
    }

    @Test("With another request it is taken, as long as it is known; with its own it is answered as ever")
    func other() {
        var ledger = Ledger()
        #expect(word(ledger.meet(key("a"), "hold", at: at(0), waiter: 1)) == "new")
        #expect(word(ledger.meet(key("a"), "end", at: at(1), waiter: 2)) == "taken")
        #expect(ledger.finish(key("a"), "held") == [1])
        #expect(word(ledger.meet(key("a"), "end", at: at(2), waiter: 3)) == "taken")
        #expect(word(ledger.meet(key("a"), "hold", at: at(3), waiter: 4)) == "held")
        #expect(word(ledger.meet(key("a"), "end", at: at(3_600), waiter: 5)) == "new")
    }

    @Test("Another user's token is another token")
    func users() {
        var ledger = Ledger()
        #expect(word(ledger.meet(key("a"), "hold", at: at(0), waiter: 1)) == "new")
        #expect(word(ledger.meet(key("a", user: 2), "hold", at: at(0), waiter: 1)) == "new")
    }

    @Test("The oldest that is over is forgotten where there are too many")
    func bound() {
        var ledger = Ledger(capacity: 2)
        for token in ["a", "b"] { _ = ledger.meet(key(token), "hold", at: at(0), waiter: 0) }
        _ = ledger.finish(key("b"), "done")
        _ = ledger.meet(key("c"), "hold", at: at(0), waiter: 0)
        #expect(ledger.count == 2)
        #expect(word(ledger.meet(key("a"), "hold", at: at(0), waiter: 7)) == "running")
        #expect(word(ledger.meet(key("b"), "hold", at: at(0), waiter: 0)) == "new")
    }

    @Test("What is under way is never forgotten: it would be begun twice, and who waits would wait for ever")
    func running() {
        var ledger = Ledger(capacity: 2)
        for token in ["a", "b", "c"] { _ = ledger.meet(key(token), "hold", at: at(0), waiter: 0) }
        #expect(word(ledger.meet(key("a"), "hold", at: at(7_200), waiter: 5)) == "running")
        #expect(ledger.finish(key("a"), "late") == [0, 5])
        #expect(word(ledger.meet(key("b"), "hold", at: at(7_200), waiter: 6)) == "running")
        for token in ["b", "c"] { _ = ledger.finish(key(token), "late") }
        _ = ledger.meet(key("d"), "hold", at: at(7_200), waiter: 0)
        #expect(ledger.count == 1)
    }
}
