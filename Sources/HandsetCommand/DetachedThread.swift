internal import Glibc

/// A thread for what waits in a system call.
enum DetachedThread {
    private final class Job: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Begins `body` on a thread of its own. Throws where none can be made.
    static func run(_ body: @escaping @Sendable () -> Void) throws(Failure) {
        let raw = Unmanaged.passRetained(Job(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { @Sendable raw in
                if let raw { Unmanaged<Job>.fromOpaque(raw).takeRetainedValue().body() }
                return nil
            }, raw.toOpaque())
        guard code == 0 else {
            raw.release()
            throw .failed("no thread can be made: \(String(cString: strerror(code)))")
        }
        pthread_detach(thread)
    }
}
