import ControlProtocol
import Glibc
import TerminalScreen
import Testing

extension Whole {
    @Suite("The monitor on a terminal", .serialized, .timeLimit(.minutes(2))) struct MonitorTests {
        private static func monitor(
            _ endpoint: Endpoint, environment: [String: String] = ["TERM": "xterm", "LC_ALL": "C.UTF-8"]
        ) throws -> PseudoTerminal {
            try PseudoTerminal(
                "\(Endpoint.programs)/handset", ["--socket", endpoint.socket, "monitor"], environment: environment)
        }

        @Test("A whole call by keys: dialled, answered, muted, held, resumed, digits, hung up")
        func call() throws {
            let pair = try CallPair()
            let (alice, bob) = (try Self.monitor(pair.alice), try Self.monitor(pair.bob))
            try alice.expect("d dial")
            #expect(alice.screen.isAlternate && !alice.screen.showsCursor && !alice.isCooked)
            alice.type("d\(pair.bob.uri)\r")
            try bob.expect("a answer")
            bob.type("a")
            try alice.expect("h hold")
            try bob.expect("connected")
            // Both levels are measured: the tones are sent with -13.5 dBFS, of which a sine has 3 less.
            try alice.expect("gates open")
            _ = try eventually("both meters show the tones") {
                alice.pump()
                let levels = alice.screen.lines.filter { $0.contains("dBFS") }
                return levels.count == 2 && levels.allSatisfy { $0.contains("-1") && $0.contains("███") } ? true : nil
            }
            alice.type("m")
            try alice.expect("gates muted")
            alice.type("h")
            try alice.expect("h resume")
            try bob.expect("remote hold")
            alice.type("h")
            try alice.expect("h hold")
            alice.type("p5\r")
            #expect(try pair.bob.control.event("call.dtmf")["digit"]?.string == "5")
            // What comes to an end later would take the place of the next message.
            try alice.expect("keys 5: done")
            // A name that does not fit is an error of its own, and the call goes on.
            alice.type("da<b>\r")
            try alice.expect("invalidHandle")
            alice.type("x")
            try bob.expect("no calls")
            try alice.expect("no calls")
            #expect(alice.screen.unknown.isEmpty && bob.screen.unknown.isEmpty)
            // Without a call nothing is asked and nothing is drawn: a look at the figures wakes several threads.
            try alice.expect("audio inactive")
            usleep(300_000)
            alice.pump()
            let before = alice.wakeUps
            usleep(1_000_000)
            #expect(alice.pump() == 0)
            // A sanitizer has a thread of its own that looks about ten times a second.
            #expect(Double(alice.wakeUps - before) < 6 * testPatience)
        }

        @Test("Another size, Ctrl-Z, and a terminal that is left as it was found")
        func terminal() throws {
            let endpoint = try Endpoint("alice", tone: nil)
            let monitor = try Self.monitor(endpoint)
            try monitor.expect("q quit")
            #expect(monitor.screen.lines.last?.contains("q quit") == true)
            monitor.resize(columns: 40, rows: 10)
            try monitor.expect("q quit")
            #expect(monitor.screen.lines.count == 10 && monitor.screen.lines[9].contains("q quit"))
            monitor.type("\u{1A}")
            _ = try eventually("it is stopped") { monitor.hasStopped() ? true : nil }
            monitor.pump()
            #expect(!monitor.screen.isAlternate && monitor.screen.showsCursor && monitor.isCooked)
            monitor.send(SIGCONT)
            try monitor.expect("q quit")
            #expect(monitor.screen.isAlternate && !monitor.isCooked)
            monitor.type("q")
            #expect(try monitor.waitForEnd() == 0)
            #expect(!monitor.screen.isAlternate && monitor.screen.showsCursor && monitor.isCooked)
            #expect(monitor.screen.unknown.isEmpty)
            for signal in [SIGINT, SIGTERM, SIGHUP] {
                let monitor = try Self.monitor(endpoint)
                try monitor.expect("q quit")
                if signal == SIGINT { monitor.type("\u{3}") } else { monitor.send(signal) }
                #expect(try monitor.waitForEnd() == 128 + signal)
                #expect(!monitor.screen.isAlternate && monitor.screen.showsCursor && monitor.isCooked)
            }
        }

        @Test("A daemon that crashes is waited for, and what it told after its new start is shown")
        func crash() throws {
            let endpoint = try Endpoint("alice", tone: nil)
            let monitor = try Self.monitor(endpoint)
            try monitor.expect("handsetd ")
            endpoint.process.send(SIGKILL)
            try monitor.expect("the daemon has gone")
            let folder = try ScratchFolder()
            let again = try ChildProcess(
                "\(Endpoint.programs)/handsetd", ["--config", endpoint.configuration, "--socket", endpoint.socket],
                log: "\(folder.path)/log")
            defer { again.stop() }
            try monitor.expect("the daemon was started anew")
            _ = try eventually("it is connected again") { monitor.contains("the daemon has gone") ? nil : true }
            monitor.type("dsip:nobody@127.0.0.1:9\r")
            try monitor.expect("call.started")
        }

        @Test("Without colours, without UTF-8, and on a terminal that cannot be drawn on")
        func plain() throws {
            let endpoint = try Endpoint("alice", tone: nil)
            let monitor = try Self.monitor(endpoint, environment: ["TERM": "xterm", "LC_ALL": "C", "NO_COLOR": "1"])
            try monitor.expect("---")
            monitor.type("d\u{E9}x\r")
            _ = try eventually("it is answered") { monitor.contains("call whom?") ? nil : true }
            #expect(monitor.screen.text.utf8.allSatisfy { $0 < 0x80 })
            #expect(!monitor.screen.hasColour)
            let dumb = try Self.monitor(endpoint, environment: ["TERM": "dumb"])
            _ = try eventually("it prints lines") {
                _ = try endpoint.control.answer("call.start", ["handle": "sip:nobody@127.0.0.1:9"])
                return dumb.contains("call.started") ? true : nil
            }
            // Long lines wrap there; nothing else is written but text.
            #expect(!dumb.screen.isAlternate && Set(dumb.screen.unknown).isSubset(of: ["beyond the last column"]))
        }
    }
}
