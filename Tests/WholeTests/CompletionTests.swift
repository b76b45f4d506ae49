import ControlProtocol
import Glibc
import Testing

extension Whole {
    @Suite("Completion in the shells", .serialized, .timeLimit(.minutes(2))) struct CompletionTests {
        /// Runs a shell on `script`, with the command of the build before all others, and returns what it prints.
        private static func run(_ shell: [String], _ script: String) throws -> [String] {
            let folder = try ScratchFolder()
            let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
            let process = try ChildProcess(
                shell[0], shell.dropFirst() + ["-c", script], log: "\(folder.path)/log",
                environment: ["PATH": "\(Endpoint.programs):\(path)", "HOME": folder.path])
            guard process.wait(seconds: 20) != nil else { throw SupportError("\(shell[0]) does not end") }
            return process.output.split(separator: "\n").map(String.init)
        }

        private static let scripts: String = {
            let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
            return parts.dropLast(3).joined(separator: "/") + "/completion"
        }()

        private static func bash(_ words: String...) throws -> [String] {
            let line = (["handset"] + words).map { "'\($0)'" }.joined(separator: " ")
            return try run(
                ["bash", "--norc"],
                """
                source '\(scripts)/handset.bash'
                COMP_WORDS=(\(line)); COMP_CWORD=\(words.count); COMP_LINE="${COMP_WORDS[*]}"
                _handset handset; printf '%s\\n' "${COMPREPLY[@]}"
                """)
        }

        @Test("bash: commands, options, and calls as the daemon has them")
        func bash() throws {
            #expect(try Self.bash("ho") == ["hold"])
            #expect(try Self.bash("dial", "x", "--w") == ["--wait"])
            #expect(try Self.bash("--socket", "/nowhere", "hold", "") == [])
            let pair = try CallPair()
            try pair.alice.control.request("call.start", ["handle": .string(pair.bob.uri)])
            let id = try pair.alice.callID()
            #expect(try Self.bash("--socket", pair.alice.socket, "hangup", "") == [id])
            #expect(try Self.bash("--socket", pair.alice.socket, "hangup", String(id.prefix(3))) == [id])
            try pair.alice.control.request("contacts.add", ["name": "Jane Doe", "handles": .array(["101"])])
            try pair.alice.control.request("block.add", ["handle": "@spam.example"])
            let socket = "--socket=\(pair.alice.socket)"
            #expect(try Self.bash(socket, "contacts", "remove", "J") == ["Jane\\ Doe"])
            #expect(try Self.bash(socket, "block", "remove", "") == ["@spam.example"])
            #expect(try Self.bash(socket, "dial", "1") == ["101"])
        }

        @Test(
            "bash takes a handle for one word, wherever it is cut off",
            arguments: ["sip:j", "sip:", "sip:jane@", "sip:jane@ex", "s"])
        func handles(beginning: String) throws {
            let alice = try Endpoint("alice", tone: nil)
            try alice.control.request(
                "contacts.add", ["name": "Jane", "handles": .array(["sip:jane@example.com"])])
            let terminal = try PseudoTerminal(
                "/bin/bash", ["--norc", "--noprofile", "-i"], columns: 200,
                environment: [
                    "TERM": "dumb", "INPUTRC": "/dev/null", "HOME": "/nonexistent",
                    "PATH": "\(Endpoint.programs):/usr/bin:/bin",
                ])
            terminal.type("source '\(Self.scripts)/handset.bash' && echo 'rea''dy'\n")
            try terminal.expect("ready")
            terminal.type("handset --socket \(alice.socket) dial \(beginning)\t")
            try terminal.expect("\(alice.socket) dial sip:jane@example.com")
        }

        @Test("zsh", .enabled(if: ChildProcess.exists("zsh")))
        func zsh() throws {
            let completed = try Self.run(
                ["zsh", "-f"],
                """
                compdef() { }
                compadd() { print -l -- $names; print -l -- $shown }
                source '\(Self.scripts)/handset.zsh'
                words=(handset --socket /nowhere ho); CURRENT=4; _handset
                words=(handset dnd ''); CURRENT=3; _handset
                """)
            #expect(completed.prefix(2) == ["hold", "hold  silence both directions and tell the remote party"])
            #expect(completed.dropFirst(2).prefix(2) == ["on", "off"])
        }

        @Test("fish", .enabled(if: ChildProcess.exists("fish")))
        func fish() throws {
            let completed = try Self.run(
                ["fish", "--no-config"],
                "source '\(Self.scripts)/handset.fish'; complete -C 'handset ho'; complete -C 'handset volume '")
            #expect(completed.first == "hold\tsilence both directions and tell the remote party")
            #expect(completed.dropFirst().map { $0.split(separator: "\t").first } == ["capture", "playback"])
        }
    }
}
