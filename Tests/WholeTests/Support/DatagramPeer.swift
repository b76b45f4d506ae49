import Glibc

/// A UDP socket that a test speaks through, as a peer, a stranger or a nuisance.
final class DatagramPeer {
    let host: String
    let port: Int
    private let descriptor: Int32

    /// - Parameter host: an address of the loopback network.
    init(host: String = "127.0.0.1") throws {
        self.host = host
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var address = Self.address(host, 0)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard descriptor >= 0, code else { throw SupportError("no socket at \(host)") }
        self.descriptor = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }

    private static func address(_ host: String, _ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        return address
    }

    /// Sends to a port of 127.0.0.1.
    func send(_ bytes: [UInt8], to port: Int) {
        var address = Self.address("127.0.0.1", port)
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    func send(_ text: String, to port: Int) { send(Array(text.utf8), to: port) }

    /// The next datagram; nil when none comes in `seconds`.
    func receive(seconds: Double = 5) -> String? {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, Int32(seconds * 1_000)) > 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count >= 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    /// The status of the next final answer; nil when none comes in `seconds`.
    func finalStatus(seconds: Double = 5) -> Int? {
        let deadline = monotonicSeconds() + seconds
        while let text = receive(seconds: max(0, deadline - monotonicSeconds())) {
            guard let word = text.split(separator: " ").dropFirst().first,
                let status = Int(word), status >= 200
            else { continue }
            return status
        }
        return nil
    }

    /// A SIP request outside a dialogue, each a new one.
    ///
    /// - Parameter body: of an INVITE; its type is `type`.
    func request(
        _ method: String, user: String, port target: Int, body: String = "", type: String = "application/sdp"
    ) -> String {
        let name = String(UInt64.random(in: 1 << 32..<UInt64.max), radix: 36)
        var lines = [
            "\(method) sip:\(user)@127.0.0.1:\(target) SIP/2.0",
            "Via: SIP/2.0/UDP \(host):\(port);branch=z9hG4bK\(name);rport",
            "Max-Forwards: 70",
            "From: <sip:lab@\(host):\(port)>;tag=\(name)",
            "To: <sip:\(user)@127.0.0.1:\(target)>",
            "Call-ID: \(name)",
            "CSeq: 1 \(method)",
            "Contact: <sip:lab@\(host):\(port)>",
        ]
        if !body.isEmpty { lines.append("Content-Type: \(type)") }
        lines.append("Content-Length: \(body.utf8.count)")
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }
}

extension String {
    /// With the first `old` replaced by `new`. Full Foundation is not here.
    func replacing(_ old: String, by new: String) -> String {
        guard let range = firstRange(of: old) else { return self }
        return String(self[..<range.lowerBound]) + new + String(self[range.upperBound...])
    }
}
