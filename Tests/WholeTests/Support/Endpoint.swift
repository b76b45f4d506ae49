import ControlProtocol
import Glibc

/// A `handsetd` of its own, with a tone as microphone and a recording as loudspeaker.
final class Endpoint {
    let name: String
    let port: Int
    let process: ChildProcess
    let control: ControlConnection
    let socket: String
    /// What the loudspeaker played.
    let recording: String
    private let folder: ScratchFolder

    var uri: String { "sip:\(name)@127.0.0.1:\(port)" }

    /// Where the programs under test are: beside the test bundle.
    static let programs: String = {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return bundle.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }()

    /// Starts it and waits until it is ready.
    ///
    /// - Parameter tone: frequency of its microphone's tone in Hz; nil: silence.
    /// - Parameter settings: TOML, put after what the test needs.
    init(
        _ name: String, tone: Double?, srtp: String = "optional", codecs: String? = nil, settings: String = "",
        audio: String? = nil, environment: [String: String] = [:]
    ) throws {
        self.name = name
        folder = try ScratchFolder()
        port = try FreePorts.take()
        let media = try FreePorts.take()
        recording = "\(folder.path)/out.wav"
        socket = "\(folder.path)/control.sock"
        if let tone { try WaveFile.tone(tone, seconds: 2).write(to: "\(folder.path)/in.wav") }
        let microphone = tone == nil ? "" : "\(folder.path)/in.wav"
        let configuration = """
            [audio]
            \(audio ?? "devices = [\"file:\(microphone),\(recording)\"]\nring = []")
            [sip]
            listen = ["udp:127.0.0.1:\(port)", "tcp:127.0.0.1:\(port)"]
            [rtp]
            ports = "\(media)-\(media + 15)"
            [direct]
            user = "\(name)"
            accept_from = ["127.0.0.0/8"]
            srtp = "\(srtp)"
            \(codecs.map { "codecs = \($0)" } ?? "")
            [state]
            directory = "\(folder.path)"
            \(settings)
            """
        try writeFile("\(folder.path)/handset.toml", Array(configuration.utf8))
        process = try ChildProcess(
            "\(Self.programs)/handsetd", ["--config", "\(folder.path)/handset.toml", "--socket", socket],
            log: "\(folder.path)/log", environment: environment)
        let (process, path) = (process, socket)
        control = try eventually("\(name) is ready") {
            if let status = process.poll() { throw SupportError("handsetd ended with \(status): \(process.output)") }
            return try? ControlConnection(path: path)
        }
        try control.request("events.subscribe")
    }

    /// Its only call.
    func call() throws -> JSONValue {
        let calls = try control.request("call.list")["calls"]?.array ?? []
        guard calls.count == 1, let call = calls.first else { throw SupportError("\(name) has \(calls.count) calls") }
        return call
    }

    func callID() throws -> String {
        guard let id = try call()["id"]?.string else { throw SupportError("a call without id") }
        return id
    }

    @discardableResult
    func act(_ method: String, _ more: JSONObject = [:]) throws -> JSONValue {
        var parameters = more
        if parameters["id"] == nil { parameters["id"] = .string(try callID()) }
        return try control.request(method, parameters)
    }

    /// Figures of its only call.
    func statistics() throws -> JSONValue {
        guard let figures = try control.request("stats.get")["calls"]?.array?.first else {
            throw SupportError("\(name) has no statistics")
        }
        return figures
    }

    /// What the loudspeaker plays during the next `seconds`.
    ///
    /// Another thread writes the recording: what it still had to write when this began is left out.
    func listen(seconds: Double) throws -> ArraySlice<Int16> {
        let start = WaveFile.count(at: recording) + Int(0.2 * Double(WaveFile.rate))
        let wanted = start + Int(seconds * Double(WaveFile.rate))
        let path = recording
        _ = try eventually("\(name) records", within: seconds + 5) { WaveFile.count(at: path) >= wanted ? true : nil }
        return try WaveFile(contentsOf: path).samples[start..<wanted]
    }
}

/// UDP port numbers that were free a moment ago, in steps of 16, different in each call.
enum FreePorts {
    private static nonisolated(unsafe) var next = 20_000 + Int(getpid()) % 1_000 * 32
    private static nonisolated(unsafe) var lock = pthread_mutex_t()

    static func take() throws -> Int {
        pthread_mutex_lock(&lock)
        defer { pthread_mutex_unlock(&lock) }
        for _ in 0..<500 {
            next += 16
            if next > 59_000 { next = 20_000 }
            if isFree(next) { return next }
        }
        throw SupportError("no free port")
    }

    private static func isFree(_ port: Int) -> Bool {
        for kind in [SOCK_DGRAM, SOCK_STREAM] {
            let descriptor = socket(AF_INET, Int32(kind.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            let code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if code != 0 { return false }
        }
        return true
    }
}
