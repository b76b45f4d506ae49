import CallModel
import ControlProtocol
import FoundationEssentials
@testable import HandsetKit
import Testing

@testable import HandsetCommand

@Suite("The monitor's state") struct MonitorStateTests {
    private typealias Example = MonitorExample

    private func press(_ text: String, _ state: inout MonitorState) -> [MonitorState.Effect] {
        text.flatMap { state.handle(.key($0 == "\r" ? .enter : .character($0)), now: Example.now) }
    }

    private func event(_ event: ControlEvent, _ state: inout MonitorState) throws -> [MonitorState.Effect] {
        let event = try #require(DaemonEvent(event.params(seq: 1, time: Example.now), instance: "i"))
        return state.handle(.notice(.event(event)), now: Example.now)
    }

    private func asked(_ effects: [MonitorState.Effect]) -> (method: ControlMethod, params: JSONObject)? {
        guard effects.count == 1, case .request(_, let method, let params)? = effects.first else { return nil }
        return (method, params)
    }

    @Test("Each key of an action asks for it, for the selected call, and back again")
    func actions() throws {
        let call = Example.call(1)
        var done = call
        (done.held, done.muted, done.earmuffed) = (true, true, true)
        let expected: [(String, ControlMethod, ControlMethod)] = [
            ("h", .callHold, .callResume), ("m", .callMute, .callUnmute), ("e", .callEarmuff, .callUnearmuff),
            ("x", .callEnd, .callEnd), ("G", .groupSplit, .groupSplit),
        ]
        for (key, first, second) in expected {
            for (call, method) in [(call, first), (done, second)] {
                var state = Example.state([Example.call(0), call])
                state.selected = call.id
                let request = try #require(asked(press(key, &state)))
                #expect(request.method == method)
                #expect(request.params["id"]?.string == call.id.description)
            }
        }
    }

    @Test("Answering means the call that rings, wherever the selection is")
    func answer() throws {
        let ringing = Example.call(1, .incoming)
        for (key, method) in [
            ("a", ControlMethod.callAnswer), ("A", .callAnswer), ("r", .callReject), ("b", .callReject),
        ] {
            var state = Example.state([Example.call(0), ringing])
            let request = try #require(asked(press(key, &state)))
            #expect(request.method == method)
            #expect(request.params["id"]?.string == ringing.id.description)
            #expect(request.params["end"]?.bool == (key == "A" ? true : nil))
            #expect(request.params["reason"]?.string == (key == "r" ? "declined" : key == "b" ? "busy" : nil))
        }
        var state = Example.state([Example.call(0)])
        #expect(press("a", &state).isEmpty)
        #expect(state.message?.isError == true && state.message?.text.contains("unknownCall") == true)
    }

    @Test("Swap, group and connect are about several calls")
    func several() throws {
        let (held, active) = (Example.call(0, held: true), Example.call(1))
        var state = Example.state([held, active])
        let swap = try #require(asked(press("s", &state)))
        #expect(swap.method == .transactionRequest)
        #expect(swap.params["actions"]?.array?.compactMap { $0["method"]?.string } == ["call.hold", "call.resume"])
        let connect = try #require(asked(press("T", &state)))
        #expect(connect.params["id"]?.string == held.id.description)
        #expect(connect.params["otherId"]?.string == active.id.description)
        #expect(asked(press("g", &state))?.params["ids"]?.array?.count == 2)
        state = Example.state([active])
        for key in ["s", "T", "g"] { #expect(press(key, &state).isEmpty && state.message?.isError == true) }
    }

    @Test("What is typed is sent with Enter, and not with Escape")
    func prompts() throws {
        var state = Example.state([Example.call(0)])
        let dial = try #require(asked(press("dsip:q@b\r", &state)))
        #expect(dial.method == .callStart && dial.params["handle"]?.string == "sip:q@b")
        let keys = try #require(asked(press("p12#\r", &state)))
        #expect(keys.method == .callDTMF && keys.params["digits"]?.string == "12#")
        let transfer = try #require(asked(press("t102\r", &state)))
        #expect(transfer.method == .callTransfer && transfer.params["handle"]?.string == "102")
        #expect(press("p1x\r", &state).isEmpty && state.message?.isError == true)
        #expect(press("d\r", &state).isEmpty && state.prompt == nil)
        _ = press("dab", &state)
        _ = state.handle(.key(.backspace), now: Example.now)
        #expect(state.prompt?.text == "a")
        _ = state.handle(.key(.control("u")), now: Example.now)
        #expect(state.prompt?.text == "")
        _ = state.handle(.key(.escape), now: Example.now)
        #expect(state.prompt == nil)
        _ = press("d" + String(repeating: "x", count: 1_000), &state)
        #expect(state.prompt?.text.count == MonitorState.Prompt.limit)
    }

    @Test("The selection moves, stays in the list, and goes with its call")
    func selection() throws {
        let calls = (0..<3).map { Example.call($0) }
        var state = Example.state(calls)
        _ = press("jjjjj", &state)
        #expect(state.selectedCall == calls[2])
        _ = press("k", &state)
        #expect(state.selectedCall == calls[1])
        _ = press("p", &state)
        #expect(try event(.callEnded(calls[1]), &state) == [.askStatus])
        #expect(state.selectedCall == calls[0])
        #expect(state.prompt == nil)
        _ = press("kk", &state)
        #expect(state.selectedCall == calls[0])
    }

    @Test("Events keep the calls, and a list that is older than they are is asked for again")
    func lists() throws {
        var state = Example.state([])
        var call = Example.call(0, .incoming)
        #expect(try event(.callIncoming(call), &state).isEmpty)
        #expect(state.handle(.calls([], asOf: 0), now: Example.now) == [.askCalls(asOf: 1)])
        #expect(state.calls == [call])
        #expect(!state.hasSound)
        call.state = .connected
        _ = try event(.callUpdated(call, changed: ["state"]), &state)
        #expect(state.calls == [call] && state.hasSound)
        #expect(state.handle(.calls([], asOf: 2), now: Example.now).isEmpty)
        #expect(state.calls.isEmpty)
    }

    @Test("A daemon that comes back is asked how things are; one that was started anew has no old calls")
    func reconnection() {
        var state = Example.state([Example.call(0)])
        #expect(state.handle(.notice(.disconnected(.unreachable("gone"))), now: Example.now).isEmpty)
        #expect(!state.hasSound)
        #expect(state.handle(.notice(.reconnected), now: Example.now) == [.askStatus, .askCalls(asOf: 0)])
        #expect(state.hasSound)
        _ = state.handle(.notice(.gap(.daemonRestarted)), now: Example.now)
        #expect(state.calls.isEmpty)
        #expect(state.events.count == 3)
    }

    @Test("Lines of events are bounded")
    func bounded() throws {
        var state = Example.state([])
        for _ in 0..<1_000 { _ = try event(.audioActivated, &state) }
        #expect(state.events.count == 200)
    }

    @Test("n is for what it is now, whether by hand or by the hour")
    func doNotDisturb() throws {
        var state = Example.state([])
        #expect(press("n", &state) == [.setDoNotDisturb(true)])
        var status = try #require(state.status)
        for info in [DoNotDisturbInfo(on: true, scheduled: false), DoNotDisturbInfo(on: false, scheduled: true)] {
            status.doNotDisturb = info
            _ = state.handle(.status(status), now: Example.now)
            #expect(press("n", &state) == [.setDoNotDisturb(false)])
        }
        #expect(try event(.dndChanged(DoNotDisturbInfo(on: false, scheduled: false)), &state) == [.askStatus])
    }

    @Test("The other keys do what they say")
    func others() {
        var state = Example.state([])
        #expect(press("+-", &state) == [.changeVolume(5), .changeVolume(-5)])
        #expect(press("=R", &state) == [.changeVolume(5), .redial])
        #expect(press("q", &state) == [.quit])
        #expect(state.handle(.key(.control("l")), now: Example.now) == [.redraw])
        _ = press("?", &state)
        #expect(state.showsHelp)
        _ = state.handle(.key(.escape), now: Example.now)
        #expect(!state.showsHelp)
        #expect(press("~", &state).isEmpty)
    }
}
