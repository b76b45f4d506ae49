import ControlProtocol
import Glibc
import Testing

extension Whole {
    @Suite("The command handset", .serialized, .timeLimit(.minutes(2))) struct CommandTests {
        @Test("Wrong usage is 2, a daemon that is not there 3, and both say what to do")
        func notDone() throws {
            let nowhere = "/tmp/handset-test-there-is-no-such/control.sock"
            for words in [
                [], ["fly"], ["dial"], ["hold", "a", "b"], ["dtmf", "xyz"], ["calls", "--busy"], ["--nonsense"],
                ["dial", "x", "--id", "no-uuid"],
            ] {
                let outcome = try HandsetCommand(words, socket: nowhere).finish()
                #expect(outcome.status == 2, "\(words)")
                #expect(outcome.errors.hasPrefix("handset: ") && outcome.output.isEmpty, "\(words)")
            }
            for words in [["status"], ["dial", "sip:a@127.0.0.1"], ["monitor"], ["doctor"]] {
                let outcome = try HandsetCommand(words, socket: nowhere).finish()
                #expect(outcome.status == 3, "\(words)")
                #expect(outcome.errors.contains("is handsetd running?") && outcome.errors.contains(nowhere), "\(words)")
            }
            #expect(try HandsetCommand(["--help"], socket: nowhere).finish().output.contains("dial HANDLE"))
            #expect(try HandsetCommand(["--version"], socket: nowhere).finish().status == 0)
        }

        @Test("Who cannot be reached has not refused: a name without address, a port where nobody listens")
        func unreachable() throws {
            let alice = try Endpoint("alice", tone: nil)
            let name = try alice.handset("dial", "sip:x@nowhere.invalid")
            #expect(name.status == 1 && name.errors.hasPrefix("handset: unreachable: "), "\(name.errors)")
            #expect(name.errors.contains("nowhere.invalid"), "\(name.errors)")
            let port = try alice.handset("dial", "sip:x@127.0.0.1:\(try FreePorts.take())", "--wait")
            #expect(port.status == 1 && port.errors.hasPrefix("handset: unreachable: "), "\(port.errors)")
            let ended = try alice.control.event("call.ended") { $0["call"]?["endReason"]?.string == "failed" }
            #expect(ended["call"]?["endStatus"] == .null && ended["call"]?["endText"]?.string?.isEmpty == false)
        }

        @Test("Output that cannot be written is 1 and said; a reader who has enough is not told")
        func unwritable() throws {
            let alice = try Endpoint("alice", tone: nil)
            let folder = try ScratchFolder()
            let commands: [(program: String, arguments: [String])] = [
                ("handset", ["--socket", alice.socket, "status"]),
                ("handset", ["--socket", alice.socket, "--json", "doctor"]),
                ("handset", ["--version"]), ("handset", ["help"]),
                ("handsetd", ["--version"]), ("handsetd", ["--help"]),
                ("handsetd", ["--check-config", "--config", alice.configuration]),
            ]
            for (number, command) in commands.enumerated() {
                let (program, arguments) = command
                let errors = "\(folder.path)/errors\(number)"
                let process = try ChildProcess(
                    "\(Endpoint.programs)/\(program)", arguments, log: "/dev/full", errors: errors)
                #expect(process.wait(seconds: 15) == 1, "\(program) \(arguments)")
                #expect(readText(errors).hasSuffix("\(program): standard output: No space left on device\n"))
            }
            let monitor = try ChildProcess(
                "\(Endpoint.programs)/handset", ["--socket", alice.socket, "--json", "monitor"], log: "/dev/full",
                errors: "\(folder.path)/monitor")
            let status = try eventually("the monitor ends at its first event") {
                _ = try alice.handset("dial", "sip:nobody@127.0.0.1:9")
                return monitor.poll()
            }
            #expect(status == 1)
            #expect(readText("\(folder.path)/monitor").contains("standard output: No space left on device"))
            let script =
                "trap '' PIPE; { sleep 0.3; '\(Endpoint.programs)/handset' --socket '\(alice.socket)' status;"
                + " echo $? >'\(folder.path)/status'; } 2>'\(folder.path)/quiet' | true"
            let pipe = try ChildProcess("sh", ["-c", script], log: "\(folder.path)/log")
            #expect(pipe.wait(seconds: 15) != nil)
            #expect(readText("\(folder.path)/status") == "1\n" && readText("\(folder.path)/quiet").isEmpty)
        }

        @Test("A long handle is cut on a terminal, and whole in a file")
        func longHandle() throws {
            let alice = try Endpoint("alice", tone: nil)
            let user = String(repeating: "x", count: 200)
            let dial = try alice.handset("dial", "sip:\(user)@127.0.0.1:\(try FreePorts.take())", "--wait")
            #expect(dial.status == 1, "\(dial.errors)")
            let terminal = try PseudoTerminal("\(Endpoint.programs)/handset", ["--socket", alice.socket, "history"])
            try terminal.expect("xxx…")
            #expect(try terminal.waitForEnd() == 0)
            #expect(!terminal.contains(String(repeating: "x", count: 90)))
            #expect(try alice.handset("history").output.contains(user))
        }

        @Test("A call from the shell: dial --wait, answer, hold, resume, keys, hang up")
        func call() throws {
            let pair = try CallPair()
            let (alice, bob) = (pair.alice, pair.bob)
            let id = "c0ffee00-0000-4000-8000-000000000001"
            let dial = try HandsetCommand(["dial", bob.uri, "--id", id, "--wait", "--json"], socket: alice.socket)
            _ = try bob.control.event("call.incoming")
            usleep(200_000)
            #expect(dial.isRunning)
            #expect(try bob.handset("answer").status == 0)
            let dialled = try dial.finish()
            #expect(dialled.status == 0)
            #expect(dialled.json?["call"]?["state"]?.string == "connected")
            #expect(dialled.json?["call"]?["id"]?.string == id)

            // The beginning of a name will do; one that names nothing will not.
            #expect(try alice.handset("hold", "c0ff").status == 0)
            let again = try alice.handset("hold", "C0FFEE00", "--json")
            #expect(again.status == 0)
            #expect(again.json?["changed"]?.bool == false)
            #expect(try alice.handset("calls").output.contains("held"))
            let unknown = try alice.handset("hold", "beef")
            #expect(unknown.status == 1)
            #expect(unknown.errors.contains("unknownCall"))
            #expect(try alice.handset("resume").status == 0)
            #expect(try alice.handset("mute").status == 0)
            #expect(try alice.handset("calls", "--json").json?["calls"]?.array?.first?["muted"]?.bool == true)
            #expect(try alice.handset("dtmf", "5").status == 0)
            #expect(try bob.control.event("call.dtmf")["digit"]?.string == "5")
            #expect(try alice.handset("stats", "c").output.contains("opus"))
            #expect(try alice.handset("status").output.contains("handsetd"))
            #expect(try alice.handset("hangup").status == 0)
            _ = try bob.control.event("call.ended")
            let over = try alice.handset("hangup")
            #expect(over.status == 1)
            #expect(over.errors.contains("unknownCall") && over.errors.contains("no call"))
        }

        @Test("The doctor finds nothing bad with files for sound, and names what else cannot be used")
        func doctor() throws {
            let good = try Endpoint("good", tone: nil)
            let healthy = try good.handset("doctor")
            #expect(healthy.status == 0, "\(healthy.output)")
            #expect(healthy.output.contains("files are used, no sound card is needed"))
            let folder = try ScratchFolder()
            try writeFile("\(folder.path)/book.vcf", Array("BEGIN:VCARD\nFN:Jane\nEND:VCARD\n".utf8))
            let bad = try Endpoint(
                "bad", tone: 440,
                settings: """
                    [block]
                    files = ["\(folder.path)/none.txt"]
                    [contacts]
                    files = ["\(folder.path)/book.vcf"]
                    [[button]]
                    name = "call"
                    press = "answer"
                    input = "\(folder.path)/none"
                    key = "KEY_PHONE"
                    """)
            let ill = try bad.handset("doctor", "--json")
            #expect(ill.status == 1)
            let checks = ill.json?["checks"]?.array?.filter { $0["grade"]?.string == "bad" } ?? []
            #expect(
                checks.compactMap { $0["name"]?.string } == [
                    "block.files", "contacts.files", "contacts.files", "controls",
                ])
            #expect(
                checks.compactMap { $0["finding"]?.string }.contains { $0.contains("line 1: Jane has nothing to call") }
            )
            #expect(try bad.handset("status").output.contains("none.txt: cannot be read: there is no such file"))
            // What a user asks for in vain is not done, and said.
            let tone = try bad.handset("contacts", "add", "Ann", "1", "--ring-tone", "\(folder.path)/none.wav")
            #expect(tone.status == 1 && tone.errors.contains("\(folder.path)/none.wav cannot be played"))
            #expect(try bad.handset("contacts", "add", "Ann", "1").status == 0)
            let clash = try bad.handset("contacts", "add", "Bob", "1")
            #expect(clash.status == 1 && clash.errors.contains("1 is Ann's"))
            #expect(!(try bad.handset("contacts", "list").output.contains("Bob")))
        }

        @Test("A call that fails is 1 with the daemon's reason")
        func refused() throws {
            let pair = try CallPair()
            let dial = try HandsetCommand(["dial", pair.bob.uri, "--wait"], socket: pair.alice.socket)
            _ = try pair.bob.control.event("call.incoming")
            #expect(try pair.bob.handset("reject", "--busy").status == 0)
            let refused = try dial.finish()
            #expect(refused.status == 1)
            #expect(refused.errors.contains("busy"))
            let invalid = try pair.alice.handset("dial", "sips:bob@127.0.0.1")
            #expect(invalid.status == 1)
            #expect(invalid.errors.contains("invalidHandle"))
        }

        @Test("Two calls that both may be meant are asked about, and swap changes over")
        func several() throws {
            let pair = try CallPair()
            let carol = try Endpoint("carol", tone: 1_800)
            let names = ["aaaa0000-0000-4000-8000-000000000001", "aabb0000-0000-4000-8000-000000000002"]
            for (peer, name) in zip([pair.bob, carol], names) {
                #expect(try pair.alice.handset("dial", peer.uri, "--id", name).status == 0)
                _ = try peer.control.event("call.incoming")
                #expect(try peer.handset("answer").status == 0)
                _ = try pair.alice.control.event("call.updated") {
                    $0["call"]?["id"]?.string == name && $0["call"]?["state"]?.string == "connected"
                }
            }
            let ambiguous = try pair.alice.handset("hangup", "aa")
            #expect(ambiguous.status == 1)
            #expect(ambiguous.errors.contains("aaaa0000") && ambiguous.errors.contains("aabb0000"))
            #expect(try pair.alice.handset("swap").status == 0)
            let calls = try pair.alice.control.request("call.list")["calls"]?.array ?? []
            #expect(calls.first { $0["id"]?.string == names[0] }?["held"]?.bool == false)
            #expect(calls.first { $0["id"]?.string == names[1] }?["held"]?.bool == true)
            #expect(try pair.alice.handset("hangup", "aabb").status == 0)
            #expect(try pair.alice.handset("hangup").status == 0)
        }

        @Test("The monitor tells what happens, one JSON text an event")
        func monitor() throws {
            let pair = try CallPair()
            let monitor = try HandsetCommand(["--json", "monitor"], socket: pair.bob.socket)
            _ = try eventually("the monitor is connected") {
                try pair.alice.control.request("call.start", ["handle": .string(pair.bob.uri)])
                try pair.alice.act("call.end")
                usleep(200_000)
                return monitor.output.contains("call.incoming") ? true : nil
            }
            _ = try eventually("the end is told") { monitor.output.contains("call.ended") ? true : nil }
            for line in monitor.output.split(separator: "\n").dropLast() {
                #expect(try JSONValue(parsing: Array(line.utf8))["type"]?.string != nil)
            }
            monitor.stop()
        }
    }
}
