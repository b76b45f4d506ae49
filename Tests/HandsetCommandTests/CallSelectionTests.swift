import CallModel
import Testing

@testable import HandsetCommand

@Suite("Which call is meant") struct CallSelectionTests {
    private func call(
        _ name: String, _ state: CallState = .connected, held: Bool = false, muted: Bool = false
    ) throws -> CallSnapshot {
        var call = CallSnapshot(
            id: try #require(CallID("\(name)0000000-0000-4000-8000-000000000000")), direction: .incoming, state: state,
            handle: Handle(kind: .generic, value: "sip:\(name)@example.com"))
        call.held = held
        call.muted = muted
        return call
    }

    private func implied(_ verb: CallVerb, _ calls: [CallSnapshot]) -> String? {
        (try? CallSelection.implied(by: verb, among: calls))?.id.description.first.map(String.init)
    }

    @Test("A beginning that is unique names a call, in either case")
    func named() throws {
        let calls = [try call("a"), try call("b")]
        #expect(try CallSelection.named("A0", among: calls) == calls[0])
        #expect(try CallSelection.named(calls[1].id.description, among: calls) == calls[1])
    }

    @Test("A beginning of several, or of none, is refused and the calls are listed")
    func ambiguous() throws {
        let calls = [try call("a"), try call("a", .incoming)]
        let several = #expect(throws: Failure.self) { try CallSelection.named("a", among: calls) }
        #expect(several?.status == 1)
        #expect(several?.message.contains("sip:a@example.com") == true)
        let none = #expect(throws: Failure.self) { try CallSelection.named("f", among: calls) }
        #expect(none?.message.contains("unknownCall") == true)
    }

    @Test("A service's call is meant by name only")
    func services() throws {
        var echo = try call("e")
        echo.service = .echo
        let active = try call("a")
        for verb in [CallVerb.hangup, .hold, .mute, .record(file: nil)] {
            #expect(implied(verb, [echo, active]) == "a" && implied(verb, [echo]) == nil)
        }
        #expect(try CallSelection.named("e", among: [echo, active]) == echo)
        #expect(throws: Failure.self) { try CallSelection.merged([], among: [echo, active]) }
        #expect(throws: Failure.self) { try CallSelection.swap(among: [echo, try call("b", held: true)]) }
    }

    @Test("Left out, the recording that is ended is the one there is")
    func recordings() throws {
        var recorded = try call("b", held: true)
        recorded.recording = "/a.opus"
        var playing = try call("c", held: true)
        playing.playing = "/a.wav"
        let calls = [try call("a"), recorded, playing]
        #expect(implied(.stopRecording, calls) == "b" && implied(.stopPlaying, calls) == "c")
        #expect(implied(.record(file: nil), calls) == "a" && implied(.play(file: "/x", loops: false), calls) == "a")
    }

    @Test("Left out, the call is the one that the command would change")
    func implied() throws {
        let (active, held) = (try call("a"), try call("b", held: true))
        let (ringing, muted) = (try call("c", .incoming), try call("d", muted: true))
        #expect(implied(.answer, [active, held, ringing]) == "c")
        #expect(implied(.reject(.busy), [active, ringing]) == "c")
        #expect(implied(.hangup, [active, held]) == "a")
        #expect(implied(.hangup, [held]) == "b")
        #expect(implied(.hold, [active, held]) == "a")
        #expect(implied(.resume, [active, held]) == "b")
        #expect(implied(.mute, [active, held, ringing]) == "a")
        #expect(implied(.unmute, [muted, held]) == "d")
        #expect(implied(.earmuff, [active, held]) == "a")
        #expect(implied(.dtmf(try #require(DigitString("1"))), [active, held]) == "a")
    }

    @Test("Hold, resume and swap take a group for one call; a merge takes what is named, or all")
    func groups() throws {
        var (first, second, alone) = (try call("a"), try call("b"), try call("c", held: true))
        (first.group, second.group) = (GroupID(), nil)
        second.group = first.group
        let calls = [first, second, alone]
        #expect(implied(.hold, calls) == "a")
        #expect(implied(.mute, calls) == nil)
        #expect(implied(.dtmf(try #require(DigitString("1"))), calls) == nil)
        #expect(CallSelection.impliedMembers(by: .mute, among: calls) == [first, second])
        #expect(CallSelection.impliedMembers(by: .hangup, among: calls) == [first, second])
        #expect(CallSelection.impliedMembers(by: .hold, among: calls) == nil)
        #expect(CallSelection.impliedMembers(by: .mute, among: [first, alone]) == nil)
        #expect(try CallSelection.swap(among: calls) == (first, alone))
        (first.held, second.held, alone.held) = (true, true, false)
        #expect(implied(.resume, [first, second, alone]) == "a")
        let ids = [first.id, second.id, alone.id]
        #expect(try CallSelection.merged([], among: [first, second, alone]) == ids)
        #expect(try CallSelection.merged(["b"], among: [first, second, alone]) == [second.id, alone.id])
        #expect(try CallSelection.merged(["c", "a"], among: [first, second, alone]) == [alone.id, first.id])
        #expect(throws: Failure.self) { try CallSelection.merged([], among: [alone]) }
        #expect(throws: Failure.self) { try CallSelection.merged(["c"], among: [first, second, alone]) }
    }

    @Test("A command that would change nothing still finds the only call")
    func idempotent() throws {
        #expect(implied(.hold, [try call("b", held: true)]) == "b")
        #expect(implied(.resume, [try call("a")]) == "a")
        #expect(implied(.mute, [try call("d", muted: true)]) == "d")
        #expect(implied(.unearmuff, [try call("a")]) == "a")
    }

    @Test("Where there is doubt nothing is done")
    func doubt() throws {
        #expect(implied(.hangup, [try call("a"), try call("c", .incoming)]) == nil)
        #expect(implied(.hangup, [try call("a", held: true), try call("b", held: true)]) == nil)
        #expect(implied(.resume, [try call("a", held: true), try call("b", held: true)]) == nil)
        #expect(implied(.answer, [try call("a")]) == nil)
        #expect(implied(.answer, [try call("a", .incoming), try call("b", .incoming)]) == nil)
        #expect(implied(.hold, [try call("c", .incoming)]) == nil)
        #expect(implied(.hangup, []) == nil)
    }

    @Test("Swap is for one active and one held call")
    func swap() throws {
        let (active, held) = (try call("a"), try call("b", held: true))
        let pair = try CallSelection.swap(among: [held, active])
        #expect(pair.active == active)
        #expect(pair.held == held)
        #expect(throws: Failure.self) { try CallSelection.swap(among: [active]) }
        #expect {
            try CallSelection.swap(among: [active], for: "transfer --attended")
        } throws: { ($0 as? Failure)?.message.contains("transfer --attended is for one active") == true }
        #expect(throws: Failure.self) { try CallSelection.swap(among: [held, held]) }
    }
}
