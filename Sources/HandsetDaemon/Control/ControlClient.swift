internal import CLinux
internal import ControlProtocol
internal import EventLoop
internal import Glibc

/// One connection of a client: lines in, lines out, and never a wait for it.
@DaemonActor final class ControlClient {
    /// Bytes that may wait to be read by a client before it is cut off.
    static let pendingLimit = 1 << 20
    /// Requests under way before no further line of the client is looked at.
    static let inFlightLimit = 64
    /// Lines looked at before others have their turn.
    static let linesPerTurn = 64

    /// The user at the other end.
    let user: uid_t
    var isSubscribed = false
    private let descriptor: Int32
    private var watch: DescriptorWatch?
    private var framer = LineFramer()
    private var waiting: ArraySlice<LineFramer.Line> = []
    private var outbox: [UInt8] = []
    private var outboxStart = 0
    private var allowance = 0
    private var inFlight = 0
    private var readAt = MonotonicInstant(nanoseconds: 0)
    private var hasEnded = false
    private var isScheduled = false
    private var isWorking = false
    private(set) var isOpen = true

    private let onLine: @DaemonActor (ControlClient, LineFramer.Line, MonotonicInstant) -> Void
    private let onClose: @DaemonActor (ControlClient) -> Void

    /// Takes over `descriptor`; nil, and closed, where it cannot be watched.
    init?(
        descriptor: Int32, user: uid_t,
        onLine: @escaping @DaemonActor (ControlClient, LineFramer.Line, MonotonicInstant) -> Void,
        onClose: @escaping @DaemonActor (ControlClient) -> Void
    ) {
        self.descriptor = descriptor
        self.user = user
        self.onLine = onLine
        self.onClose = onClose
        watch = DescriptorWatch(descriptor, for: .read) { [weak self] ready in self?.isReady(ready) }
        guard watch != nil else {
            Glibc.close(descriptor)
            return nil
        }
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        watch?.cancel()
        Glibc.close(descriptor)
        outbox = []
        waiting = []
        onClose(self)
    }

    // MARK: Requests under way

    func began() { inFlight += 1 }

    func ended() {
        inFlight -= 1
        work()
    }

    // MARK: Writing

    /// Sends `lines`, which end with line feeds. A client that leaves a mebibyte unread is cut off.
    ///
    /// - Parameter allowance: bytes of it that do not count, until all has been read once: what was asked for.
    func send(_ lines: [UInt8], allowance: Int = 0) {
        guard isOpen else { return }
        outbox.append(contentsOf: lines)
        self.allowance += allowance
        flush()
        guard isOpen, outbox.count - outboxStart > Self.pendingLimit + self.allowance else { return }
        close()
    }

    private func flush() {
        while outboxStart < outbox.count {
            let sent = outbox.withUnsafeBytes { bytes in
                clinux_unix_send(descriptor, bytes.baseAddress?.advanced(by: outboxStart), bytes.count - outboxStart)
            }
            guard sent > 0 else {
                if sent != -Int(EAGAIN) { return close() }
                break
            }
            outboxStart += sent
        }
        if outboxStart == outbox.count {
            outbox.removeAll(keepingCapacity: outbox.capacity <= 16_384)
            outboxStart = 0
            allowance = 0
        } else if outboxStart > 65_536 {
            outbox.removeFirst(outboxStart)
            outboxStart = 0
        }
        updateWatch()
        closeWhereDone()
    }

    // MARK: Reading

    private var isPaused: Bool { inFlight >= Self.inFlightLimit || !waiting.isEmpty }

    private func updateWatch() {
        guard isOpen else { return }
        var events: Readiness = []
        if !hasEnded, !isPaused { events.insert(.read) }
        if outboxStart < outbox.count { events.insert(.write) }
        watch?.update(events)
    }

    private func isReady(_ ready: Readiness) {
        if ready.contains(.write) { flush() }
        guard isOpen else { return }
        if ready.contains(.read) {
            read()
        } else if ready.contains(.hangUp) {
            close()
        }
    }

    private func read() {
        guard !isPaused, !hasEnded else { return }
        readAt = .now
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = max(-1, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
            if count < 0 { (count, hasFailed) = (0, errno) } else { hasFailed = 0 }
        }
        switch (bytes.isEmpty, hasFailed) {
        case (false, _):
            waiting = framer.append(bytes)[...]
            work()
        case (true, EAGAIN), (true, EINTR): break
        case (true, 0):  // The client will ask no more; what it has asked is still answered.
            hasEnded = true
            // A line that was cut off is no JSON, so that nothing is done by half.
            waiting = framer.finish()[...]
            work()
        default: close()
        }
    }

    private var hasFailed: Int32 = 0

    /// Looks at lines that wait. Requests that end at once end within it, and do not make it recurse.
    private func work() {
        guard !isWorking else { return }
        isWorking = true
        defer { isWorking = false }
        var turn = 0
        while isOpen, turn < Self.linesPerTurn, inFlight < Self.inFlightLimit, let line = waiting.popFirst() {
            turn += 1
            onLine(self, line, readAt)
        }
        guard isOpen else { return }
        if !waiting.isEmpty, inFlight < Self.inFlightLimit, !isScheduled {
            isScheduled = true
            Timer(after: .zero) { [weak self] in
                self?.isScheduled = false
                self?.work()
            }
        }
        updateWatch()
        closeWhereDone()
    }

    private func closeWhereDone() {
        if isOpen, hasEnded, !isSubscribed, inFlight == 0, waiting.isEmpty, outboxStart == outbox.count { close() }
    }
}
