import CallModel
import ControlProtocol
import FoundationEssentials
import Testing

@testable import HandsetCommand

/// A daemon that follows a script.
private final class ScriptedDaemon: Answering {
    var calls: [CallSnapshot] = []
    var answers: [String: Result<JSONValue, Failure>] = [:]
    var events: [ControlEvent] = []
    private(set) var asked: [ControlEnvelope] = []
    var output = ""

    func ask(_ envelope: ControlEnvelope) throws(Failure) -> JSONValue {
        asked.append(envelope)
        if envelope.method == "call.list" { return ["calls": .array(calls.map(\.json))] }
        return try (answers[envelope.method] ?? .success([:])).get()
    }

    func nextEvent(within milliseconds: Int32) throws(Failure) -> JSONObject? {
        guard !events.isEmpty else { throw .unreachable("the script is over") }
        return events.removeFirst().params(seq: 1, time: Date())
    }

    func run(_ line: String, json: Bool = false) throws {
        let invocation = try Invocation(parsing: line.split(separator: " ").map(String.init))
        guard case .run(let command) = invocation.action else { return }
        let terminal = Terminal(write: { self.output += $0 }, writeError: { _ in }, isInteractive: false)
        try Runner(daemon: self, terminal: terminal, json: json || invocation.json).run(command)
    }
}

@Suite("Commands") struct RunnerTests {
    private let daemon = ScriptedDaemon()

    private func call(_ state: CallState = .connected, held: Bool = false) -> CallSnapshot {
        var call = CallSnapshot(
            id: CallID(), direction: .outgoing, state: state, handle: Handle(kind: .generic, value: "sip:a@b"))
        call.held = held
        return call
    }

    private func result(_ call: CallSnapshot) -> Result<JSONValue, Failure> {
        .success(ActionResult(call: call, changed: true, elapsedMs: 1).json)
    }

    @Test("An action is sent for the call that is meant")
    func action() throws {
        daemon.calls = [call(), call(held: true)]
        daemon.answers["call.hold"] = result(daemon.calls[0])
        try daemon.run("hold")
        #expect(daemon.asked.last?.method == "call.hold")
        #expect(daemon.asked.last?.params["id"]?.string == daemon.calls[0].id.description)
        #expect(daemon.output.hasPrefix(daemon.calls[0].id.description))
    }

    @Test("--json prints the method's result, one text")
    func json() throws {
        daemon.calls = [call()]
        try daemon.run("calls --json")
        #expect(daemon.output == "{\"calls\":[\(daemon.calls[0].json.text)]}\n")
    }

    @Test("Swap is one transaction, and fails where one of its actions does")
    func swap() throws {
        let (active, held) = (call(), call(held: true))
        daemon.calls = [held, active]
        let hold: JSONValue = ["method": "call.hold", "fulfilled": .bool(true), "elapsedMs": .number(1)]
        let resume: JSONValue = [
            "method": "call.resume", "fulfilled": .bool(false), "reason": "refused", "elapsedMs": .number(2),
        ]
        daemon.answers["transaction.request"] = .success(["actions": .array([hold, resume])])
        let failure = #expect(throws: Failure.self) { try daemon.run("swap") }
        #expect(failure?.status == 1)
        #expect(failure?.message.hasPrefix("refused") == true)
        let actions = daemon.asked.last?.params["actions"]?.array
        #expect(actions?.compactMap { $0["method"]?.string } == ["call.hold", "call.resume"])
        #expect(actions?.first?["params"]?["id"]?.string == active.id.description)
    }

    @Test("dial --wait returns when the call is connected")
    func waits() throws {
        var dialled = call(.connecting)
        daemon.answers["call.start"] = result(dialled)
        dialled.state = .ringing
        var connected = dialled
        connected.state = .connected
        daemon.events = [
            .audioActivated, .callUpdated(call(), changed: ["state"]), .callUpdated(dialled, changed: ["state"]),
            .callUpdated(connected, changed: ["state"]),
        ]
        try daemon.run("dial 101 --wait")
        #expect(daemon.asked.map(\.method) == ["events.subscribe", "call.start"])
        #expect(daemon.output.contains("connected"))
        #expect(daemon.events.isEmpty)
    }

    @Test("dial --wait fails with the reason of the call's end")
    func waitsForFailure() {
        var dialled = call(.connecting)
        daemon.answers["call.start"] = result(dialled)
        dialled.state = .ended
        dialled.endReason = .busy
        daemon.events = [.callEnded(dialled)]
        #expect(throws: Failure.failed("busy")) { try daemon.run("dial 101 --wait") }
    }

    @Test("A handle that cannot be is refused before anything is asked")
    func handle() {
        let failure = #expect(throws: Failure.self) { try daemon.run("dial a<b>") }
        #expect(failure?.message.hasPrefix("invalidHandle") == true)
        #expect(daemon.asked.isEmpty)
    }

    @Test("Redial calls the last outgoing call's handle again")
    func redial() throws {
        let last = call(.ended)
        daemon.answers["history.list"] = .success(["entries": .array([last.json])])
        daemon.answers["call.start"] = result(last)
        try daemon.run("redial")
        #expect(daemon.asked.last?.params["handle"]?["value"] == "sip:a@b")
    }

    @Test("The daemon's refusal is the command's, with its word first")
    func refusal() {
        let error = ControlError.failed(.notSupported, "not yet", sipStatus: nil)
        daemon.answers["dnd.set"] = .failure(Failure(error))
        #expect(throws: Failure.failed("notSupported: not yet")) { try daemon.run("dnd on") }
    }

    @Test("Monitor prints one line an event until the daemon ends")
    func monitor() {
        daemon.events = [.audioActivated, .audioDeactivated]
        let failure = #expect(throws: Failure.self) { try daemon.run("monitor") }
        #expect(failure?.status == 3)
        #expect(daemon.output.split(separator: "\n").count == 2)
        daemon.output = ""
        daemon.events = [.audioActivated]
        #expect(throws: Failure.self) { try daemon.run("monitor --json") }
        #expect(daemon.output.contains("\"type\":\"audio.activated\""))
    }
}
