internal import ControlProtocol
internal import Glibc

/// Whether recordings can go where the configuration has them go, before a call is not recorded.
enum RecordingFolder {
    /// - Parameter directory: as `recording.directory` says; empty: that of the state directory, which is told of elsewhere.
    static func problem(_ directory: String) -> ProblemInfo? {
        guard !directory.isEmpty else { return nil }
        // It is made where what it lies in is there.
        let exists = access(directory, F_OK) == 0 || errno != ENOENT
        let checked = exists ? directory : parent(of: directory)
        var status = stat()
        let code: Int32
        if stat(checked, &status) != 0 {
            code = errno
        } else if status.st_mode & S_IFMT != S_IFDIR {
            code = ENOTDIR
        } else {
            code = access(checked, W_OK | X_OK) == 0 ? 0 : errno
        }
        guard code != 0 else { return nil }
        return ProblemInfo(
            setting: "recording.directory",
            message: "no recording can be made in \(directory): \(checked): \(String(cString: strerror(code)))")
    }

    private static func parent(of path: String) -> String {
        let trimmed = path.reversed().drop { $0 == "/" }
        let rest = trimmed.drop { $0 != "/" }
        guard !rest.isEmpty else { return "." }
        let parent = String(rest.drop { $0 == "/" }.reversed())
        return parent.isEmpty ? "/" : parent
    }
}
