import CallModel
import ControlProtocol
import ScriptedDaemon
import Screening
import Synchronization
import Testing

@testable import HandsetCommand

@Suite("Completion") struct CompletionTests {
    private let known: Completion.Known = {
        var known = Completion.Known()
        var call = CallSnapshot(
            id: CallID("0b5e3c1c-5c1d-4a26-9d6a-6c9d9e6a4f01") ?? CallID(), direction: .outgoing, state: .connected,
            handle: Handle(kind: .generic, value: "sip:a@b"))
        call.displayName = "Ann"
        known.calls = [call]
        known.accounts = [AccountInfo(name: "office", state: "registered", reachable: true)]
        known.contacts = [
            .init(contact: Contact(name: "Jane Doe", handles: ["0301", "sip:jane@example.com"]), file: nil),
            .init(contact: Contact(name: "Bob", handles: ["0302"]), file: "/book.vcf"),
        ]
        known.blocked = ["+49900*", "anonymous"]
        return known
    }()

    private func complete(_ line: String) -> [String] {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        return Completion.candidates(for: words, known).map(\.word)
    }

    @Test("Commands, and options where they are begun")
    func commands() {
        #expect(complete("") == CommandHelp.entries.map(\.name))
        #expect(complete("ho") == ["hold"])
        #expect(complete("--js") == ["--json"])
        #expect(complete("help mo") == ["monitor"])
        #expect(complete("--json st") == ["status", "stats"])
        #expect(complete("nonsense x").isEmpty)
    }

    @Test("Calls and accounts, where they are meant")
    func values() {
        let id = known.calls[0].id.description
        #expect(complete("hold ") == [id])
        #expect(complete("hold 0b") == [id])
        #expect(complete("hold 1").isEmpty)
        #expect(complete("hold \(id) ").isEmpty)
        #expect(complete("dtmf ").isEmpty)
        #expect(complete("dtmf 12 ") == [id])
        #expect(complete("merge a b ") == [id])
        #expect(complete("transfer 102 ") == [id])
        #expect(complete("--socket /x --json mute ") == [id])
        #expect(complete("dial 102 --account ") == ["office"])
        #expect(complete("dial --account office --w") == ["--wait"])
        #expect(complete("dial --id ").isEmpty)
        let summary = Completion.candidates(for: ["hold", ""], known).first?.summary
        #expect(summary == "connected Ann <sip:a@b>")
    }

    @Test("Contacts and blocked callers, where they can be removed or called")
    func lists() {
        #expect(complete("contacts remove ") == ["Jane Doe"])
        #expect(complete("contacts remove B").isEmpty)
        #expect(complete("contacts add ").isEmpty)
        #expect(complete("block remove ") == ["+49900*", "anonymous"])
        #expect(complete("block remove an") == ["anonymous"])
        #expect(complete("block add ").isEmpty)
        #expect(complete("dial 03") == ["0301", "0302"])
        #expect(complete("dial --account office sip") == ["sip:jane@example.com"])
        #expect(complete("transfer 0302") == ["0302"])
        #expect(complete("history --missed --with ") == ["0301", "sip:jane@example.com", "0302"])
        #expect(Completion.candidates(for: ["dial", "0301"], known).first?.summary == "Jane Doe")
    }

    @Test("The socket of the line that is completed, else that of the command itself")
    func sockets() {
        #expect(Completion.socket(of: ["--socket", "/a", "hold", ""]) == "/a")
        #expect(Completion.socket(of: ["hold", "--socket=/a", ""]) == "/a")
        #expect(Completion.socket(of: ["hold", "--socket", "/a"]) == nil)
        #expect(Completion.socket(of: ["hold", ""]) == nil)
    }

    @Test("A socket that the command itself was given is asked")
    func ownSocket() async throws {
        let daemon = ScriptedDaemon()
        daemon.calls = known.calls
        let output = Mutex("")
        let terminal = Terminal(
            write: { text in output.withLock { $0 += text } }, writeError: { _ in }, isInteractive: false)
        try await Completion.print(["hold", ""], socket: daemon.path, terminal)
        let line = "\(daemon.calls[0].id)\tconnected Ann <sip:a@b>\n"
        #expect(output.withLock(\.self) == line)
        try await Completion.print(["--socket", "/nowhere", "hold", ""], socket: daemon.path, terminal)
        #expect(output.withLock(\.self) == line)
        try await Completion.print(["--socket", daemon.path, "hold", ""], socket: "/nowhere", terminal)
        #expect(output.withLock(\.self) == line + line)
        // What is not wanted is not asked for.
        #expect(daemon.asked.map(\.method) == ["call.list", "call.list"])
    }

    @Test("Words of a command that has several forms")
    func forms() {
        #expect(complete("dnd ") == ["on", "off"])
        #expect(complete("silent o") == ["on", "off"])
        #expect(complete("profile ") == ["line", "handset", "speakerphone", "auto"])
        #expect(complete("volume ") == ["capture", "playback"])
        #expect(complete("volume capture ").isEmpty)
        #expect(complete("reject --b") == ["--busy"])
    }

    @Test("A synopsis is read as it is written")
    func synopsis() {
        let dial = Synopsis("dial HANDLE [--account ACCOUNT] [--wait]")
        #expect(dial.options == [.init(name: "--account", value: "ACCOUNT"), .init(name: "--wait", value: nil)])
        #expect(dial.alternatives == [[.value("HANDLE", repeats: false)]])
        let two = Synopsis("x add NAME HANDLE... | on|off | --all")
        #expect(two.places(after: []) == [.words(["add"]), .words(["on", "off"])])
        #expect(two.places(after: ["add", "n", "h", "i"]) == [.value("HANDLE", repeats: true)])
        #expect(two.places(after: ["on", "x"]).isEmpty)
        #expect(two.options.map(\.name) == ["--all"])
    }

    @Test("An option of one name is the same for all commands that take it")
    func meanings() {
        for option in CommandHelp.entries.flatMap({ Synopsis($0.synopsis).options }) {
            #expect(CommandHelp.options[option.name] == option, "\(option.name)")
        }
    }

    @Test("Every option of a synopsis is one that the command takes")
    func options() throws {
        for entry in CommandHelp.entries where entry.name != "complete" {
            for option in Synopsis(entry.synopsis).options {
                // Alone it may be too little; that it is unknown is another error.
                do throws(Failure) {
                    let value = option.value.map { _ in ["1"] } ?? []
                    _ = try Invocation(parsing: [entry.name, option.name] + value)
                } catch {
                    #expect(!error.message.contains("option"), "\(entry.name) \(option.name): \(error.message)")
                }
            }
        }
    }
}
