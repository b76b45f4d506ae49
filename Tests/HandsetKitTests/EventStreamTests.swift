import CallModel
import ControlProtocol
import HandsetKit
import ScriptedDaemon
import Testing

@Suite("Streams of events", .timeLimit(.minutes(1))) struct EventStreamTests {
    private let daemon = ScriptedDaemon()

    private func connect() async throws -> Handset { try await Handset.connect(to: daemon.path) }

    private func seq(_ notice: EventNotice?) -> Int? {
        if case .event(let event)? = notice { event.cursor.seq } else { nil }
    }

    @Test("Events are typed, and know where a later reading may go on")
    func typed() async throws {
        let handset = try await connect()
        var notices = try await handset.events().makeAsyncIterator()
        daemon.tell(.audioInterrupted(message: "unplugged"))
        guard case .event(let event)? = await notices.next() else { return #expect(Bool(false)) }
        #expect(event.type == "audio.interrupted")
        #expect(event.content == .audioInterrupted(message: "unplugged"))
        #expect(event.time != nil)
        daemon.tell(.audioResumed)
        daemon.tell(.audioDeactivated)
        #expect(seq(await notices.next()) == 2)
        // Another reader begins after the first event, and the first one sees nothing twice.
        var later = try await handset.events(since: event.cursor).makeAsyncIterator()
        for expected in 2...3 { #expect(seq(await later.next()) == expected) }
        daemon.tell(.daemonStopping)
        #expect(seq(await later.next()) == 4)
        for expected in 3...4 { #expect(seq(await notices.next()) == expected) }
    }

    @Test("A reading that goes on after another run of the daemon is told of the gap")
    func otherRun() async throws {
        daemon.tell(.audioActivated)
        let handset = try await connect()
        let cursor = EventCursor(instance: "another", seq: 7)
        var notices = try await handset.events(since: cursor).makeAsyncIterator()
        #expect(await notices.next() == .gap(.daemonRestarted))
        #expect(seq(await notices.next()) == 1)
    }

    @Test("A slow reader loses the oldest, is told how many, and keeps nobody waiting")
    func slow() async throws {
        let handset = try await connect()
        var slow = try await handset.events(limit: 10).makeAsyncIterator()
        var quick = try await handset.events().makeAsyncIterator()
        for expected in 1...100 {
            daemon.tell(.audioActivated)
            #expect(seq(await quick.next()) == expected)
        }
        #expect(try await handset.calls().isEmpty)
        #expect(await slow.next() == .gap(.readerTooSlow(missed: 90)))
        for expected in 91...100 { #expect(seq(await slow.next()) == expected) }
        daemon.tell(.daemonStopping)
        #expect(seq(await slow.next()) == 101)
    }

    @Test("Reading ends with the task and with the connection, not with the program's last other reference to it")
    func ends() async throws {
        let handset = try await connect()
        let stream = try await handset.events()
        let cancelled = Task {
            var count = 0
            for await _ in stream { count += 1 }
            return count
        }
        daemon.tell(.audioActivated)
        try await Task.sleep(for: .milliseconds(50))
        cancelled.cancel()
        #expect(await cancelled.value == 1)
        daemon.tell(.audioDeactivated)
        let closed = Task { await stream.reduce(0) { count, _ in count + 1 } }
        try await Task.sleep(for: .milliseconds(50))
        handset.close()
        #expect(await closed.value == 1)

        func begin() async throws -> EventStream { try await Handset.connect(to: daemon.path).events() }
        var notices = try await begin().makeAsyncIterator()
        daemon.tell(.audioActivated)
        #expect(seq(await notices.next()) == 3)
    }

    @Test("dial waits for the answer, and tells why there was none")
    func dial() async throws {
        let handset = try await connect()
        let handle = Handle(kind: .generic, value: "sip:a@b")
        var call = CallSnapshot(id: CallID(), direction: .outgoing, state: .connecting, handle: handle)
        let started = ScriptedDaemon.Step.result(ActionResult(call: call, changed: true, elapsedMs: 1).json)
        call.state = .connected
        daemon.answer(.callStart, started, then: [.audioActivated, .callUpdated(call, changed: ["state"])])
        #expect(try await handset.dial("sip:a@b", waiting: true).call == call)
        call.state = .ended
        call.endReason = .failed(status: 503, text: "Service Unavailable")
        daemon.answer(.callStart, started, then: [.callEnded(call)])
        let error = await #expect(throws: HandsetError.self) { try await handset.dial("sip:a@b", waiting: true) }
        #expect(error?.message == "refused: Service Unavailable (SIP 503)")
        // A connection that is lost meanwhile is no end of the call.
        call.state = .connected
        daemon.answer(.callStart, started)
        daemon.calls = [call]
        let task = Task { try await handset.dial("sip:a@b", waiting: true) }
        while daemon.asked.filter({ $0.method == "call.start" }).count < 3 {
            try await Task.sleep(for: .milliseconds(2))
        }
        daemon.stop()
        daemon.start(anew: true)
        #expect(try await task.value.call == call)
    }
}
