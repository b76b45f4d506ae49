import ControlProtocol
import Glibc

/// A client of the control socket that waits, 5 s at most.
final class LineClient {
    private let descriptor: Int32
    private var framer = LineFramer(limit: 1 << 22)
    private var lines: ArraySlice<String> = []

    init?(_ path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard code == 0 else {
            close(descriptor)
            return nil
        }
        wait(seconds: 5)
    }

    deinit { close(descriptor) }

    func wait(seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: seconds == 0 ? 200_000 : 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends `bytes` as they are; false where the daemon has closed.
    @discardableResult func send(raw bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    @discardableResult func send(_ line: String) -> Bool { send(raw: Array((line + "\n").utf8)) }

    /// The next line; nil where the daemon has closed, or says nothing in time.
    func next() -> String? {
        while lines.isEmpty {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return nil }
            for case .complete(let line) in framer.append(buffer[..<count]) {
                lines.append(String(decoding: line, as: UTF8.self))
            }
        }
        return lines.popFirst()
    }

    func nextJSON() -> JSONValue? { next().flatMap { try? JSONValue(parsing: Array($0.utf8)) } }

    func ask(_ line: String) -> JSONValue? {
        send(line)
        return nextJSON()
    }

    /// Says that nothing more will be asked.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }
}
