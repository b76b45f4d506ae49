internal import CLinux
internal import ControlProtocol
internal import Glibc
internal import Synchronization
internal import Threads

/// The connection to the daemon: one thread that reads and writes the socket, and comes back when it was lost.
final class Link: Sendable {
    typealias Answer = Result<JSONValue, HandsetError>

    /// Who waits for an answer.
    struct Waiter {
        var continuation: CheckedContinuation<Answer, Never>
        /// The reader that begins with this answer, that of an `events.subscribe`.
        var reader: (buffer: EventBuffer, since: EventCursor?)?
    }

    struct State {
        var ledger = RequestLedger<Waiter>()
        var readers: [EventBuffer] = []
        /// Who waits for the first connection.
        var opening: CheckedContinuation<Result<Void, HandsetError>, Never>?
        /// The socket that answered.
        var path = ""
        var isClosed = false
        /// Why nothing can be asked any more.
        var end: HandsetError?
    }

    let places: [String]
    let reconnection: Reconnection
    let state = Mutex(State())
    private let wakeUp: Int32

    /// - Parameter places: sockets to try, in order; nil: those that handsetd makes, looked up at each attempt.
    init(places: [String]?, reconnection: Reconnection) throws(HandsetError) {
        self.places = places ?? []
        self.reconnection = reconnection
        wakeUp = clinux_eventfd()
        guard wakeUp >= 0 else { throw .unreachable("this process may open no more files") }
    }

    deinit { Glibc.close(wakeUp) }

    /// Starts the thread and waits for the first connection.
    func open() async throws(HandsetError) {
        let result = await withCheckedContinuation { continuation in
            state.withLock { $0.opening = continuation }
            do throws(DetachedThread.Failure) {
                try DetachedThread.start {
                    var thread = LinkThread(self)
                    thread.run()
                }
            } catch {
                opened(.failure(.unreachable("\(error)")))
            }
        }
        try result.get()
    }

    /// Tells who waits for the first connection how it went.
    func opened(_ result: Result<Void, HandsetError>) {
        let waiter = state.withLock { state in
            defer { state.opening = nil }
            return state.opening
        }
        waiter?.resume(returning: result)
    }

    /// Sends a request and waits for its answer.
    func ask(
        _ envelope: ControlEnvelope, isQuestion: Bool, reader: (EventBuffer, EventCursor?)? = nil
    ) async -> Answer {
        var envelope = envelope
        let id = state.withLock { $0.ledger.makeID() }
        envelope.id = .integer(id)
        let line = envelope.line
        guard line.count <= LineFramer.maximumLength else {
            let message = "the request has \(line.count) bytes; \(LineFramer.maximumLength) are the most"
            return .failure(.refused(.invalidRequest(message)))
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(continuation: continuation, reader: reader)
                let refusal = state.withLock { state -> HandsetError? in
                    if let end = state.end { return end }
                    // One that comes later finds the entry.
                    if Task.isCancelled { return .cancelled }
                    state.ledger.add(id, line: line, isQuestion: isQuestion, waiter: waiter)
                    return nil
                }
                guard let refusal else { return signal() }
                continuation.resume(returning: .failure(refusal))
            }
        } onCancel: {
            let waiter = state.withLock { $0.ledger.forget(id) }
            waiter?.continuation.resume(returning: .failure(.cancelled))
        }
    }

    func add(_ reader: EventBuffer) { state.withLock { $0.readers.append(reader) } }

    func remove(_ reader: EventBuffer) { state.withLock { $0.readers.removeAll { $0 === reader } } }

    /// Ends the thread, which fails all requests and ends all readers.
    func close() {
        state.withLock { $0.isClosed = true }
        signal()
    }

    func signal() { _ = clinux_eventfd_signal(wakeUp) }

    /// Waits until `descriptor` can be read or written as `events` say (-1: none), somebody signals, or
    /// `milliseconds` have passed. Returns what the descriptor is ready for.
    func wait(_ descriptor: Int32, _ events: Int32, milliseconds: Int32) -> Int32 {
        var polled = [
            pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(events), revents: 0),
        ]
        guard poll(&polled, 2, milliseconds) > 0 else { return 0 }
        if polled[0].revents != 0 { _ = clinux_eventfd_take(wakeUp) }
        return Int32(polled[1].revents)
    }
}
