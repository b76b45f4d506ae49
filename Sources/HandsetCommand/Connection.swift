internal import CLinux
internal import ControlProtocol
internal import Glibc

/// Where requests are answered: the daemon, or a test's script.
protocol Answering: AnyObject {
    /// Sends a request and waits for its answer; events that come meanwhile are kept.
    func ask(_ envelope: ControlEnvelope) throws(Failure) -> JSONValue
    /// The next event, or nil where none comes within `milliseconds`; negative: waits for ever.
    func nextEvent(within milliseconds: Int32) throws(Failure) -> JSONObject?
}

extension Answering {
    func ask(_ request: ControlRequest) throws(Failure) -> JSONValue {
        try ask(request.envelope(id: .integer(1)))
    }
}

/// A connection to the daemon.
final class Connection: Answering {
    /// Where the daemon was found.
    let path: String
    private let descriptor: Int32
    private var framer = LineFramer(limit: 1 << 22)
    private var lines: ArraySlice<LineFramer.Line> = []
    private var events: ArraySlice<JSONObject> = []
    private var lastID: Int64 = 0

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Connects to the first of `paths` that answers.
    static func open(_ paths: [String]) throws(Failure) -> Connection {
        var tried: [String] = []
        for path in paths {
            let descriptor = clinux_unix_connect_waiting(path)
            if descriptor >= 0 { return Connection(path: path, descriptor: descriptor) }
            let advice =
                switch -descriptor {
                case EACCES, EPERM:
                    " (be a member of the socket's group: sudo usermod -aG handset USER, then log in anew)"
                case ECONNREFUSED: " (the daemon has died: systemctl restart handsetd)"
                default: ""
                }
            tried.append("\(path): \(String(cString: strerror(-descriptor)))\(advice)")
        }
        throw .unreachable("no daemon can be reached; is handsetd running?\n  " + tried.joined(separator: "\n  "))
    }

    func ask(_ envelope: ControlEnvelope) throws(Failure) -> JSONValue {
        lastID += 1
        var envelope = envelope
        envelope.id = .integer(lastID)
        try send(envelope.line + [UInt8(ascii: "\n")])
        while true {
            switch try nextReply(within: -1) {
            case .result(let id, let result)? where id == envelope.id: return result
            case .failure(let id, let error)? where id == envelope.id || id == .null: throw Failure(error)
            case .event(let params)?: events.append(params)
            case .result?, .failure?, nil: break
            }
        }
    }

    func nextEvent(within milliseconds: Int32) throws(Failure) -> JSONObject? {
        if let event = events.popFirst() { return event }
        while let reply = try nextReply(within: milliseconds) {
            if case .event(let params) = reply { return params }
        }
        return nil
    }

    private func send(_ bytes: [UInt8]) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                clinux_unix_send_waiting(descriptor, $0.baseAddress, $0.count)
            }
            // What the daemon said before it closed is worth more than that it closed.
            guard count > 0 else { return }
            sent += count
        }
    }

    private func nextReply(within milliseconds: Int32) throws(Failure) -> ControlReply? {
        while true {
            while let line = lines.popFirst() {
                if case .complete(let bytes) = line, let reply = ControlReply(parsing: bytes) { return reply }
            }
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&polled, 1, milliseconds) == 0 { return nil }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .unreachable("\(path): the daemon has closed the connection") }
            lines += framer.append(buffer[..<count])
        }
    }
}

/// Where the daemon's socket may be.
enum SocketSearch {
    /// `--socket` alone where it is given; else the places in which handsetd makes it.
    ///
    /// - Parameters:
    ///   - configured: `control.socket` of the configuration; nil where it says nothing.
    ///   - own: the user's own folder, where it is there.
    static func paths(
        option: String?, configured: @autoclosure () -> String?, own: String? = nil, environment: (String) -> String?
    ) -> [String] {
        if let option { return [option] }
        func path(_ variable: String, _ suffix: String) -> String? {
            guard let value = environment(variable), value.hasPrefix("/") else { return nil }
            return value + suffix
        }
        let folders = [path("RUNTIME_DIRECTORY", ""), "/run/handset", path("XDG_RUNTIME_DIR", "/handset"), own]
        return [configured()].compactMap { $0 } + folders.compactMap { $0.map { $0 + "/control.sock" } }
    }
}
