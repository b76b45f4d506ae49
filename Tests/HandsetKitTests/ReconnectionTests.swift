import CallModel
import ControlProtocol
import HandsetKit
import ScriptedDaemon
import Testing

@Suite("Lost connections", .timeLimit(.minutes(1))) struct ReconnectionTests {
    private let daemon = ScriptedDaemon()
    private let call = CallSnapshot(
        id: CallID(), direction: .incoming, state: .connected, handle: Handle(kind: .generic, value: "sip:a@b"))

    private func connect(_ reconnection: Reconnection = .persistent()) async throws -> Handset {
        try await Handset.connect(to: daemon.path, reconnection: reconnection)
    }

    private func asked(_ method: ControlMethod, _ count: Int) async throws {
        while daemon.asked.filter({ $0.method == method.rawValue }).count < count {
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    @Test("An action under way is sent again under its token, in its place before what came later")
    func resent() async throws {
        let handset = try await connect()
        daemon.answer(.callHold, .silence)
        let id = call.id
        let task = Task { try await handset.request(.action(.hold(id))) }
        try await asked(.callHold, 1)
        daemon.answer(.callHold, .result(["again": .bool(true)]))
        daemon.hangUp()
        #expect(try await handset.calls().isEmpty)
        #expect(try await task.value["again"]?.bool == true)
        let holds = daemon.asked.filter { $0.method == "call.hold" }
        #expect(holds.count == 2)
        #expect(holds[0].params["token"] == holds[1].params["token"])
        #expect(holds[0].params["token"] != nil)
        #expect(daemon.accepted == 2)
    }

    @Test("A daemon that was started anew is not asked to do again what the old one may have done; questions are")
    func startedAnew() async throws {
        let handset = try await connect()
        daemon.answer(.callHold, .silence)
        daemon.answer(.callList, .silence)
        let id = call.id
        let hold = Task { try await handset.hold(id) }
        try await asked(.callHold, 1)
        let list = Task { try await handset.calls() }
        try await asked(.callList, 1)
        daemon.stop()
        daemon.answer(.callList, nil)
        daemon.start(anew: true)
        let error = await #expect(throws: HandsetError.self) { try await hold.value }
        guard case .interrupted? = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(try await list.value.isEmpty)
        #expect(daemon.asked.filter { $0.method == "call.hold" }.count == 1)
    }

    @Test("A request waits for the daemon as long as the patience, not longer")
    func patience() async throws {
        let handset = try await connect(.persistent(patience: .milliseconds(300)))
        daemon.stop()
        let clock = ContinuousClock()
        let took = try await clock.measure {
            let error = await #expect(throws: HandsetError.self) {
                while true { _ = try await handset.calls() }
            }
            guard case .unreachable? = error else { throw HandsetError.malformed("\(String(describing: error))") }
        }
        #expect(took < .seconds(5))
        daemon.start(anew: false)
        while (try? await handset.calls()) == nil {}
    }

    @Test("A client that does not reconnect fails at once, and says that the daemon has gone")
    func never() async throws {
        let handset = try await connect(.never)
        daemon.answer(.callHold, .hangUp)
        let error = await #expect(throws: HandsetError.self) { try await handset.hold(call.id) }
        guard case .interrupted(let text)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(text.contains("has closed the connection"))
        await #expect(throws: HandsetError.self) { try await handset.calls() }
    }

    @Test("Events of the meantime follow, each once and in order")
    func replay() async throws {
        let handset = try await connect()
        var notices = try await handset.events().makeAsyncIterator()
        daemon.tell(.audioActivated)
        #expect(await type(notices.next()) == "audio.activated")
        daemon.stop()
        daemon.tell(.audioDeactivated)
        daemon.tell(.audioResumed)
        guard case .disconnected? = await notices.next() else { return #expect(Bool(false)) }
        daemon.start(anew: false)
        #expect(await notices.next() == .reconnected)
        #expect(await type(notices.next()) == "audio.deactivated")
        #expect(await type(notices.next()) == "audio.resumed")
        daemon.tell(.daemonStopping)
        #expect(await type(notices.next()) == "daemon.stopping")
    }

    @Test("After a new start the reader is told that events are missing, then what the new run has told")
    func gap() async throws {
        let handset = try await connect()
        var notices = try await handset.events().makeAsyncIterator()
        daemon.stop()
        daemon.start(anew: true)
        guard case .disconnected? = await notices.next() else { return #expect(Bool(false)) }
        #expect(await notices.next() == .reconnected)
        #expect(await notices.next() == .gap(.daemonRestarted))
        daemon.tell(.audioActivated)
        #expect(await type(notices.next()) == "audio.activated")
    }

    @Test("Who was away for longer than events are kept is told so")
    func tooLongAway() async throws {
        let handset = try await connect()
        var notices = try await handset.events().makeAsyncIterator()
        daemon.stop()
        for _ in 0..<1_030 { daemon.tell(.audioActivated) }
        daemon.start(anew: false)
        guard case .disconnected? = await notices.next() else { return #expect(Bool(false)) }
        // More than the buffer holds has come, or will; the gap is told in either way, and what is kept follows.
        #expect(await notices.next() == .reconnected)
        #expect(await notices.next() == .gap(.tooLongAway))
        guard case .event(let event)? = await notices.next() else { return #expect(Bool(false)) }
        #expect(event.cursor.seq == 7)
    }

    private func type(_ notice: EventNotice?) -> String? {
        if case .event(let event)? = notice { event.type } else { nil }
    }
}
