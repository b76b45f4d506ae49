internal import Codecs
internal import Glibc

/// Why a call is not recorded, or no longer.
public struct RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
    public var path: String
    /// Why, and what to do about it.
    public var reason: String

    public init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }

    /// - Parameter code: an errno value.
    init(path: String, code: Int32) {
        let advice: String? =
            switch code {
            case ENOSPC, EDQUOT: "make room, or name another folder in recording.directory"
            case EACCES, EPERM, EROFS:
                "the user that handsetd runs as must be allowed to write there (under systemd: ReadWritePaths=)"
            case ENOENT, ENOTDIR: "the folder must be there"
            case EFBIG: "the format or a limit has no room for more; Opus takes a twentieth"
            default: nil
            }
        let text = String(cString: strerror(code))
        self.init(
            path: path,
            reason: code == EEXIST ? "there is a file of that name" : advice.map { "\(text): \($0)" } ?? text)
    }

    public var description: String { "\(path): \(reason)" }
}
