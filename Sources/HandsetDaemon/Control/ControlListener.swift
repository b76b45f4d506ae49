internal import CLinux
internal import EventLoop
internal import Glibc

/// Why the control socket cannot be had: what, of which path, and what to do.
public struct ControlSocketError: Error, Sendable, Hashable {
    public var message: String
}

/// The listening socket: one of our own, unlinked at the end, or one that systemd owns.
@DaemonActor final class ControlListener {
    let descriptor: Int32
    /// Something is not as configured, but the socket works.
    private(set) var warning: String?
    private let path: String?
    private let node: (device: dev_t, inode: ino_t)?

    /// Listens at `path` with mode 0660 and the group `group` (nil: our own), making its folder where it is missing.
    ///
    /// A socket left behind by a daemon that died is replaced; one that answers is not: the error says who holds it.
    init(path: String, group: gid_t?) throws(ControlSocketError) {
        Self.makeFolder(of: path)
        var descriptor = clinux_unix_listen(path, 64)
        if descriptor == -EADDRINUSE {
            try Self.removeStale(path)
            descriptor = clinux_unix_listen(path, 64)
        }
        guard descriptor >= 0 else { throw Self.error(path, -descriptor) }
        self.descriptor = descriptor
        self.path = path
        node = Self.node(of: path)
        if let group, chown(path, uid_t.max, group) != 0 {
            warning = "\(path): its group cannot be set to \(group): \(Self.text(errno)); members of it cannot connect"
        }
        if chmod(path, 0o660) != 0 { warning = "\(path): its mode cannot be set to 0660: \(Self.text(errno))" }
    }

    /// Takes a listening socket that was handed to the process. Its path is never unlinked.
    init(inherited descriptor: Int32) throws(ControlSocketError) {
        guard clinux_unix_adopt(descriptor) == 1 else {
            throw ControlSocketError(
                message: "descriptor \(descriptor), inherited, is not a listening Unix stream socket: "
                    + "check ListenStream= of the socket unit")
        }
        self.descriptor = descriptor
        path = nil
        node = nil
    }

    func close() {
        Glibc.close(descriptor)
        // Only what is still ours: another daemon may have taken the place.
        if let path, let node, let present = Self.node(of: path), present == node { unlink(path) }
    }

    // MARK: Parts

    private static func makeFolder(of path: String) {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
        mkdir(String(path[..<slash]), 0o755)
    }

    private static func node(of path: String) -> (device: dev_t, inode: ino_t)? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        return (status.st_dev, status.st_ino)
    }

    private static func removeStale(_ path: String) throws(ControlSocketError) {
        guard node(of: path) != nil else {
            throw ControlSocketError(message: "\(path) exists and is not a socket: remove it, or choose another path")
        }
        let probe = clinux_unix_connect(path)
        if probe >= 0 {
            var peer = clinux_peer()
            let known = clinux_unix_peer(probe, &peer) == 0
            Glibc.close(probe)
            let holder = known ? "process \(peer.pid)\(name(of: peer.pid))" : "another process"
            throw ControlSocketError(message: "\(path) is in use by \(holder): stop it, or choose another path")
        }
        guard probe == -ECONNREFUSED else {
            let reason = probe == -EAGAIN ? "another process that is too busy to answer" : text(-probe)
            throw ControlSocketError(message: "\(path) is in use: \(reason)")
        }
        unlink(path)
    }

    private static func name(of process: Int32) -> String {
        guard let file = fopen("/proc/\(process)/comm", "re") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = fread(&bytes, 1, bytes.count, file)
        let name = String(decoding: bytes[..<count], as: UTF8.self).filter { !$0.isNewline }
        return name.isEmpty ? "" : " (\(name))"
    }

    private static func error(_ path: String, _ code: Int32) -> ControlSocketError {
        let advice =
            switch code {
            case ENOENT: ": make its folder first"
            case EACCES, EPERM, EROFS: ": choose a folder this user may write to"
            case ENAMETOOLONG: ": a socket's path has at most 107 bytes"
            default: ""
            }
        return ControlSocketError(message: "\(path) cannot be made: \(text(code))\(advice)")
    }

    private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
