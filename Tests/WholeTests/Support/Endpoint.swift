import ControlProtocol
import Glibc

/// A `handsetd` of its own; if nothing else is said with a tone as microphone and a recording as loudspeaker.
final class Endpoint {
    let name: String
    let port: Int
    let process: ChildProcess
    let control: ControlConnection
    let socket: String
    /// The first of its 16 ports for media.
    let mediaPort: Int
    let configuration: String
    private let loudspeaker: any Loudspeaker
    private let folder: ScratchFolder

    private let host: String

    var uri: String { "sip:\(name)@\(host):\(port)" }

    /// Where the programs under test are: beside the test bundle.
    static let programs: String = {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return bundle.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }()

    /// Starts it and waits until it is ready.
    ///
    /// - Parameter tone: frequency of its microphone's tone in Hz; nil: silence.
    /// - Parameter host: where it listens, numeric; an IPv6 address in brackets.
    /// - Parameter acceptFrom: who may call; nil: whoever is on this machine.
    /// - Parameter autoAnswerFrom: who may ask to be answered by itself.
    /// - Parameter settings: TOML, put after what the test needs.
    /// - Parameter echoUser: whose calls hear themselves.
    /// - Parameter amplitude: of the tone, of full scale.
    /// - Parameter sound: devices to use in place of the tone and the recording.
    init(
        _ name: String, tone: Double?, host: String = "127.0.0.1", srtp: String = "optional", codecs: String? = nil,
        acceptFrom: String? = nil, autoAnswerFrom: String? = nil, settings: String = "", sound: Sound? = nil,
        amplitude: Double = 0.3, echoUser: String? = nil
    ) throws {
        self.name = name
        self.host = host
        let acceptFrom = acceptFrom ?? (host.contains(":") ? "::1/128" : "127.0.0.0/8")
        folder = try ScratchFolder()
        port = try FreePorts.take()
        mediaPort = try FreePorts.take()
        let recording = "\(folder.path)/out.wav"
        loudspeaker = sound?.loudspeaker ?? RecordedLoudspeaker(path: recording)
        socket = "\(folder.path)/control.sock"
        if let tone, sound == nil {
            try WaveFile.tone(tone, seconds: 2, amplitude: amplitude).write(to: "\(folder.path)/in.wav")
        }
        let microphone = tone == nil ? "" : "\(folder.path)/in.wav"
        let text = """
            [audio]
            \(sound?.settings ?? "devices = [\"file:\(microphone),\(recording)\"]\nring = []")
            [sip]
            listen = ["udp:\(host):\(port)", "tcp:\(host):\(port)"]
            [rtp]
            ports = "\(mediaPort)-\(mediaPort + 15)"
            [direct]
            user = "\(name)"
            accept_from = ["\(acceptFrom)"]
            \(autoAnswerFrom.map { "auto_answer_from = [\"\($0)\"]" } ?? "")
            \(echoUser.map { "echo_user = \"\($0)\"" } ?? "")
            srtp = "\(srtp)"
            \(codecs.map { "codecs = \($0)" } ?? "")
            [state]
            directory = "\(folder.path)"
            \(settings)
            """
        configuration = "\(folder.path)/handset.toml"
        try writeFile(configuration, Array(text.utf8))
        process = try ChildProcess(
            "\(Self.programs)/handsetd", ["--config", configuration, "--socket", socket], log: "\(folder.path)/log",
            environment: sound?.environment ?? [:])
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

    /// Waits for another call than `first` to come in; returns its name.
    func incomingCall(beside first: String) throws -> String {
        let event = try control.event("call.incoming") { $0["call"]?["id"]?.string != first }
        guard let id = event["call"]?["id"]?.string else { throw SupportError("a call without id") }
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

    /// What the loudspeaker plays during the next `seconds`, but for what was on its way when this began.
    func listen(seconds: Double) throws -> ArraySlice<Int16> { try loudspeaker.listen(seconds: seconds) }

    /// Waits until `tone` is heard, for the time a buffer takes to fill.
    func expectHeard(_ tone: Double) throws {
        _ = try eventually("\(name) hears \(tone) Hz", within: 8) {
            try listen(seconds: 0.3).heardDbfs(of: tone) > CallPair.audible ? true : nil
        }
    }

    /// Waits until its only call is connected.
    func expectConnected() throws {
        _ = try eventually("\(name) is connected") { try call()["state"]?.string == "connected" ? true : nil }
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
