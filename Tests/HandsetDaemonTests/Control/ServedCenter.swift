import CallModel
import CallSystem
import ControlProtocol
import EventLoop
import Glibc
import Settings
import Testing

@testable import CallFakes
@testable import HandsetDaemon

/// A control server with a whole call centre behind it, between fakes and on a virtual clock that runs as requests come.
final class ServedCenter: Sendable {
    let path: String
    let server: ControlServer
    let bench: Bench
    private let backend: DaemonBackend

    init(_ policy: CallPolicy = CallPolicy()) async throws {
        EventLoop.shared.runInBackground()
        path = "/tmp/handset-test-\(getpid())-\(CallID()).sock"
        let path = path
        (bench, backend, server) = try await Task { @DaemonActor in
            let bench = Bench(policy)
            bench.log.keepsLines = false
            bench.signalling.peersPickUp = true
            bench.clock.passesByItself = true
            let backend = DaemonBackend(
                center: bench.center, signalling: bench.signalling, media: bench.media,
                reception: Reception(Settings(), stateDirectory: nil), strangers: Strangers(acceptFrom: []),
                stateDirectory: nil)
            let server = ControlServer(group: "", backend: backend)
            try server.listen(path: path)
            bench.center.onEvent = { event in
                if let event = ControlEvent(event, stranger: backend.strangers.info) { server.publish(event) }
            }
            return (bench, backend, server)
        }.value
    }

    /// Has a call come in.
    @DaemonActor func offer(_ call: CallID) { bench.offer(call) }

    /// Whether no call and no stream is left.
    @DaemonActor var isEmpty: Bool { bench.center.calls.isEmpty && bench.media.gates.isEmpty }

    /// The number of the latest event.
    @DaemonActor var sequence: Int { server.log.sequence }

    func close() async { await server.close() }

    func client(isSubscribed: Bool = false) throws -> LineClient {
        guard let client = LineClient(path) else { throw CallError(.timedOut, "cannot connect to \(path)") }
        if isSubscribed { _ = client.ask("{\"id\":0,\"method\":\"events.subscribe\"}") }
        return client
    }
}

/// What this process has of the machine.
struct Footprint: Sendable {
    /// Bytes in memory.
    var resident: Int
    var descriptors: Int
    var threads: Int

    init() {
        resident = Self.field(2, of: "/proc/self/statm") * Int(sysconf(Int32(_SC_PAGESIZE)))
        descriptors = Self.entries(of: "/proc/self/fd")
        threads = Self.entries(of: "/proc/self/task")
    }

    private static func entries(of folder: String) -> Int {
        guard let directory = opendir(folder) else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
    }

    /// The field with that number, from 1, of a line of numbers.
    private static func field(_ number: Int, of path: String) -> Int {
        guard let file = fopen(path, "re") else { return 0 }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = fread(&bytes, 1, bytes.count, file)
        let words = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")
        return words.count >= number ? Int(words[number - 1]) ?? 0 : 0
    }
}
