import CallModel
import ControlProtocol
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

    @Test("Words of a command that has several forms")
    func forms() {
        #expect(complete("dnd ") == ["on", "off"])
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
