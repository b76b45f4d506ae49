internal import Glibc

/// The system's error numbers and its words for them.
enum SystemError {
    static let addressInUse = EADDRINUSE
    static let wouldBlock = EAGAIN

    /// Whether descriptors or memory ran out; `code` is a negative errno.
    static func isShortage(_ code: Int32) -> Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(-code) }

    /// What to do where a socket cannot listen; `code` is an errno.
    static func advice(_ code: Int32) -> String {
        switch code {
        case EADDRNOTAVAIL: "; no interface of this machine has the address"
        case EACCES: "; ports below 1024 need CAP_NET_BIND_SERVICE"
        default: ""
        }
    }

    /// `code` may be negative, as the shims return it. Safe on any thread: glibc keeps the text per thread since 2.32.
    static func text(_ code: Int32) -> String { String(cString: strerror(abs(code))) }
}
