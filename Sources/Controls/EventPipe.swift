internal import ControlProtocol
internal import EventLoop
internal import Glibc
internal import Panel

/// A named pipe that takes events, one a line: for scripts, and for hardware that others read. Made where it is not there.
@DaemonActor final class EventPipe {
    let attachment: Attachment
    private var framer = LineFramer(limit: PanelEvent.maximumLength)
    private let tell: (PanelEvent) -> Void
    private var complainedAt: MonotonicInstant?
    /// Bytes taken in one turn of the event loop, at most: who floods the pipe does not stop the calls.
    private static let turnLimit = 1_024
    /// A line that is wrong is told of at most so often.
    private static let complaintInterval = 10_000.0

    init(path: String, tell: @escaping (PanelEvent) -> Void) {
        self.tell = tell
        attachment = Attachment("pipe \(path)", reads: true) { Self.open(path) }
        attachment.onReady = { [weak self] descriptor in self?.read(descriptor) ?? 0 }
        attachment.onOpen = { [weak self] _ in
            self?.framer = LineFramer(limit: PanelEvent.maximumLength)
            return 0
        }
    }

    private static func open(_ path: String) -> Int32 {
        let isNew = mkfifo(path, 0o660) == 0
        guard isNew || errno == EEXIST else { return -errno }
        // For writing, too: so it does not end when a writer goes.
        let descriptor = Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return -errno }
        guard isPipe(descriptor) else {
            Glibc.close(descriptor)
            return -ENOTTY
        }
        // Its group may write, whatever the umask says.
        if isNew { fchmod(descriptor, 0o660) }
        return descriptor
    }

    static func isPipe(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    private func read(_ descriptor: Int32) -> Int32 {
        let bytes = withUnsafeTemporaryAllocation(byteCount: Self.turnLimit, alignment: 1) { buffer in
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            return count < 0 ? nil : Array(buffer.prefix(count))
        }
        guard let bytes else { return errno == EAGAIN || errno == EINTR ? 0 : -errno }
        for line in framer.append(bytes) {
            if case .complete(let text) = line, let event = PanelEvent(parsing: text) {
                tell(event)
            } else {
                complain("a line is not `press NAME` or `release NAME`")
            }
        }
        return 0
    }

    /// Says what is wrong with what came, now and then.
    func complain(_ what: String) {
        let now = MonotonicInstant.now
        if let complainedAt, now.milliseconds(since: complainedAt) < Self.complaintInterval { return }
        complainedAt = now
        attachment.note?("\(attachment.name): \(what)", true)
    }
}
