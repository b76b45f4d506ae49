import CallModel
import ControlProtocol
import HandsetKit
import ScriptedDaemon
import Testing

@Suite("Requests of the client library", .timeLimit(.minutes(1))) struct RequestTests {
    private let daemon = ScriptedDaemon()
    private let call = CallSnapshot(
        id: CallID(), direction: .incoming, state: .connected, handle: Handle(kind: .generic, value: "sip:a@b"))

    private func connect(_ reconnection: Reconnection = .persistent()) async throws -> Handset {
        try await Handset.connect(to: daemon.path, reconnection: reconnection)
    }

    private func asked(_ count: Int) async throws {
        while daemon.asked.count < count { try await Task.sleep(for: .milliseconds(2)) }
    }

    @Test("Calls are typed, both ways")
    func typed() async throws {
        let handset = try await connect()
        daemon.calls = [call]
        #expect(try await handset.calls() == [call])
        let result = ActionResult(call: call, changed: true, elapsedMs: 2.5, peerNotified: true)
        daemon.answer(.callHold, .result(result.json))
        #expect(try await handset.hold(call.id) == result)
        #expect(daemon.asked.last?.params["id"]?.string == call.id.description)
        #expect(handset.path == daemon.path)
    }

    @Test("Recordings, files and probes have functions of their own")
    func files() async throws {
        let handset = try await connect()
        let result = ActionResult(call: call, changed: true, elapsedMs: 2.5)
        for method in [ControlMethod.recordingStart, .recordingStop, .callPlay, .callStopPlaying] {
            daemon.answer(method, .result(result.json))
        }
        #expect(try await handset.startRecording(call.id, to: "a.wav") == result)
        #expect(daemon.asked.last?.params["file"]?.string == "a.wav" && daemon.asked.last?.params["token"] != nil)
        #expect(try await handset.stopRecording(call.id) == result)
        #expect(try await handset.play(file: "/a.wav", loops: true, call.id) == result)
        #expect(daemon.asked.last?.params["loop"]?.bool == true)
        #expect(try await handset.stopPlaying(call.id) == result)
        let wish = ProbeWish(handle: call.handle, seconds: 1)
        let report = ProbeReport(handle: call.handle)
        daemon.answer(.probeRun, .result(report.json))
        #expect(try await handset.probe(wish) == report)
    }

    @Test("A failed action throws the daemon's reason")
    func refusal() async throws {
        let handset = try await connect()
        daemon.answer(.callAnswer, .failure(.failed(.refused, "the peer refused", sipStatus: 488)))
        let error = await #expect(throws: HandsetError.self) { try await handset.answer(call.id) }
        #expect(error?.reason == .refused)
        #expect(error?.message == "refused: the peer refused (SIP 488)")
        let handle = await #expect(throws: HandsetError.self) { try await handset.dial("a<b>") }
        #expect(handle?.reason == .invalidHandle)
    }

    @Test("An answer that is not what the protocol says is an error, and bytes that are none do no harm")
    func malformed() async throws {
        let handset = try await connect()
        daemon.answer(.callHold, .result(["call": "what?"]))
        daemon.tell(
            raw: "}{\n\n\u{0}\n{\"id\":{}}\n[]\n{\"id\":99,\"result\":1}\n{\"method\":\"event\",\"params\":{}}\n")
        let error = await #expect(throws: HandsetError.self) { try await handset.hold(call.id) }
        #expect(error?.message.contains("call.hold") == true)
        #expect(try await handset.calls().isEmpty)
    }

    @Test("Where nobody listens it is said where was looked")
    func unreachable() async throws {
        daemon.stop()
        let error = await #expect(throws: HandsetError.self) { try await connect() }
        guard case .unreachable(let text)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(text.contains(daemon.path) && text.contains("is handsetd running?"))
    }

    @Test("Who may not use the socket is told so")
    func notPermitted() async throws {
        daemon.answer(.daemonStatus, .failure(.failed(.notPermitted, "not you")))
        let error = await #expect(throws: HandsetError.self) { try await connect() }
        #expect(error?.reason == .notPermitted)
    }

    @Test("What changes something carries a token, one's own where one is given; a question carries none")
    func tokens() async throws {
        let handset = try await connect()
        try await handset.request(.action(.mute(call.id)))
        try await handset.request(.action(.mute(call.id)))
        try await handset.request(.action(.mute(call.id)), token: "mine")
        _ = try await handset.calls()
        let tokens = daemon.asked.map { $0.params["token"]?.string }
        #expect(tokens[0] != nil && tokens[1] != nil && tokens[0] != tokens[1])
        #expect(tokens[2] == "mine")
        #expect(tokens[3] == nil)
    }

    @Test("A cancelled task stops waiting, and the connection goes on")
    func cancellation() async throws {
        let handset = try await connect()
        daemon.answer(.callHold, .silence)
        let (handle, id) = (handset, call.id)
        let task = Task { try await handle.hold(id) }
        try await asked(1)
        task.cancel()
        await #expect(throws: HandsetError.cancelled) { try await task.value }
        daemon.answerLate([:])
        #expect(try await handset.calls().isEmpty)
        // One that is cancelled before it begins is not sent.
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await handle.hold(id)
        }
        await #expect(throws: HandsetError.cancelled) { try await early.value }
        #expect(daemon.asked.count == 2)
    }

    @Test("Hundreds of requests at once are answered, each with its own answer, and 64 are under way at most")
    func many() async throws {
        let handset = try await connect()
        daemon.answer(.callMute, .silence)
        let results = try await withThrowingTaskGroup(of: JSONValue.self) { group in
            let call = call.id
            for _ in 0..<300 { group.addTask { try await handset.request(.action(.mute(call))) } }
            try await asked(64)
            try await Task.sleep(for: .milliseconds(50))
            #expect(daemon.asked.count == 64)
            for number in 0..<300 {
                try await asked(number + 1)
                daemon.answerLate(["number": JSONValue(number)])
            }
            return try await group.reduce(into: Set<Int>()) {
                if let number = $1["number"]?.integer { $0.insert(number) }
            }
        }
        #expect(results.count == 300)
    }

    @Test("A request that is longer than a line may be is refused here")
    func tooLong() async throws {
        let handset = try await connect()
        let text = JSONValue.string(String(repeating: "x", count: 70_000))
        let error = await #expect(throws: HandsetError.self) {
            try await handset.request(.contactsAdd, ["name": text])
        }
        guard case .refused(let refusal)? = error else { return #expect(Bool(false)) }
        #expect(refusal.code == ControlError.invalidRequestCode)
        #expect(try await handset.calls().isEmpty)
    }

    @Test("Closing fails what waits and what comes")
    func close() async throws {
        let handset = try await connect()
        daemon.answer(.callHold, .silence)
        let (handle, id) = (handset, call.id)
        let task = Task { try await handle.hold(id) }
        try await asked(1)
        handset.close()
        let error = await #expect(throws: HandsetError.self) { try await task.value }
        #expect(error?.message != nil)
        await #expect(throws: HandsetError.closed) { try await handset.calls() }
    }
}
