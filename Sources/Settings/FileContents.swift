internal import Glibc

/// Why a file could not be read.
public struct FileError: Error {
    /// The errno value.
    public var code: Int32

    /// Whether another user may be allowed to.
    var isForbidden: Bool { code == EACCES || code == EPERM }

    /// For people.
    public var reason: String {
        switch code {
        case ENOENT, ENOTDIR: "there is no such file"
        case EACCES, EPERM: "this user may not read it"
        case EISDIR: "it is a folder"
        // Such as open(2) gives for a socket.
        case ENXIO: "it is no regular file"
        default: String(cString: strerror(code))
        }
    }
}

/// The whole file at `path`, or as much of it as is more than `limit`. What is no regular file is not read, as nobody may ever
/// write to it: `ENXIO`, or `EISDIR`.
///
/// - Parameter mayBeGiven: whether it may be a pipe that this process was given: `/dev/stdin`, or `/dev/fd/63` as a shell
///   makes it. That is read to its end, once.
public func contents(ofFile path: String, limit: Int, mayBeGiven: Bool = false) throws(FileError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw FileError(code: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileError(code: errno) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw FileError(code: EISDIR)
    case S_IFIFO where mayBeGiven && isGiven(path): _ = fcntl(descriptor, F_SETFL, O_RDONLY)
    default: throw FileError(code: ENXIO)
    }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= limit {
        let taken = read(descriptor, &block, block.count)
        if taken < 0 && errno == EINTR { continue }
        guard taken >= 0 else { throw FileError(code: errno) }
        guard taken > 0 else { break }
        bytes += block[..<taken]
    }
    return bytes
}

private func isGiven(_ path: String) -> Bool {
    path == "/dev/stdin" || ["/dev/fd/", "/proc/self/fd/"].contains { path.hasPrefix($0) }
}
