internal import ControlProtocol
internal import Synchronization

/// What one reader has not read yet.
final class EventBuffer: Sendable {
    private struct State {
        var notices: [EventNotice] = []
        /// The first of `notices` that is not read; what is before it is removed now and then.
        var first = 0
        var missed = 0
        /// The last event that was taken; nil before the daemon has said where the events begin.
        var cursor: EventCursor?
        var hasEnded = false
        var waiter: (number: Int, continuation: CheckedContinuation<EventNotice?, Never>)?
        var lastWaiter = 0

        var next: EventNotice? {
            mutating get {
                if missed > 0 {
                    defer { missed = 0 }
                    return .gap(.readerTooSlow(missed: missed))
                }
                guard first < notices.count else { return nil }
                defer { skip() }
                return notices[first]
            }
        }

        mutating func skip() {
            first += 1
            guard first > 256 || first == notices.count else { return }
            notices.removeFirst(first)
            first = 0
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = max(1, limit) }

    /// The last event that was taken; nil before `begin`.
    var cursor: EventCursor? { state.withLock { $0.cursor } }

    // MARK: The connection's side

    /// Events after `cursor` are taken from now on.
    func begin(at cursor: EventCursor) { state.withLock { $0.cursor = cursor } }

    /// Takes an event, unless it was seen or this reader has not begun.
    func offer(_ event: DaemonEvent) {
        put(.event(event)) { cursor in
            guard let known = cursor, known.instance == event.cursor.instance, known.seq < event.cursor.seq else {
                return false
            }
            cursor = event.cursor
            return true
        }
    }

    /// Takes a notice, unless this reader has not begun.
    func offer(_ notice: EventNotice) { put(notice) { $0 != nil } }

    /// Nothing more comes; what is here can still be read.
    func end() {
        let waiter = state.withLock { state in
            state.hasEnded = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.continuation.resume(returning: nil)
    }

    private func put(_ notice: EventNotice, where accepts: (inout EventCursor?) -> Bool) {
        let ready = state.withLock { state -> (CheckedContinuation<EventNotice?, Never>, EventNotice)? in
            guard !state.hasEnded, accepts(&state.cursor) else { return nil }
            state.notices.append(notice)
            if state.notices.count - state.first > limit {
                // A notice of the connection that goes is told by the gap as well.
                state.missed += 1
                state.skip()
            }
            guard let waiter = state.waiter, let next = state.next else { return nil }
            state.waiter = nil
            return (waiter.continuation, next)
        }
        if let (continuation, next) = ready { continuation.resume(returning: next) }
    }

    // MARK: The reader's side

    func next() async -> EventNotice? {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (other, now) = state.withLock { state in
                    wait(number, continuation, in: &state)
                }
                other?.resume(returning: nil)
                if let now { continuation.resume(returning: now.notice) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                guard state.waiter?.number == number else { return nil as CheckedContinuation<EventNotice?, Never>? }
                defer { state.waiter = nil }
                return state.waiter?.continuation
            }
            waiter?.resume(returning: nil)
        }
    }

    /// Answers at once, or notes who waits. A cancellation that came before is seen here, one that comes later finds
    /// the waiter.
    private func wait(
        _ number: Int, _ continuation: CheckedContinuation<EventNotice?, Never>, in state: inout State
    ) -> (other: CheckedContinuation<EventNotice?, Never>?, now: (notice: EventNotice?, Void)?) {
        if Task.isCancelled { return (nil, (nil, ())) }
        if let next = state.next { return (nil, (next, ())) }
        if state.hasEnded { return (nil, (nil, ())) }
        // A second reader at the same time ends the first: neither waits for ever.
        defer { state.waiter = (number, continuation) }
        return (state.waiter?.continuation, nil)
    }
}
