import CallModel
import ControlProtocol
import MediaDescription
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
            ("record start", .act(.record(file: nil), call: nil)), ("record stop 1f", .act(.stopRecording, call: "1f")),
            ("record start 1f --file a.wav", .act(.record(file: "a.wav"), call: "1f")),
            ("play /a.wav", .act(.play(file: "/a.wav", loops: false), call: nil)),
            ("play --loop /a.wav 1f", .act(.play(file: "/a.wav", loops: true), call: "1f")),
            ("play --stop", .act(.stopPlaying, call: nil)), ("play --stop 1f", .act(.stopPlaying, call: "1f")),
            ("profile", .profile(nil)), ("profile auto", .profile(.configured)),
            ("profile speakerphone", .profile(.always(.speakerphone))),
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

    @Test("A file to play is named from the root, for the daemon has another folder")
    func relativeFile() throws {
        guard case .act(.play(let file, false), nil)? = try command("play a.wav") else {
            Issue.record("it is not read as a file to play")
            return
        }
        #expect(file.hasPrefix("/") && file.hasSuffix("/a.wav") && file.count > "/a.wav".count)
        #expect(throws: Failure.self) { try command("record start --file b/a.wav") }
        #expect(throws: Failure.self) { try command("record") }
        #expect(throws: Failure.self) { try command("play") }
    }

    @Test("A probe has what it sends and what it must show")
    func probe() throws {
        guard case .probe(let plain)? = try command("probe 101"),
            case .probe(let order)? = try command(
                "probe sip:echo@a --account b --seconds 60 --frequency 100 --level -60 --max-delay 1.5 --max-gap 0 --max-loss 2 --min-snr 30"
            )
        else {
            Issue.record("it is not read as a probe")
            return
        }
        let handle = Handle(kind: .generic, value: "x")
        #expect(plain.wish(handle) == ProbeWish(handle: handle) && plain.handle == "101")
        #expect(order.wish(handle) == ProbeWish(handle: handle, account: "b", seconds: 60, frequency: 100, level: -60))
        var report = ProbeReport(handle: handle)
        #expect(plain.complaints(about: report).count == 1)
        var heard = ProbeReport.Heard()
        (heard.delayMs, heard.mostDelayMs, heard.longestGapMs, heard.snrDb) = (1, 1.5, 0, 30)
        report.heard = heard
        (report.packetsReceived, report.lost, report.remoteLostPercent) = (98, 2, 2)
        #expect(order.complaints(about: report).isEmpty && plain.complaints(about: report).isEmpty)
        (heard.mostDelayMs, heard.longestGapMs, heard.snrDb) = (1.6, 5, 29.9)
        report.heard = heard
        report.lost = 3
        #expect(
            order.complaints(about: report) == [
                "delay 1.6 ms, more than 1.5", "longest gap 5.0 ms, more than 0.0", "loss 3.0 %, more than 2.0",
                "SNR 29.9 dB, less than 30.0",
            ])
        #expect(plain.complaints(about: report).isEmpty)
        for wrong in [
            "--seconds 0", "--seconds 61", "--frequency 99", "--level -5", "--level x", "--max-delay -1",
            "--min-snr nan",
        ] {
            #expect(throws: Failure.self, "\(wrong)") { try command("probe 101 \(wrong)") }
        }
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
            // A long one goes on in the next line.
            #expect(CommandHelp.text(nil).replacing("\n      [", with: " [").contains(entry.synopsis))
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
            "silent maybe", "profile loud", "profile line handset", "block", "block all",
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
