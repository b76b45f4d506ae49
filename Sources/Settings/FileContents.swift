internal import Glibc

/// Why a file could not be read.
public struct FileError: Error {
    /// The errno value.
    public var code: Int32

    /// For people.
    public var reason: String {
        switch code {
        case ENOENT, ENOTDIR: "there is no such file"
        case EACCES, EPERM: "this user may not read it"
        case ENXIO: "it is no regular file"
        default: String(cString: strerror(code))
        }
    }
}

/// The whole file at `path`, or as much of it as is more than `limit`.
///
/// - Parameter mayWait: whether it may be a pipe, whose writer is waited for. What may not, and is no regular file, is not
///   read: `ENXIO`.
public func contents(ofFile path: String, limit: Int, mayWait: Bool = true) throws(FileError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | (mayWait ? 0 : O_NONBLOCK))
    guard descriptor >= 0 else { throw FileError(code: errno) }
    defer { close(descriptor) }
    if !mayWait {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileError(code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileError(code: ENXIO) }
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
