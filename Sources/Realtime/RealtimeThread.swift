internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread for sound: a stack that is locked and faulted in beforehand, SCHED_FIFO where the system allows it.
///
/// Tell it to end before letting it go: that waits for its end, at most a second.
public final class RealtimeThread: Sendable {
    private let thread: UInt
    private let stack: Stack
    private let hasEnded = Mutex(false)

    /// What the kernel gave: `SCHED_FIFO 50`, or `SCHED_OTHER`, why, and what to do about it.
    public let scheduling: String

    /// Whether it runs ahead of every ordinary thread.
    public let isRealtime: Bool

    /// Starts `body` on a new thread. `name` is cut after 15 bytes; `priority` is that of SCHED_FIFO, 1...99, lowered to
    /// what RLIMIT_RTPRIO allows, or 0 for an ordinary thread.
    public init(
        name: String, priority: Int = 50, stackBytes: Int = 256 << 10, body: @escaping @Sendable () -> Void
    ) throws(RealtimeThreadError) {
        let wanted = min(max(priority, 0), 99)
        let limit = Int(clinux_thread_priority_limit())
        stack = Stack(byteCount: stackBytes)
        let context = Unmanaged.passRetained(Body(run: body))
        var thread: UInt = 0
        var code = -EPERM
        var granted = 0
        // What is wanted, the most an unprivileged user may have, what everyone may have.
        for priority in [wanted, min(limit, wanted), 0] where code == -EPERM {
            granted = priority
            code = stack.startThread(&thread, name: name, priority: priority, context: context)
        }
        guard code == 0 else {
            context.release()
            throw RealtimeThreadError(name: name, code: -code)
        }
        self.thread = thread
        isRealtime = granted > 0
        scheduling = Self.describe(granted: granted, wanted: wanted, stackLockError: stack.lockError)
    }

    deinit {
        // A thread that will not end keeps its stack: leaking it is the lesser evil.
        if join(timeoutMilliseconds: 1_000) { stack.unmap() }
    }

    /// Waits for the thread's end, at most this long, and returns whether it has ended.
    public func join(timeoutMilliseconds: Int) -> Bool {
        hasEnded.withLock { hasEnded in
            if !hasEnded { hasEnded = clinux_thread_join(thread, Int32(clamping: timeoutMilliseconds)) == 0 }
            return hasEnded
        }
    }

    static func describe(granted: Int, wanted: Int, stackLockError: Int32) -> String {
        var text = granted > 0 ? "SCHED_FIFO \(granted)" : "SCHED_OTHER"
        if wanted > 0 && granted == 0 {
            text += ": not permitted, set LimitRTPRIO=\(wanted) (systemd) or rtprio in limits.conf"
        } else if granted < wanted {
            text += " (RLIMIT_RTPRIO is below \(wanted))"
        }
        if stackLockError != 0 {
            text += "; memory not locked, raise LimitMEMLOCK= (systemd) or memlock in limits.conf"
        }
        return text
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// The thread's stack, with an unmapped page below it.
    private struct Stack: @unchecked Sendable {
        private let memory: UnsafeMutableRawPointer
        private let byteCount: Int
        private let guardBytes = Int(clinux_page_size())
        let lockError: Int32

        init(byteCount: Int) {
            let size = max(4, (byteCount + guardBytes - 1) / guardBytes) * guardBytes
            var error: Int32 = 0
            guard let memory = clinux_map_locked(size, guardBytes, &error) else {
                preconditionFailure("cannot map \(size) bytes of memory")
            }
            self.memory = memory
            self.byteCount = size
            lockError = error
        }

        func startThread(
            _ thread: inout UInt, name: String, priority: Int, context: Unmanaged<Body>
        ) -> Int32 {
            clinux_thread_start(
                &thread, String(decoding: name.utf8.prefix(15), as: UTF8.self), memory, byteCount, Int32(priority),
                { @Sendable raw in
                    if let raw { Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run() }
                    return nil
                }, context.toOpaque())
        }

        func unmap() { clinux_unmap(memory, byteCount, guardBytes) }
    }
}

/// A thread could not be started.
public struct RealtimeThreadError: Error, Hashable, CustomStringConvertible {
    /// The thread's name.
    public let name: String
    /// The errno value.
    public let code: Int32

    public var description: String {
        "cannot start thread \(name): \(String(cString: strerror(code))); raise TasksMax= (systemd) or nproc"
    }
}
