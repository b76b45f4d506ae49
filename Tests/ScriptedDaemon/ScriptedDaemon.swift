public import CallModel
public import ControlProtocol
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// A daemon that follows a script: a control socket with answers that the test chose.
public final class ScriptedDaemon: Sendable {
    /// What it does with a request.
    public enum Step: Sendable {
        case result(JSONValue)
        case failure(ControlError)
        /// Says nothing; the test answers later, or never.
        case silence
        /// Closes the connection in place of an answer.
        case hangUp
    }

    private struct State {
        var log = EventLog<JSONObject>(instance: CallID().description)
        var answers: [String: (step: Step?, events: [ControlEvent])] = [:]
        var calls: [CallSnapshot] = []
        var asked: [ControlEnvelope] = []
        var listener: Int32 = -1
        var connections: [Int32: Bool] = [:]
        var unanswered: [(connection: Int32, id: JSONValue)] = []
        var accepted = 0
    }

    /// Where it listens.
    public let path = "/tmp/handset-script-\(getpid())-\(CallID()).sock"
    private let state = Mutex(State())

    public init() { listen() }

    deinit { stop() }

    // MARK: The script

    /// Answers every request of `method` like this (nil: as by itself), and then tells `events`.
    public func answer(_ method: ControlMethod, _ step: Step?, then events: [ControlEvent] = []) {
        state.withLock { $0.answers[method.rawValue] = (step, events) }
    }

    /// What `call.list` answers.
    public var calls: [CallSnapshot] {
        get { state.withLock(\.calls) }
        set { state.withLock { $0.calls = newValue } }
    }

    /// The requests so far, without those by which a client greets.
    public var asked: [ControlEnvelope] { state.withLock(\.asked).filter { $0.id != .integer(0) } }

    /// Connections so far.
    public var accepted: Int { state.withLock(\.accepted) }

    /// Answers what was met with silence, the oldest first.
    public func answerLate(_ result: JSONValue) {
        let next = state.withLock { $0.unanswered.isEmpty ? nil : $0.unanswered.removeFirst() }
        if let next { write(.result(id: next.id, result), to: next.connection) }
    }

    /// Tells an event to all who have subscribed.
    public func tell(_ event: ControlEvent) { state.withLock { tell(event, &$0) } }

    private func tell(_ event: ControlEvent, _ state: inout State) {
        let params = event.params(seq: state.log.sequence + 1, time: Date())
        state.log.append(params)
        for (connection, isSubscribed) in state.connections where isSubscribed {
            write(.event(params), to: connection)
        }
    }

    /// Writes bytes to all clients as they are.
    public func tell(raw text: String) {
        for connection in state.withLock({ Array($0.connections.keys) }) { write(Array(text.utf8), to: connection) }
    }

    /// Cuts all connections.
    public func hangUp() {
        for connection in state.withLock({ Array($0.connections.keys) }) { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    /// Ends: nobody can connect any more.
    public func stop() {
        let listener = state.withLock { state in
            defer { state.listener = -1 }
            return state.listener
        }
        if listener >= 0 { shutdown(listener, Int32(SHUT_RDWR)) }
        unlink(path)
        hangUp()
    }

    /// Begins again after `stop`: as another run of the daemon, or as the same one.
    public func start(anew: Bool) {
        if anew { state.withLock { $0.log = EventLog(instance: CallID().description) } }
        listen()
    }

    // MARK: Sockets

    private func listen() {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        precondition(code == 0 && Glibc.listen(descriptor, 64) == 0, "cannot listen at \(path)")
        state.withLock { $0.listener = descriptor }
        inBackground { daemon in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0, let daemon = daemon() else { break }
                daemon.serve(connection)
            }
            close(descriptor)
        }
    }

    private func serve(_ connection: Int32) {
        state.withLock { state in
            state.connections[connection] = false
            state.accepted += 1
        }
        inBackground { daemon in
            var framer = LineFramer()
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(connection, &buffer, buffer.count)
                guard count > 0, let daemon = daemon() else { break }
                for case .complete(let line) in framer.append(buffer[..<count]) {
                    if let envelope = try? ControlEnvelope(parsing: line) { daemon.take(envelope, from: connection) }
                }
            }
            daemon()?.state.withLock { state in
                state.connections[connection] = nil
                state.unanswered.removeAll { $0.connection == connection }
            }
            close(connection)
        }
    }

    /// Runs `body` on a thread; it gets this object for as long as that is there.
    private func inBackground(_ body: @escaping @Sendable (() -> ScriptedDaemon?) -> Void) {
        final class Job: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        let job = Job { [weak self] in body { self } }
        var thread = pthread_t()
        let raw = Unmanaged.passRetained(job).toOpaque()
        let code = pthread_create(
            &thread, nil,
            { @Sendable raw in
                if let raw { Unmanaged<Job>.fromOpaque(raw).takeRetainedValue().body() }
                return nil
            }, raw)
        precondition(code == 0, "cannot make a thread")
        pthread_detach(thread)
    }

    // MARK: Answering

    private func take(_ envelope: ControlEnvelope, from connection: Int32) {
        guard let id = envelope.id else { return }
        state.withLock { state in
            state.asked.append(envelope)
            switch step(for: envelope, from: connection, &state) {
            case .result(let result): write(.result(id: id, result), to: connection)
            case .failure(let error): write(.failure(id: id, error), to: connection)
            case .silence: state.unanswered.append((connection, id))
            case .hangUp: shutdown(connection, Int32(SHUT_RDWR))
            }
            if envelope.method == ControlMethod.eventsSubscribe.rawValue {
                state.connections[connection] = true
                for entry in replay(envelope, state)?.entries ?? [] { write(.event(entry.event), to: connection) }
            }
            for event in state.answers[envelope.method]?.events ?? [] { tell(event, &state) }
        }
    }

    private func step(for envelope: ControlEnvelope, from connection: Int32, _ state: inout State) -> Step {
        if let step = state.answers[envelope.method]?.step { return step }
        switch ControlMethod(rawValue: envelope.method) {
        case .daemonStatus: return .result(DaemonStatus(version: handsetVersion, instance: state.log.instance).json)
        case .callList: return .result(["calls": .array(state.calls.map(\.json))])
        case .statsGet: return .result(StatisticsReport(calls: [], loop: LoopFigures()).json)
        case .eventsSubscribe:
            return .result([
                "instance": .string(state.log.instance), "seq": JSONValue(state.log.sequence),
                "gap": .bool(replay(envelope, state)?.gap ?? false),
            ])
        default: return .result([:])
        }
    }

    private func replay(_ envelope: ControlEnvelope, _ state: State) -> EventLog<JSONObject>.Replay? {
        guard let since = envelope.params["since"], let seq = since["seq"]?.integer,
            let instance = since["instance"]?.string
        else { return nil }
        return state.log.replay(since: seq, instance: instance)
    }

    private func write(_ reply: ControlReply, to connection: Int32) {
        write(reply.line + [UInt8(ascii: "\n")], to: connection)
    }

    private func write(_ bytes: [UInt8], to connection: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
