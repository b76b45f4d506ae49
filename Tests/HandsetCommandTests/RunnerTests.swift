import CallModel
import ControlProtocol
import HandsetKit
import ScriptedDaemon
import Synchronization
import Testing

@testable import HandsetCommand

@Suite("Commands") struct RunnerTests {
    private let daemon = ScriptedDaemon()

    /// Runs a command line against the daemon and returns what it printed.
    @discardableResult
    private func run(
        _ line: String, onSignal: @escaping @Sendable (@escaping @Sendable (Int32) -> Void) -> Void = { _ in }
    ) async throws -> String {
        let output = Output()
        try await run(line, output, onSignal: onSignal)
        return output.text
    }

    private func run(
        _ line: String, _ output: Output, onSignal: @escaping @Sendable (@escaping @Sendable (Int32) -> Void) -> Void
    ) async throws {
        let invocation = try Invocation(parsing: line.split(separator: " ").map(String.init))
        guard case .run(let command) = invocation.action else { return }
        let handset = try await Handset.connect(to: daemon.path, reconnection: .never)
        let terminal = Terminal(
            write: output.add, writeError: output.add, isInteractive: false, onSignal: { onSignal($0) })
        try await Runner(handset: handset, terminal: terminal, json: invocation.json).run(command)
    }

    private final class Output: Sendable {
        private let parts = Mutex("")
        var text: String { parts.withLock(\.self) }
        func add(_ text: String) { parts.withLock { $0 += text } }
    }

    private func call(_ state: CallState = .connected, held: Bool = false) -> CallSnapshot {
        var call = CallSnapshot(
            id: CallID(), direction: .outgoing, state: state, handle: Handle(kind: .generic, value: "sip:a@b"))
        call.held = held
        return call
    }

    private func result(_ call: CallSnapshot) -> ScriptedDaemon.Step {
        .result(ActionResult(call: call, changed: true, elapsedMs: 1).json)
    }

    @Test("An action is sent for the call that is meant")
    func action() async throws {
        daemon.calls = [call(), call(held: true)]
        daemon.answer(.callHold, result(daemon.calls[0]))
        let output = try await run("hold")
        #expect(daemon.asked.last?.method == "call.hold")
        #expect(daemon.asked.last?.params["id"]?.string == daemon.calls[0].id.description)
        #expect(output.hasPrefix(daemon.calls[0].id.description))
    }

    @Test("A probe that is interrupted ends its call, shows what was measured, and is 128 and the signal's number")
    func interruptedProbe() async throws {
        let (output, signals) = (Output(), Signals())
        daemon.answer(.probeRun, .silence)
        daemon.answer(.callEnd, result(call(.ended)))
        let running = Task { try await run("probe sip:echo@a", output, onSignal: signals.catch) }
        try await eventually { daemon.asked.last?.method == "probe.run" }
        let id = try #require(daemon.asked.last?.params["id"]?.string)
        signals.send(2)
        try await eventually { daemon.asked.last?.method == "call.end" }
        #expect(daemon.asked.last?.params["id"]?.string == id)
        var report = ProbeReport(handle: Handle(kind: .generic, value: "sip:echo@a"))
        (report.isStopped, report.packetsSent) = (true, 77)
        daemon.answerLate(report.json)
        let thrown: Failure? = if case .failure(let error) = await running.result { error as? Failure } else { nil }
        #expect(thrown?.status == 130 && thrown?.message.hasPrefix("interrupted") == true)
        #expect(output.text.contains("77 sent") && output.text.contains("before its time was over"))
    }

    /// Signals that come when the test says so.
    private final class Signals: Sendable {
        private let taker = Mutex<(@Sendable (Int32) -> Void)?>(nil)
        @Sendable func `catch`(_ taker: @escaping @Sendable (Int32) -> Void) { self.taker.withLock { $0 = taker } }
        func send(_ number: Int32) { taker.withLock(\.self)?(number) }
    }

    /// Waits until something is so; throws after ten seconds.
    private func eventually(_ condition: () -> Bool) async throws {
        for _ in 0..<1_000 where !condition() { try await Task.sleep(for: .milliseconds(10)) }
        try #require(condition())
    }

    @Test("--json prints the method's result, one text")
    func json() async throws {
        daemon.calls = [call()]
        let output = try await run("calls --json")
        #expect(output == "{\"calls\":[\(daemon.calls[0].json.text)]}\n")
    }

    @Test("A result that cannot be printed is a failure")
    func unprintable() async throws {
        let handset = try await Handset.connect(to: daemon.path, reconnection: .never)
        let terminal = Terminal(
            write: { _ throws(Failure) in throw Failure.failed("standard output: full") }, writeError: { _ in },
            isInteractive: false)
        let failure = await #expect(throws: Failure.self) {
            try await Runner(handset: handset, terminal: terminal, json: true).run(.calls)
        }
        #expect(failure == .failed("standard output: full"))
    }

    @Test("Swap is one transaction, and fails where one of its actions does")
    func swap() async throws {
        let (active, held) = (call(), call(held: true))
        daemon.calls = [held, active]
        let hold: JSONValue = ["method": "call.hold", "fulfilled": .bool(true), "elapsedMs": .number(1)]
        let resume: JSONValue = [
            "method": "call.resume", "fulfilled": .bool(false), "reason": "refused", "elapsedMs": .number(2),
        ]
        daemon.answer(.transactionRequest, .result(["actions": .array([hold, resume])]))
        let failure = await #expect(throws: Failure.self) { try await run("swap") }
        #expect(failure?.status == 1)
        #expect(failure?.message.hasPrefix("refused") == true)
        let actions = daemon.asked.last?.params["actions"]?.array
        #expect(actions?.compactMap { $0["method"]?.string } == ["call.hold", "call.resume"])
        #expect(actions?.first?["params"]?["id"]?.string == active.id.description)
    }

    @Test("mute of a conference is a transaction of its members; with a name it is for one")
    func conference() async throws {
        var (first, second) = (call(), call())
        first.group = GroupID()
        second.group = first.group
        daemon.calls = [first, second]
        let done: JSONValue = ["method": "call.mute", "fulfilled": .bool(true), "elapsedMs": .number(1)]
        daemon.answer(.transactionRequest, .result(["actions": .array([done, done])]))
        try await run("mute")
        let actions = daemon.asked.last?.params["actions"]?.array
        #expect(actions?.map { $0["params"]?["id"]?.string } == [first, second].map { $0.id.description })
        daemon.answer(.callMute, result(second))
        try await run("mute \(second.id)")
        #expect(daemon.asked.last?.method == "call.mute")
        daemon.answer(.groupMerge, result(first))
        try await run("merge")
        #expect(daemon.asked.last?.params["ids"]?.array?.count == 2)
        daemon.answer(.groupSplit, result(second))
        try await run("split \(second.id)")
        #expect(daemon.asked.last?.params["id"]?.string == second.id.description)
    }

    @Test("dial --wait returns when the call is connected")
    func waits() async throws {
        let dialled = call(.connecting)
        var (ringing, connected) = (dialled, dialled)
        ringing.state = .ringing
        connected.state = .connected
        daemon.answer(
            .callStart, result(dialled),
            then: [
                .audioActivated, .callUpdated(call(), changed: ["state"]), .callUpdated(ringing, changed: ["state"]),
                .callUpdated(connected, changed: ["state"]),
            ])
        let output = try await run("dial 101 --wait")
        #expect(daemon.asked.map(\.method) == ["events.subscribe", "call.start"])
        #expect(output.contains("connected"))
    }

    @Test("dial --wait fails with the reason of the call's end")
    func waitsForFailure() async throws {
        let dialled = call(.connecting)
        var ended = dialled
        ended.state = .ended
        ended.endReason = .busy
        daemon.answer(.callStart, result(dialled), then: [.callEnded(ended)])
        await #expect(throws: Failure.failed("busy: sip:a@b is busy")) { try await run("dial 101 --wait") }
    }

    @Test("A handle that cannot be is refused before anything is asked")
    func handle() async throws {
        let failure = await #expect(throws: Failure.self) { try await run("dial a<b>") }
        #expect(failure?.message.hasPrefix("invalidHandle") == true)
        #expect(daemon.asked.isEmpty)
    }

    @Test("Redial calls the last outgoing call's handle again")
    func redial() async throws {
        let last = call(.ended)
        daemon.answer(.historyList, .result(["entries": .array([last.json])]))
        daemon.answer(.callStart, result(last))
        try await run("redial")
        #expect(daemon.asked.last?.params["handle"]?["value"] == "sip:a@b")
    }

    @Test("The daemon's refusal is the command's, with its word first")
    func refusal() async throws {
        let error = ControlError.failed(.notSupported, "not yet", sipStatus: nil)
        daemon.answer(.dndSet, .failure(error))
        await #expect(throws: Failure.failed("notSupported: not yet")) { try await run("dnd on") }
    }

    @Test(
        "Monitor prints one line an event, and says when the daemon has gone", .timeLimit(.minutes(1)),
        arguments: [false, true])
    func monitor(json: Bool) async throws {
        daemon.answer(.eventsSubscribe, nil, then: [.audioActivated, .audioDeactivated])
        async let output = run(json ? "monitor --json" : "monitor")
        let last = json ? "events.subscribe" : "daemon.status"
        while daemon.asked.last?.method != last { try await Task.sleep(for: .milliseconds(5)) }
        // A client that does not reconnect ends with the connection.
        daemon.hangUp()
        let lines = try await output.split(separator: "\n")
        try #require(lines.count == 3)
        #expect(lines[0].contains("audio.activated") && lines[1].contains("audio.deactivated"))
        #expect(lines[0].hasPrefix("{") == json)
        #expect(lines[2].contains("the daemon has closed the connection"))
    }
}
