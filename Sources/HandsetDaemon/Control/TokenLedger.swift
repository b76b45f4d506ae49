internal import EventLoop

/// Remembers the answers to requests that carried a token, so that one sent again is not carried out again.
///
/// `Request` tells whether it is the same one.
struct TokenLedger<Request: Equatable, Answer, Waiter> {
    struct Key: Hashable {
        var user: UInt32
        var token: String
    }

    enum Entry {
        /// Being carried out; who wants the answer.
        case running([Waiter])
        case finished(Answer)
    }

    enum Verdict {
        /// Not seen within the hour: carry it out, then call `finish`; the waiter was noted.
        case new
        /// Being carried out; the waiter was noted.
        case running
        case finished(Answer)
        /// The token is another request's.
        case taken
    }

    private struct Known {
        var request: Request
        var entry: Entry
        var expires: MonotonicInstant
    }

    /// How long an answer is kept after its request was first seen.
    static var lifetime: Duration { .seconds(3_600) }

    private let capacity: Int
    private var entries: [Key: Known] = [:]
    private var order: ArraySlice<Key> = []

    /// - Parameter capacity: tokens that are remembered; the oldest that is over goes where there are more.
    init(capacity: Int = 4_096) { self.capacity = capacity }

    var count: Int { entries.count }

    /// Asks whether a request is to be carried out.
    mutating func meet(_ key: Key, _ request: Request, at now: MonotonicInstant, waiter: Waiter) -> Verdict {
        forgetBefore(now)
        if let known = entries[key], known.request != request { return .taken }
        switch entries[key]?.entry {
        case nil:
            if entries.count >= capacity { forgetOldest() }
            entries[key] = Known(request: request, entry: .running([waiter]), expires: now + Self.lifetime)
            order.append(key)
            return .new
        case .running(let waiters)?:
            entries[key]?.entry = .running(waiters + [waiter])
            return .running
        case .finished(let answer)?: return .finished(answer)
        }
    }

    /// Who waits for the answer to what is being carried out.
    func waiters(of key: Key) -> [Waiter] {
        if case .running(let waiters)? = entries[key]?.entry { waiters } else { [] }
    }

    /// Notes the answer and returns who waits for it.
    mutating func finish(_ key: Key, _ answer: Answer) -> [Waiter] {
        let waiters = waiters(of: key)
        if !waiters.isEmpty { entries[key]?.entry = .finished(answer) }
        return waiters
    }

    /// What is being carried out stays: who waits for it is to be answered, and it must not be begun a second time.
    private mutating func forgetOldest() {
        guard let index = order.firstIndex(where: { !isRunning($0) }) else { return }
        entries[order.remove(at: index)] = nil
    }

    private func isRunning(_ key: Key) -> Bool {
        if case .running? = entries[key]?.entry { true } else { false }
    }

    private mutating func forgetBefore(_ now: MonotonicInstant) {
        while let oldest = order.first, let expires = entries[oldest]?.expires, expires <= now, !isRunning(oldest) {
            entries[oldest] = nil
            order.removeFirst()
        }
    }
}
