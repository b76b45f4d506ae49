internal import CLinux
internal import Glibc
internal import Threads
internal import Synchronization

/// SIGINT, SIGTERM or SIGHUP, for a command that leaves nothing behind. A second one ends the program as it ends any.
final class Interruption: Sendable {
    private let number = Mutex<Int32?>(nil)

    /// The signal that came; nil before.
    var signal: Int32? { number.withLock(\.self) }

    /// What the command fails with that was interrupted; nil where it was not.
    ///
    /// - Parameter what: what came of it.
    func failure(_ what: String) -> Failure? {
        signal.map { Failure(status: 128 + $0, message: "interrupted: \(what)") }
    }

    func note(_ signal: Int32) { number.withLock { $0 = signal } }

    /// Has the first of these signals call `body` on a thread of its own, in place of its usual effect. Once a process.
    static func watch(_ body: @escaping @Sendable (Int32) -> Void) throws(Failure) {
        let descriptor = clinux_terminal_end_signals()
        guard descriptor >= 0 else { throw .failed("cannot catch signals: \(String(cString: strerror(-descriptor)))") }
        try DetachedThread.run {
            var (polled, number) = (pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), UInt8(0))
            while poll(&polled, 1, -1) < 0 {}
            if read(descriptor, &number, 1) == 1 { body(Int32(number)) }
        }
    }
}
