internal import Glibc

/// Who holds a local port, as far as /proc tells us.
enum PortHolder {
    /// `NAME (pid N)`, or `a process of user N` where its descriptors may not be read; nil where the port is not found.
    static func find(_ address: ListenAddress) -> String? {
        let table = "/proc/net/\(address.transport.rawValue)"
        for path in [table, table + "6"] {
            for line in contents(of: path).split(separator: "\n").dropFirst() {
                let fields = line.split(separator: " ", maxSplits: 10)
                guard fields.count > 9,
                    let port = fields[1].split(separator: ":").last.flatMap({ UInt16($0, radix: 16) }),
                    port == address.address.port, address.transport == .udp || fields[3] == "0A"
                else { continue }
                return process(holding: String(fields[9])) ?? "a process of user \(fields[7])"
            }
        }
        return nil
    }

    private static func process(holding inode: String) -> String? {
        for pid in entries(of: "/proc") where pid.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
            for descriptor in entries(of: "/proc/\(pid)/fd")
            where link("/proc/\(pid)/fd/\(descriptor)") == "socket:[\(inode)]" {
                let name = contents(of: "/proc/\(pid)/comm").split(separator: "\n").first.map(String.init)
                return "\(name ?? "a process") (pid \(pid))"
            }
        }
        return nil
    }

    private static func contents(of path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while text.count < 4 << 20 {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            text += buffer.prefix(count)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func entries(of path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names
    }

    private static func link(_ path: String) -> String {
        var buffer = [CChar](repeating: 0, count: 64)
        let count = readlink(path, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
