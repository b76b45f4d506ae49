internal import Glibc

/// How long recordings stay that were given no name.
public struct RecordingLimits: Sendable, Hashable {
    /// Days since something was last written to them; 0: for ever.
    public var days: Int
    /// MiB that all of them take on the disk; 0: as much as there is.
    public var mebibytes: Int

    public init(days: Int = 0, mebibytes: Int = 0) {
        self.days = days
        self.mebibytes = mebibytes
    }

    /// Whether they stay whatever comes.
    public var isNone: Bool { days == 0 && mebibytes == 0 }
}

/// Removes recordings from their folder that are too old, and the oldest ones where all together are too large. Files that
/// are not called as recordings that were given no name are nobody's business here.
public struct RecordingPruning: Sendable {
    /// The names of what was removed, the oldest first.
    public private(set) var removed: [String] = []
    /// What should have been removed and could not be, and why; or the folder that cannot be read.
    public private(set) var failures: [RecordingError] = []

    /// Seconds after which the first file may go that had to and was spared, since something was just written to it; nil: there
    /// is none.
    public private(set) var retryAfter: Int?

    /// Seconds since something was last written to a file before it is removed: it may be another daemon's, which writes to it.
    static let rest = 60

    private struct File {
        var name: String
        /// Seconds since 1970.
        var written: Int
        /// That it takes on the disk: a hole takes none.
        var bytes: Int
    }

    /// Does it. May take as long as the disk does: not for the event loop's thread.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - kept: names of files that stay: those that are being written.
    public init(_ folder: String, limits: RecordingLimits, now: Int, keeping kept: Set<String>) {
        guard let directory = opendir(folder) else {
            // Made with the first recording.
            if errno != ENOENT { failures = [RecordingError(path: folder, code: errno)] }
            return
        }
        defer { closedir(directory) }
        let files = Self.recordings(in: directory)
        var total = files.reduce(0) { $0 + $1.bytes }
        for file in files {
            let isOld = limits.days > 0 && file.written < now - limits.days * 86_400
            let isTooMuch = limits.mebibytes > 0 && total > limits.mebibytes << 20
            guard isOld || isTooMuch, !kept.contains(file.name) else { continue }
            guard file.written < now - Self.rest else {
                let seconds = file.written + Self.rest + 1 - now
                retryAfter = min(retryAfter ?? seconds, seconds)
                continue
            }
            guard unlinkat(dirfd(directory), file.name, 0) == 0 else {
                failures.append(RecordingError(path: "\(folder)/\(file.name)", code: errno))
                continue
            }
            removed.append(file.name)
            total -= file.bytes
        }
    }

    /// The oldest first.
    private static func recordings(in directory: OpaquePointer) -> [File] {
        var files: [File] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            var status = stat()
            guard RecordingName.isMade(name), fstatat(dirfd(directory), name, &status, AT_SYMLINK_NOFOLLOW) == 0,
                status.st_mode & S_IFMT == S_IFREG
            else { continue }
            files.append(File(name: name, written: Int(status.st_mtim.tv_sec), bytes: Int(status.st_blocks) * 512))
        }
        return files.sorted { ($0.written, $0.name) < ($1.written, $1.name) }
    }
}
