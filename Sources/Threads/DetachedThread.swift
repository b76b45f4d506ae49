internal import Glibc

/// A thread for what waits in system calls. Nobody joins it.
public enum DetachedThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Why a thread cannot be made: the number of processes, or memory.
    public struct Failure: Error, CustomStringConvertible {
        /// `errno`
        public let code: Int32
        public var description: String { "no thread can be made: \(String(cString: strerror(code)))" }
    }

    /// Begins `body` on a thread of its own.
    public static func start(_ body: @escaping @Sendable () -> Void) throws(Failure) {
        let raw = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { @Sendable raw in
                if let raw { Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run() }
                return nil
            }, raw.toOpaque())
        guard code == 0 else {
            raw.release()
            throw Failure(code: code)
        }
        pthread_detach(thread)
    }
}
