import Glibc
import Supervision
import Testing

@Suite("What systemd is told", .serialized) struct ServiceManagerTests {
    /// What came on a notification socket while `body` ran, one element a datagram.
    private func notifications(_ body: () -> Void) throws -> [String] {
        let path = "/tmp/handset-notify-\(getpid())"
        unlink(path)
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer {
            close(descriptor)
            unlink(path)
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        setenv("NOTIFY_SOCKET", path, 1)
        defer { unsetenv("NOTIFY_SOCKET") }
        body()
        var texts: [String] = []
        var buffer = [UInt8](repeating: 0, count: 512)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return texts }
            texts.append(String(decoding: buffer.prefix(count), as: UTF8.self))
        }
    }

    @Test("A reload begins with a time stamp and ends with readiness, as Type=notify and Type=notify-reload want it")
    func reload() throws {
        let texts = try notifications {
            ServiceManager.reloading()
            ServiceManager.reloaded(status: "listening")
        }
        try #require(texts.count == 2)
        let lines = texts[0].split(separator: "\n")
        #expect(lines.first == "RELOADING=1")
        #expect(lines.last?.hasPrefix("MONOTONIC_USEC=") == true)
        #expect(lines.last.flatMap { UInt64($0.dropFirst("MONOTONIC_USEC=".count)) } ?? 0 > 0)
        #expect(texts[1] == "READY=1\nSTATUS=listening")
    }

    @Test("Nothing where another program started the daemon")
    func elsewhere() {
        unsetenv("NOTIFY_SOCKET")
        ServiceManager.ready(status: "nobody hears this")
        #expect(ServiceManager.watchdogInterval == nil)
    }
}
