import ControlProtocol
import Glibc

/// A client of the control socket that waits for its answers.
final class ControlConnection {
    private let descriptor: Int32
    private var received: [UInt8] = []
    private var nextID = 1
    /// Events that came while an answer was waited for, and since.
    private(set) var events: [JSONValue] = []

    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard descriptor >= 0, code == 0 else { throw SupportError("nobody listens at \(path)") }
    }

    deinit { close(descriptor) }

    /// Sends bytes as they are.
    func sendRaw(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw SupportError("the connection is closed") }
            rest = rest.dropFirst(count)
        }
    }

    /// The next line; nil when none comes in `seconds`.
    func readLine(seconds: Double = 10) throws -> JSONValue? {
        let deadline = monotonicSeconds() + seconds
        while true {
            if let end = received.firstIndex(of: 0x0A) {
                let line = Array(received[..<end])
                received.removeFirst(end + 1)
                return try JSONValue(parsing: line)
            }
            let left = deadline - monotonicSeconds()
            guard left > 0 else { return nil }
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, Int32(left * 1_000) + 1) > 0 else { continue }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { throw SupportError("the connection was closed") }
            received += buffer[..<count]
        }
    }

    /// The whole answer to a request: with `result` or `error`.
    func answer(_ method: String, _ parameters: JSONObject = [:], seconds: Double = 20) throws -> JSONValue {
        let id = nextID
        nextID += 1
        let request: JSONObject = [
            "jsonrpc": .string("2.0"), "id": .integer(Int64(id)), "method": .string(method),
            "params": .object(parameters),
        ]
        try sendRaw(JSONValue.object(request).text + "\n")
        return try self.answer(to: .integer(Int64(id)), method, seconds: seconds)
    }

    /// The whole answer to a request that was sent with that id.
    func answer(to id: JSONValue, _ method: String = "the request", seconds: Double = 20) throws -> JSONValue {
        let deadline = deadline(after: seconds)
        while let line = try readLine(seconds: max(0, deadline - monotonicSeconds())) {
            if line["id"] == id { return line }
            if line["method"]?.string == "event", let event = line["params"] { events.append(event) }
        }
        throw SupportError("no answer to \(method) in \(seconds) s")
    }

    /// The result of a request that must succeed.
    @discardableResult
    func request(_ method: String, _ parameters: JSONObject = [:], seconds: Double = 20) throws -> JSONValue {
        let answer = try answer(method, parameters, seconds: seconds)
        guard let result = answer["result"] else {
            throw SupportError("\(method) failed: \(answer["error"].map { $0.text } ?? "no result")")
        }
        return result
    }

    /// The reason of a request that must fail.
    func failure(_ method: String, _ parameters: JSONObject = [:]) throws -> String {
        let answer = try answer(method, parameters)
        guard let reason = answer["error"]?["data"]?["reason"]?.string else {
            throw SupportError("\(method) did not fail with a reason: \(answer.text)")
        }
        return reason
    }

    /// The first event of that type that was not taken before; waits for it.
    func event(_ type: String, seconds: Double = 10, where matches: (JSONValue) -> Bool = { _ in true }) throws
        -> JSONValue
    {
        let deadline = deadline(after: seconds)
        while true {
            if let index = events.firstIndex(where: { $0["type"]?.string == type && matches($0) }) {
                return events.remove(at: index)
            }
            guard let line = try readLine(seconds: max(0, deadline - monotonicSeconds())) else {
                throw SupportError(
                    "no event \(type) in \(seconds) s; there were \(events.compactMap { $0["type"]?.string })")
            }
            if line["method"]?.string == "event", let event = line["params"] { events.append(event) }
        }
    }
}
