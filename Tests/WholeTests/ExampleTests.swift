import ControlProtocol
import FoundationEssentials
import Glibc
import Testing

extension Whole {
    @Suite("The programs of the README", .serialized, .timeLimit(.minutes(2))) struct ExampleTests {
        private static let project = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
            .joined(separator: "/")

        @Test("Each stands there as it is tested", arguments: ["door.sh", "door.py", "door/main.swift"])
        func text(name: String) throws {
            let program = try String(contentsOfFile: "\(Self.project)/doc/examples/\(name)", encoding: .utf8)
            let lines = program.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            let shown = lines.map { $0.isEmpty ? "" : "    \($0)" }.joined(separator: "\n")
            let readme = try String(contentsOfFile: "\(Self.project)/README.md", encoding: .utf8)
            #expect(readme.contains(shown))
            if !name.hasSuffix("swift") { #expect(lines.count == 10) }
        }

        @Test("Each answers, opens the door, and hangs up", arguments: ["sh", "python3", "door"])
        func runs(program: String) throws {
            let pair = try CallPair()
            let folder = try ScratchFolder()
            let examples = "\(Self.project)/doc/examples"
            let (path, arguments) =
                switch program {
                case "sh": ("sh", ["\(examples)/door.sh", "--socket", pair.bob.socket])
                case "python3": ("python3", ["\(examples)/door.py", pair.bob.socket])
                default: ("\(Endpoint.programs)/door", [pair.bob.socket])
                }
            let search = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
            let process = try ChildProcess(
                path, arguments, log: "\(folder.path)/log", environment: ["PATH": "\(Endpoint.programs):\(search)"],
                leadsGroup: true)
            defer { process.stop() }
            // It may not listen yet when the first call comes.
            _ = try eventually("it answers") {
                let calls = try pair.alice.control.request("call.list")["calls"]?.array ?? []
                if calls.isEmpty { try pair.alice.control.request("call.start", ["handle": .string(pair.bob.uri)]) }
                if calls.first?["state"]?.string == "connected" { return true }
                usleep(500_000)
                if try pair.alice.call()["state"]?.string == "connected" { return true }
                try pair.alice.act("call.end")
                return nil
            }
            // The other end may hang up before the key is let go of, which this ends with.
            let id = try pair.alice.callID()
            _ = try pair.alice.control.answer("call.dtmf", ["id": .string(id), "digits": "5"])
            let ended = try pair.alice.control.event("call.ended") { $0["call"]?["endReason"]?.string == "remoteEnded" }
            #expect(ended["call"]?["state"]?.string == "ended")
            // What a Swift program prints into a file stands there when the program ends.
            if program == "door" { return }
            _ = try eventually("it says so") {
                process.output.contains("open the door for sip:alice@127.0.0.1") ? true : nil
            }
        }
    }
}
