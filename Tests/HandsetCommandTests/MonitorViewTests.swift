import CallModel
import ControlProtocol
import FoundationEssentials
@testable import HandsetKit
import TerminalScreen
import Testing

@testable import HandsetCommand

/// A state of the monitor with what a test needs.
enum MonitorExample {
    static let now = Date(timeIntervalSince1970: 1_000_000)
    static let look = Look(isUTF8: true, hasColour: true)

    static func call(_ number: Int, _ state: CallState = .connected, held: Bool = false) -> CallSnapshot {
        var call = CallSnapshot(
            id: CallID("\(number)b5e3c1c-0000-4000-8000-000000000000") ?? CallID(), direction: .incoming, state: state,
            handle: Handle(kind: .generic, value: "sip:ann@example.com"))
        call.displayName = "Ann"
        call.held = held
        call.connectedAt = state == .connected ? now.addingTimeInterval(-65) : nil
        call.codec = "opus"
        return call
    }

    static func state(_ calls: [CallSnapshot]) -> MonitorState {
        var state = MonitorState()
        var status = DaemonStatus(version: "1.2.3", instance: "i")
        status.missedCalls = 2
        status.audio.state = "active"
        status.accounts = [
            AccountInfo(name: "office", state: "registered", reachable: true),
            AccountInfo(name: "home", state: "failed", reachable: true, lastError: "403 Forbidden"),
        ]
        _ = state.handle(.status(status), now: now)
        _ = state.handle(.calls(calls, asOf: 0), now: now)
        let figures = calls.map { call in
            var figures = CallFigures(id: call.id)
            figures.sent.levelDbfs = -30
            figures.received.packets = 990
            figures.received.lost = 10
            figures.bufferMs = 42
            return figures
        }
        _ = state.handle(.statistics(StatisticsReport(calls: figures, loop: LoopFigures())), now: now)
        return state
    }

    static func lines(
        _ state: MonitorState, columns: Int = 110, rows: Int = 24, look: Look = look
    ) -> [ScreenLine] {
        MonitorView(state: state, now: now, size: .init(columns: columns, rows: rows), look: look).lines
    }

    static func text(_ lines: [ScreenLine]) -> String { lines.map(\.text).joined(separator: "\n") }
}

@Suite("The monitor's screen") struct MonitorViewTests {
    private typealias Example = MonitorExample

    @Test("What goes on in a call stands beside it")
    func marks() {
        var call = Example.call(1)
        #expect(!Example.text(Example.lines(Example.state([call]))).contains("recorded"))
        (call.muted, call.recording, call.playing) = (true, "/recordings/a.opus", "/music.wav")
        #expect(Example.text(Example.lines(Example.state([call]))).contains("  muted, recorded, playing"))
    }

    @Test("Shows daemon, accounts, missed calls, and of a call what matters, both levels included")
    func content() {
        var call = Example.call(0)
        call.muted = true
        let text = Example.text(Example.lines(Example.state([call])))
        for expected in [
            "handsetd 1.2.3", "audio active", "2 missed", "office registered", "home failed (403 Forbidden)",
            "▸ 0b5e3c1c  connected", "1:05", "Ann <sip:ann@example.com>", "muted", "-30.0 dBFS", "silent", "opus",
            "gates open", "lost 10 (1.0 %)", "buffer 42.0 ms", "h hold", "m unmute", "x hang up", "q quit",
        ] { #expect(text.contains(expected), "\(expected) in\n\(text)") }
        #expect(!text.contains("a answer") && !text.contains("s swap"))
    }

    @Test("Of an encrypted call, too, 80 columns have the gates whole, whatever they are")
    func gates() {
        var call = Example.call(0)
        call.security = "AES_CM_128_HMAC_SHA1_80"
        for (closed, text) in [(false, "open"), (true, "held, muted, earmuffed")] {
            var gate = CallFigures.Gate()
            (gate.held, gate.muted, gate.earmuffed, gate.applied) = (closed, closed, closed, false)
            var state = Example.state([call])
            state.figures[call.id]?.gate = gate
            let lines = Example.lines(state, columns: 80).map { $0.fitted(to: 80).text }
            #expect(lines.contains { $0.contains("gates \(text) (pending)") }, "\(lines)")
        }
        let wide = Example.text(Example.lines(Example.state([call]), columns: 110))
        #expect(wide.contains("  gates open  opus AES_CM_128_HMAC_SHA1_80"))
    }

    @Test("The legend has the keys that mean something now")
    func legend() {
        let ringing = Example.text(Example.lines(Example.state([Example.call(0, .incoming)])))
        #expect(ringing.contains("a answer  r reject  b busy"))
        #expect(!ringing.contains("h hold"))
        let pair = Example.text(Example.lines(Example.state([Example.call(0, held: true), Example.call(1)])))
        #expect(pair.contains("h resume") && pair.contains("s swap") && pair.contains("g group"))
        let narrow = Example.lines(Example.state([Example.call(0, .incoming), Example.call(1)]), columns: 60)
        #expect(narrow.allSatisfy { !$0.text.hasSuffix(" ") } && narrow.suffix(2).allSatisfy { $0.columns <= 60 })
        let idle = Example.text(Example.lines(Example.state([])))
        #expect(idle.contains("no calls") && idle.contains("d dial") && !idle.contains("x hang up"))
        var help = Example.state([])
        help.showsHelp = true
        let text = Example.text(Example.lines(help, columns: 80, rows: 24))
        for key in MonitorKey.all { #expect(text.contains(key.help)) }
    }

    @Test("Help and the end stay in the legend, however little room there is")
    func narrowLegend() {
        let state = Example.state([Example.call(0, held: true), Example.call(1), Example.call(2, .incoming)])
        for columns in 30...200 {
            let lines = Example.lines(state, columns: columns)
            #expect(Example.text(lines).contains("? help") && Example.text(lines).contains("q quit"), "\(columns)")
            #expect(lines.suffix(2).allSatisfy { $0.columns <= columns })
        }
    }

    @Test("Do-not-disturb is shown, with whether it is so by the hour, and the key says what it does")
    func doNotDisturb() {
        var state = Example.state([])
        #expect(!Example.text(Example.lines(state)).contains("· do not disturb"))
        #expect(Example.text(Example.lines(state)).contains("n do not disturb"))
        state.status?.doNotDisturb = DoNotDisturbInfo(on: true, scheduled: true)
        #expect(Example.text(Example.lines(state)).contains("audio active · do not disturb · 2 missed"))
        #expect(Example.text(Example.lines(state)).contains("n let ring"))
        state.status?.doNotDisturb = DoNotDisturbInfo(on: false, scheduled: true)
        #expect(Example.text(Example.lines(state)).contains("· do not disturb, by the hour · 2 missed"))
    }

    @Test("A silent ringer is shown")
    func silentRinger() {
        var state = Example.state([])
        #expect(!Example.text(Example.lines(state)).contains("ringer"))
        state.status?.ringer = RingerInfo(silent: true)
        #expect(Example.text(Example.lines(state)).contains("audio active · ringer silent · 2 missed"))
    }

    @Test("A daemon that has gone is said to have")
    func gone() {
        var state = Example.state([Example.call(0)])
        _ = state.handle(.notice(.disconnected(.unreachable("gone"))), now: Example.now)
        let text = Example.text(Example.lines(state))
        #expect(text.contains("the daemon has gone; waiting for it to come back"))
        #expect(!text.contains("h hold"))
    }

    @Test("Every size gives so many lines, none too long, with the selected call and the keys where they fit")
    func sizes() {
        var state = Example.state((0..<8).map { Example.call($0, held: $0 > 0) })
        state.selected = state.calls[6].id
        for rows in 0...30 {
            for columns in [0, 1, 2, 7, 20, 40, 79, 80, 200] {
                let lines = Example.lines(state, columns: columns, rows: rows)
                #expect(lines.count == (columns == 0 ? 0 : rows))
                #expect(lines.allSatisfy { $0.fitted(to: columns).columns <= columns })
                guard rows >= 8, columns >= 40 else { continue }
                let text = Example.text(lines)
                #expect(text.contains("6b5e3c1c"), "\(rows) rows, \(columns) columns:\n\(text)")
                #expect(text.contains("hang up"))
            }
        }
    }

    @Test("Nothing that strangers write can steer the terminal", arguments: [true, false])
    func hostile(isUTF8: Bool) {
        let look = Look(isUTF8: isUTF8, hasColour: false)
        var call = Example.call(0)
        call.displayName = "\u{1B}[2J\u{9B}31m\u{202E}\u{7}\r\nx日本語e\u{301}\u{1F600}"
        call.handle.value = "sip:\u{1B}]0;x\u{7}@b"
        call.account = "\u{8}\u{8}"
        call.codec = "\u{1B}c"
        var state = Example.state([call])
        state.status?.version = "\u{1B}[31m"
        state.status?.accounts[1].lastError = "\u{9D}52;c;eA==\u{9C}"
        state.message = MonitorState.Message(text: "\u{1B}P", isError: true)
        state.prompt = nil
        let ended = ControlEvent.callEnded(call).params(seq: 1, time: Example.now)
        if let event = DaemonEvent(ended, instance: "i") { _ = state.handle(.notice(.event(event)), now: Example.now) }
        state.calls = [call]
        var (painter, screen) = (ScreenPainter(), TerminalScreen(columns: 60, rows: 20))
        let size = ScreenPainter.Size(columns: 60, rows: 20)
        screen.feed(painter.paint(Example.lines(state, columns: 60, rows: 20, look: look), size))
        #expect(screen.unknown.isEmpty)
        #expect(!screen.hasColour)
        #expect(screen.text.contains(isUTF8 ? "x日本語e\u{301}" : "x???"))
        if !isUTF8 { #expect(screen.text.utf8.allSatisfy { $0 < 0x80 }) }
    }

    @Test(
        "A meter's bar grows with the level",
        arguments: [(nil, 0), (-60.0, 0), (-30, 10), (0, 20), (20, 20), (-.infinity, 0)])
    func meter(level: Double?, cells: Int) {
        for isUTF8 in [true, false] {
            var line = ScreenLine(Look(isUTF8: isUTF8, hasColour: true))
            line.addMeter(level, columns: 20)
            #expect(line.columns == 20)
            #expect(line.text.filter { $0 == (isUTF8 ? "█" : "#") }.count == cells)
        }
        var line = ScreenLine(Example.look)
        line.addMeter(0, columns: 20)
        #expect(line.spans.map(\.style) == [.good, .warning, .bad])
    }

    @Test("The terminal's language and colours are taken from the environment")
    func environment() {
        func look(_ environment: [String: String]) -> Look { Look { environment[$0] } }
        #expect(look(["LANG": "de_DE.UTF-8"]) == Look(isUTF8: true, hasColour: true))
        #expect(look(["LANG": "de_DE.UTF-8", "LC_ALL": "C", "NO_COLOR": "1"]) == Look(isUTF8: false, hasColour: false))
        #expect(look(["LC_ALL": "", "LC_CTYPE": "C.utf8", "NO_COLOR": ""]) == Look(isUTF8: true, hasColour: true))
        #expect(look([:]) == Look(isUTF8: false, hasColour: true))
        #expect(Look.canDraw(on: "xterm") && !Look.canDraw(on: "dumb") && !Look.canDraw(on: nil))
    }
}
