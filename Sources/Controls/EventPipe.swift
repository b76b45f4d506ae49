internal import CLinux
internal import ControlProtocol
internal import EventLoop
internal import Glibc
internal import Panel

/// A named pipe that takes events, one a line: for scripts, and for hardware that others read. Made where it is not there, and
/// again where it is removed.
@DaemonActor final class EventPipe {
    let attachment: Attachment
    private var framer = LineFramer(limit: PanelEvent.maximumLength)
    private let tell: (PanelEvent) -> Void
    private var complainedAt: MonotonicInstant?
    private let path: String
    private var removal: (descriptor: Int32, watch: DescriptorWatch?)?
    /// Bytes taken in one turn of the event loop, at most: who floods the pipe does not stop the calls.
    private static let turnLimit = 1_024
    /// A line that is wrong is told of at most so often.
    private static let complaintInterval = 10_000.0

    init(path: String, tell: @escaping (PanelEvent) -> Void) {
        self.tell = tell
        self.path = path
        attachment = Attachment("pipe \(path)", reads: true) { Self.open(path) }
        attachment.onReady = { [weak self] descriptor in self?.read(descriptor) ?? 0 }
        attachment.onOpen = { [weak self] descriptor in
            self?.framer = LineFramer(limit: PanelEvent.maximumLength)
            return self?.watchRemoval(of: descriptor) ?? 0
        }
        attachment.onLoss = { [weak self] in self?.endWatch() }
    }

    func close() {
        endWatch()
        attachment.close()
    }

    /// A pipe that is open does not end when its name is taken away: nobody could write to it any more.
    private func watchRemoval(of descriptor: Int32) -> Int32 {
        endWatch()
        let watched = clinux_watch_file(path)
        // Where the kernel has no watch left to give, the pipe is of use all the same.
        guard watched >= 0 else { return watched == -ENOENT ? watched : 0 }
        let watch = DescriptorWatch(watched, for: .read) { [weak self] _ in
            clinux_watch_take(watched)
            guard let self, !isNamed(descriptor) else { return }
            attachment.lose(-ENOENT)
        }
        removal = (watched, watch)
        return isNamed(descriptor) ? 0 : -ENOENT
    }

    private func endWatch() {
        guard let removal else { return }
        removal.watch?.cancel()
        Glibc.close(removal.descriptor)
        self.removal = nil
    }

    /// Whether the pipe is still what its path names.
    private func isNamed(_ descriptor: Int32) -> Bool {
        var (named, own) = (stat(), stat())
        return lstat(path, &named) == 0 && fstat(descriptor, &own) == 0 && named.st_ino == own.st_ino
            && named.st_dev == own.st_dev
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
