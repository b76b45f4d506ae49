internal import Glibc

/// The folder for what lasts, which is this daemon's alone: two that write one history would end each other's calls in it.
final class StateFolder {
    /// nil: what should last is forgotten at the end.
    let path: String?
    /// Why that is so, for people.
    let warning: String?
    /// Holds the lock, which goes with the process in whatever way that ends.
    private let descriptor: Int32

    /// - Parameter candidate: the folder to take, which can be written to; nil: there is none.
    /// - Parameter configured: `state.directory`, empty where that is not set.
    init(_ candidate: String?, configured: String) {
        let forgotten = "volume, history, contacts and block list are forgotten at the end"
        guard let candidate else {
            let which = configured.isEmpty ? "no folder can" : "state.directory \(configured) cannot"
            (path, warning, descriptor) = (nil, "\(which) be made and written to: \(forgotten)", -1)
            return
        }
        let name = "\(candidate)/lock"
        descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let why =
                errno == EWOULDBLOCK && descriptor >= 0
                ? "is in use by another handsetd\(Self.holder(descriptor)); give this one a state.directory of its own"
                : "cannot be locked (\(name): \(String(cString: strerror(errno))))"
            (path, warning) = (nil, "the state directory \(candidate) \(why): \(forgotten)")
            return
        }
        (path, warning) = (candidate, nil)
        _ = ftruncate(descriptor, 0)
        let text = "\(getpid())\n"
        _ = text.withCString { write(descriptor, $0, strlen($0)) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private static func holder(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        let digits = bytes.prefix(max(0, count)).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return digits.isEmpty ? "" : " (process \(String(decoding: digits, as: UTF8.self)))"
    }
}
