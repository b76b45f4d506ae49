internal import Glibc

/// The system's words for an errno.
enum SystemError {
    /// `code` may be negative, as the shims return it. Safe on any thread: glibc keeps the text per thread since 2.32.
    static func text(_ code: Int32) -> String { String(cString: strerror(abs(code))) }
}
