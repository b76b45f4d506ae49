import CallModel
import ControlProtocol
import Screening
import Testing

@testable import HandsetCommand

@Suite("Command line") struct InvocationTests {
    private func parse(_ line: String) throws(Failure) -> Invocation {
        try Invocation(parsing: line.split(separator: " ").map { $0 == "''" ? "" : String($0) })
    }

    private func command(_ line: String) throws -> Command? {
        guard case .run(let command) = try parse(line).action else { return nil }
        return command
    }

    @Test("Each command is read with what belongs to it")
    func commands() throws {
        let id = CallID()
        let expected: [(String, Command)] = [
            ("status", .status), ("calls", .calls), ("swap", .swap), ("devices", .devices), ("monitor", .monitor),
            ("doctor", .doctor), ("reload", .reload), ("redial", .redial),
            ("dial 101", .dial("101", account: nil, id: nil, wait: false)),
            (
                "dial --wait sip:a@b --account office --id \(id)",
                .dial("sip:a@b", account: "office", id: id, wait: true)
            ),
            ("answer", .act(.answer, call: nil)), ("answer 1f", .act(.answer, call: "1f")),
            ("reject", .act(.reject(.declined), call: nil)), ("reject --busy 1f", .act(.reject(.busy), call: "1f")),
            ("reject 1f --busy", .act(.reject(.busy), call: "1f")), ("hangup", .act(.hangup, call: nil)),
            ("hold 1f", .act(.hold, call: "1f")), ("resume", .act(.resume, call: nil)),
            ("mute", .act(.mute, call: nil)), ("unmute", .act(.unmute, call: nil)),
            ("earmuff", .act(.earmuff, call: nil)), ("unearmuff 1", .act(.unearmuff, call: "1")),
            ("dtmf 12,a#", .act(.dtmf(try #require(DigitString("12,A#"))), call: nil)),
            ("dtmf 1 1f", .act(.dtmf(try #require(DigitString("1"))), call: "1f")),
            ("volume", .volume(capture: nil, playback: nil)), ("volume capture 0", .volume(capture: 0, playback: nil)),
            ("volume playback 100", .volume(capture: nil, playback: 100)), ("stats", .stats(call: nil)),
            ("stats 1f", .stats(call: "1f")), ("merge", .merge(calls: [])), ("merge 1 2", .merge(calls: ["1", "2"])),
            ("split 1", .split(call: "1")), ("transfer 102", .transfer(handle: "102", call: nil)),
            ("transfer --attended", .attendedTransfer),
            ("history", .history(HistoryQuery())), ("history --clear", .reception(.historyClear)),
            ("history --missed --limit 5", .history(HistoryQuery(limit: 5, missedOnly: true))),
            ("history --outgoing --with 101", .history(HistoryQuery(direction: .outgoing, handle: "101"))),
            ("silent off", .reception(.ringerSet(silent: false))), ("silent", .reception(.ringerSet(silent: nil))),
            ("dnd on", .reception(.dndSet(on: true))), ("dnd", .reception(.dndSet(on: nil))),
            ("block add +49900*", .reception(.blockAdd("+49900*"))), ("block list", .reception(.blockList)),
            ("contacts list", .contacts), ("contacts remove Ann", .reception(.contactsRemove(name: "Ann"))),
            ("contacts add Ann 1 2", .reception(.contactsAdd(Contact(name: "Ann", handles: ["1", "2"])))),
            (
                "contacts add Ann 1 --auto-answer --through-dnd --ring-tone /a.wav",
                .reception(
                    .contactsAdd(
                        Contact(
                            name: "Ann", handles: ["1"], ringTone: "/a.wav", autoAnswer: true, throughDoNotDisturb: true
                        )))
            ),
        ]
        for (line, expected) in expected { #expect(try command(line) == expected, "\(line)") }
    }

    @Test("The empty DIGITS let a stopped sequence go on")
    func emptyDigits() throws {
        #expect(try command("dtmf ''") == .act(.dtmf(#require(DigitString(""))), call: nil))
    }

    @Test("--socket and --json may stand anywhere, and -- ends the options")
    func options() throws {
        for line in ["--socket /x --json status", "status --json --socket=/x"] {
            let invocation = try parse(line)
            #expect(invocation.socket == "/x")
            #expect(invocation.json)
        }
        #expect(try command("dial -- --odd") == .dial("--odd", account: nil, id: nil, wait: false))
    }

    @Test("Help and version are asked for in the usual ways")
    func help() throws {
        #expect(try parse("--help").action == .help(nil))
        #expect(try parse("-h").action == .help(nil))
        #expect(try parse("dial --help").action == .help("dial"))
        #expect(try parse("help hold").action == .help("hold"))
        #expect(try parse("--version").action == .version)
    }

    @Test("Every command has help that names it")
    func helpTexts() {
        #expect(Set(CommandHelp.entries.map(\.name)).count == CommandHelp.entries.count)
        for entry in CommandHelp.entries {
            // Alone it may be too little, but it is known.
            do throws(Failure) { _ = try parse(entry.name) } catch {
                #expect(!error.message.contains("there is no command"), "\(entry.name)")
            }
            #expect(CommandHelp.text(entry.name).contains(entry.synopsis))
            #expect(CommandHelp.text(nil).contains(entry.synopsis))
            #expect(CommandHelp.text(nil).split(separator: "\n").allSatisfy { $0.count <= 110 })
        }
    }

    @Test(
        "Wrong usage is status 2",
        arguments: [
            "", "nonsense", "--nonsense", "status more", "dial", "dial ''", "dial 1 2", "dial 1 --id x",
            "dial 1 --busy",
            "dial 1 --account", "dtmf", "dtmf 12x", "volume loud", "volume capture", "volume capture 101",
            "volume capture x", "volume playback -1", "split", "transfer", "dnd maybe",
            "silent maybe", "block", "block all",
            "block add", "block add bob*", "contacts add Ann", "history --limit 501", "history --incoming --outgoing",
            "history --limit 0", "history --limit x", "hold --wait", "--json=1 status",
            "--socket", "--socket a --socket b status", "help nonsense", "nonsense --help", "status --limit 3",
        ])
    func usage(line: String) {
        let failure = #expect(throws: Failure.self) { try parse(line) }
        #expect(failure?.status == 2)
    }

    @Test("A daemon that is not there is status 3, a wrong command 2")
    func statuses() async {
        #expect(await HandsetProgram.run(["--socket", "/nowhere/control.sock", "status"]) == 3)
        #expect(await HandsetProgram.run(["--socket", "/nowhere/control.sock", "doctor"]) == 3)
        #expect(await HandsetProgram.run(["nonsense"]) == 2)
    }
}
