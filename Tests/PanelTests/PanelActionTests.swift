import CallModel
import Panel
import Testing

/// Calls for tests: no two have the same name.
enum Scene {
    static let handle = Handle(kind: .generic, value: "sip:bob@192.0.2.1")

    static func call(_ state: CallState, held: Bool = false, muted: Bool = false) -> CallSnapshot {
        var call = CallSnapshot(
            id: CallID(), direction: state == .incoming ? .incoming : .outgoing, state: state, handle: handle)
        call.held = held
        call.muted = muted
        return call
    }
}

@Suite("What a button means") struct PanelActionTests {
    private let ringing = Scene.call(.incoming)
    private let active = Scene.call(.connected)
    private let dialling = Scene.call(.ringing)
    private let held = Scene.call(.connected, held: true)

    private func requests(_ action: PanelAction, _ calls: [CallSnapshot]) -> [CallRequest]? {
        guard case .calls(let requests) = action.request(calls: calls, last: nil) else { return nil }
        return requests
    }

    @Test("Answering and refusing are about the call that has rung longest")
    func ringingCall() {
        let second = Scene.call(.incoming)
        #expect(requests(.answer, [active, ringing, second]) == [.answer(ringing.id)])
        #expect(requests(.reject, [active, ringing, second]) == [.reject(ringing.id, .declined)])
        #expect(requests(.answer, [active, held]) == [])
        #expect(requests(.reject, []) == [])
    }

    @Test("Hanging up ends what the user talks in or dials; else it refuses what rings; else it ends what is held last")
    func hangUp() {
        let other = Scene.call(.connected, held: true)
        #expect(requests(.hangUp, [held, active, ringing]) == [.end(active.id)])
        #expect(requests(.hangUp, [held, dialling]) == [.end(dialling.id)])
        #expect(requests(.hangUp, [held, ringing]) == [.reject(ringing.id, .declined)])
        #expect(requests(.hangUp, [held, other]) == [.end(other.id)])
        #expect(requests(.hangUp, []) == [])
    }

    @Test("Hanging up in a conference leaves it: every active call ends")
    func hangUpGroup() {
        let second = Scene.call(.connected)
        #expect(requests(.hangUp, [active, second]) == [.end(active.id), .end(second.id)])
    }

    @Test("One button answers, then hangs up; a second call that rings is answered first")
    func answerOrHangUp() {
        #expect(requests(.answerOrHangUp, [ringing]) == [.answer(ringing.id)])
        #expect(requests(.answerOrHangUp, [active, ringing]) == [.answer(ringing.id)])
        #expect(requests(.answerOrHangUp, [active]) == [.end(active.id)])
    }

    @Test("Hold and mute go to and fro")
    func toggles() {
        #expect(requests(.hold, [held, active]) == [.hold(active.id)])
        #expect(requests(.hold, [held, ringing]) == [.resume(held.id)])
        #expect(requests(.hold, [ringing]) == [])
        let muted = Scene.call(.connected, muted: true)
        #expect(requests(.mute, [active, held]) == [.mute(active.id)])
        #expect(requests(.mute, [muted]) == [.unmute(muted.id)])
        #expect(requests(.mute, [muted, active]) == [.mute(active.id)], "all of a conference are muted, then none")
        #expect(requests(.mute, [held]) == [])
    }

    @Test("The ringer is silenced whether something rings or not")
    func silent() {
        #expect(PanelAction.silent.request(calls: [], last: nil) == .toggleSilent)
        #expect(PanelAction.silent.request(calls: [ringing, active], last: nil) == .toggleSilent)
    }

    @Test("Redial calls whom the last call went to, through the same account")
    func redial() {
        let last = DialledNumber(handle: Scene.handle, account: "office")
        #expect(
            PanelAction.redial.request(calls: [], last: last)
                == .calls([.start(Scene.handle, account: "office", id: nil)]))
        #expect(PanelAction.redial.request(calls: [], last: nil) == .nothing)
    }

    @Test("Actions are read as they are written", arguments: PanelAction.words)
    func words(word: String) throws {
        let text = word.replacing("HANDLE", with: "sip:a@b").replacing("DIGITS", with: "12#")
        #expect(throws: Never.self) { try PanelAction(parsing: text) }
    }

    @Test(
        "What is no action is refused with the reason",
        arguments: [
            "", "answer me", "dial", "dial ", "dtmf", "dtmf x", "hangup", "dial sips:",
            "dtmf " + String(repeating: "1", count: 129),
        ])
    func noAction(text: String) {
        do throws(PanelActionError) {
            _ = try PanelAction(parsing: text)
            Issue.record("\(text) was taken")
        } catch { #expect(!error.message.isEmpty) }
    }
}

@Suite("The hook") struct PanelHookTests {
    private let hook = PanelHook(contact: .pipe, dials: .dial(Scene.handle))

    @Test("A handset that is lifted answers; where nothing rings, it calls its one party, unless a call is up")
    func lifted() {
        let ringing = Scene.call(.incoming)
        let active = Scene.call(.connected)
        #expect(hook.request(isLifted: true, calls: [active, ringing]) == .calls([.answer(ringing.id)]))
        #expect(hook.request(isLifted: true, calls: []) == .calls([.start(Scene.handle, account: nil, id: nil)]))
        #expect(hook.request(isLifted: true, calls: [active]) == .nothing)
        #expect(PanelHook(contact: .pipe).request(isLifted: true, calls: []) == .nothing)
    }

    @Test("Put down, it ends the active call and the one being dialled, and lets the others be")
    func putDown() {
        let calls = [
            Scene.call(.incoming), Scene.call(.connected), Scene.call(.connected, held: true), Scene.call(.connecting),
        ]
        #expect(hook.request(isLifted: false, calls: calls) == .calls([.end(calls[1].id), .end(calls[3].id)]))
        #expect(hook.request(isLifted: false, calls: [calls[0], calls[2]]) == .nothing)
    }
}

@Suite("Presses, short and long") struct ButtonPressTests {
    private static func button(long: PanelAction?, press: PanelAction = .answer) -> PanelButton {
        var button = PanelButton(name: "b", contact: .pipe, press: press)
        button.longPress = long
        return button
    }

    @Test("A button without a long press acts at once, and once a press")
    func short() {
        var press = ButtonPress(Self.button(long: nil))
        #expect(press.handle(.pressed) == [.act(.answer)])
        #expect(press.handle(.pressed) == [])
        #expect(press.handle(.repeated) == [], "only the volume repeats")
        #expect(press.handle(.released) == [])
        #expect(press.handle(.pressed) == [.act(.answer)])
    }

    @Test("The volume repeats while its key is kept pressed")
    func repeats() {
        var press = ButtonPress(Self.button(long: nil, press: .volumeUp))
        #expect(press.handle(.pressed) == [.act(.volumeUp)])
        #expect(press.handle(.repeated) == [.act(.volumeUp)])
        #expect(press.handle(.released) == [])
        #expect(press.handle(.repeated) == [])
    }

    @Test("Let go in time it is a short press, kept a long one, never both")
    func long() {
        var press = ButtonPress(Self.button(long: .reject))
        #expect(press.handle(.pressed) == [.startTimer])
        #expect(press.handle(.released) == [.stopTimer, .act(.answer)])
        #expect(press.handle(.timePassed) == [])
        #expect(press.handle(.pressed) == [.startTimer])
        #expect(press.handle(.timePassed) == [.act(.reject)])
        #expect(press.handle(.released) == [])
    }

    @Test("A press whose device goes away is none")
    func lost() {
        var press = ButtonPress(Self.button(long: .reject))
        _ = press.handle(.pressed)
        #expect(press.handle(.lost) == [.stopTimer])
        #expect(press.handle(.released) == [])
        #expect(press.handle(.pressed) == [.startTimer])
    }
}
