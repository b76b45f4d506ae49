internal import CLinux
internal import ControlProtocol
internal import Glibc
internal import Synchronization

/// What the thread of a `Link` does: connects, greets, sends, reads, and begins anew when the daemon has gone.
struct LinkThread {
    /// Milliseconds within which a daemon must answer the first request.
    private static let greetingLimit: Int32 = 10_000
    /// Bytes of a line of the daemon's: a long history has many.
    private static let lineLimit = 1 << 22

    private let link: Link
    private var descriptor: Int32 = -1
    private var framer = LineFramer(limit: Self.lineLimit)
    private var outbox: [UInt8] = []
    /// The run of the daemon; nil until it has said it.
    private var instance: String?
    /// What the daemon said to the connection as a whole, before it closed it.
    private var refusal: ControlError?
    private var isSubscribed = false

    init(_ link: Link) { self.link = link }

    mutating func run() {
        guard case .success = connect() else { return }
        link.opened(.success(()))
        while true {
            let reason = serve()
            Glibc.close(descriptor)
            descriptor = -1
            link.state.withLock { $0.ledger.disconnected() }
            let isClosed = link.state.withLock(\.isClosed)
            if !isClosed { tell { $0.offer(.disconnected(reason)) } }
            guard !isClosed, link.reconnection.isWanted, reconnect(reason) else {
                end(isClosed ? .closed : reason)
                return
            }
        }
    }

    // MARK: Connecting

    /// The first connection. A failure is told to who waits for it, and nothing can be asked any more.
    private mutating func connect() -> Result<Void, HandsetError> {
        let result = attempt()
        if case .failure(let error) = result {
            end(error)
            link.opened(.failure(error))
        }
        return result
    }

    private mutating func attempt() -> Result<Void, HandsetError> {
        var tried: [String] = []
        for path in link.places.isEmpty ? SocketSearch.paths() : link.places {
            let opened = clinux_unix_connect_waiting(path)
            guard opened >= 0 else {
                tried.append("\(path): \(String(cString: strerror(-opened)))\(Self.advice(-opened))")
                continue
            }
            descriptor = opened
            link.state.withLock { $0.path = path }
            if let failure = greet() {
                Glibc.close(descriptor)
                descriptor = -1
                return .failure(failure)
            }
            return .success(())
        }
        let places = tried.map { "\n  " + $0 }.joined()
        return .failure(.unreachable("no daemon can be reached; is handsetd running?\(places)"))
    }

    private static func advice(_ code: Int32) -> String {
        switch code {
        case EACCES, EPERM: " (be a member of the socket's group: sudo usermod -aG handset USER, then log in anew)"
        case ECONNREFUSED: " (the daemon has died: systemctl restart handsetd)"
        default: ""
        }
    }

    /// Tries until the daemon is back, or the link is closed, which is false. Requests that wait too long fail.
    private mutating func reconnect(_ reason: HandsetError) -> Bool {
        let deadline = clinux_monotonic_ns() + Self.nanoseconds(link.reconnection.patience)
        var number = 0
        while true {
            let end = clinux_monotonic_ns() + UInt64(Reconnection.pause(before: number)) * 1_000_000
            while clinux_monotonic_ns() < end {
                _ = link.wait(-1, 0, milliseconds: Int32((end - clinux_monotonic_ns()) / 1_000_000) + 1)
                if link.state.withLock(\.isClosed) { return false }
                if clinux_monotonic_ns() >= deadline { failAll(reason) }
            }
            if case .success = attempt() { return true }
            number += 1
        }
    }

    /// Asks who the daemon is, and for what readers have missed. nil where all is well.
    private mutating func greet() -> HandsetError? {
        framer = LineFramer(limit: Self.lineLimit)
        outbox = []
        instance = nil
        refusal = nil
        let cursors = link.state.withLock { $0.readers.compactMap(\.cursor) }
        let known = cursors.first?.instance
        let since = known.map { known in
            EventCursor(instance: known, seq: cursors.filter { $0.instance == known }.map(\.seq).min() ?? 0)
        }
        isSubscribed = since != nil
        let request: ControlRequest = isSubscribed ? .eventsSubscribe(since: since) : .daemonStatus
        send(request.envelope(id: .integer(0)).line)
        let limit = clinux_monotonic_ns() + UInt64(Self.greetingLimit) * 1_000_000
        while instance == nil {
            let now = clinux_monotonic_ns()
            guard now < limit else { return .unreachable("\(path): the daemon does not answer") }
            if link.state.withLock(\.isClosed) { return .closed }
            if let failure = turn(milliseconds: Int32((limit - now) / 1_000_000) + 1) { return failure }
        }
        return nil
    }

    private var path: String { link.state.withLock(\.path) }

    private static func nanoseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        let most: Int64 = 1_000_000_000
        return UInt64(min(max(0, seconds), most)) * 1_000_000_000 + UInt64(max(0, attoseconds) / 1_000_000_000)
    }

    // MARK: Serving

    /// Sends and reads until the connection ends; returns why it did.
    private mutating func serve() -> HandsetError {
        while true {
            if link.state.withLock(\.isClosed) { return .closed }
            if let instance {
                for line in link.state.withLock({ $0.ledger.sendable(to: instance) }) { send(line) }
            }
            if let failure = turn(milliseconds: -1) { return failure }
        }
    }

    private mutating func send(_ line: [UInt8]) { outbox += line + [UInt8(ascii: "\n")] }

    /// Writes what can be written, waits, reads what there is. Returns why the connection has ended, where it has.
    private mutating func turn(milliseconds: Int32) -> HandsetError? {
        flush()
        let events = POLLIN | (outbox.isEmpty ? 0 : POLLOUT)
        let ready = link.wait(descriptor, events, milliseconds: milliseconds)
        return ready & (POLLIN | POLLHUP | POLLERR) == 0 ? nil : read()
    }

    /// What the daemon said before it closed is worth more than that it closed: an error shows when reading.
    private mutating func flush() {
        while !outbox.isEmpty {
            let sent = outbox.withUnsafeBytes { clinux_unix_send(descriptor, $0.baseAddress, $0.count) }
            guard sent > 0 else {
                if sent != -Int(EAGAIN) { outbox = [] }
                return
            }
            outbox.removeFirst(sent)
        }
    }

    private mutating func read() -> HandsetError? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EINTR || errno == EAGAIN { return nil }
        guard count > 0 else {
            return refusal.map { .refused($0) } ?? .unreachable("\(path): the daemon has closed the connection")
        }
        for case .complete(let line) in framer.append(buffer[..<count]) {
            if let reply = ControlReply(parsing: line) { take(reply) }
        }
        return nil
    }

    private mutating func take(_ reply: ControlReply) {
        switch reply {
        case .event(let params):
            guard let instance, let event = DaemonEvent(params, instance: instance) else { return }
            tell { $0.offer(event) }
        case .result(.integer(0), let result) where instance == nil: greeted(result)
        case .failure(.null, let error): refusal = error
        case .failure(.integer(0), let error) where instance == nil: refuse(error)
        case .result(.integer(let id), let result): answer(id, .success(result))
        case .failure(.integer(let id), let error): answer(id, .failure(.refused(error)))
        case .result, .failure: break
        }
    }

    private mutating func greeted(_ result: JSONValue) {
        guard let run = result["instance"]?.string else {
            return refuse(.invalidRequest("\(path): who answers there is no handsetd of this version"))
        }
        instance = run
        for waiter in link.state.withLock({ $0.ledger.connected(to: run) }) {
            let text = "the daemon was started anew while this was under way; it is not known whether it was done"
            waiter.continuation.resume(returning: .failure(.interrupted(text)))
        }
        guard isSubscribed else { return }
        // Before the first of the events that follow.
        tell { reader in
            reader.offer(.reconnected)
            if reader.cursor?.instance != run {
                reader.offer(.gap(.daemonRestarted))
                reader.begin(at: EventCursor(instance: run, seq: 0))
            } else if result["gap"]?.bool == true {
                reader.offer(.gap(.tooLongAway))
            }
        }
    }

    /// Ends a connection that is of no use.
    private mutating func refuse(_ error: ControlError) {
        refusal = error
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private func answer(_ id: Int64, _ answer: Link.Answer) {
        guard let waiter = link.state.withLock({ $0.ledger.answered(id) }) else { return }
        // Before the next line is looked at, which may be the first event for this reader.
        if case .success(let result) = answer, let (buffer, since) = waiter.reader { begin(buffer, since, result) }
        waiter.continuation.resume(returning: answer)
    }

    private func begin(_ reader: EventBuffer, _ since: EventCursor?, _ result: JSONValue) {
        guard let instance else { return }
        guard let since else {
            reader.begin(at: EventCursor(instance: instance, seq: result["seq"]?.integer ?? 0))
            return
        }
        let isSameRun = since.instance == instance
        reader.begin(at: isSameRun ? since : EventCursor(instance: instance, seq: 0))
        if result["gap"]?.bool == true { reader.offer(.gap(isSameRun ? .tooLongAway : .daemonRestarted)) }
    }

    // MARK: Ending

    private func tell(_ body: (EventBuffer) -> Void) {
        for reader in link.state.withLock(\.readers) { body(reader) }
    }

    /// Fails what waits, and lets new requests wait.
    private func failAll(_ reason: HandsetError) {
        for (waiter, mayBeDone) in link.state.withLock({ $0.ledger.removeAll() }) {
            waiter.continuation.resume(returning: .failure(mayBeDone ? .interrupted(reason.message) : reason))
        }
    }

    /// Nothing can be asked any more.
    private func end(_ reason: HandsetError) {
        link.state.withLock { $0.end = reason }
        failAll(reason)
        tell { $0.end() }
    }
}
