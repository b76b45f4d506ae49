/// What `--help` prints.
enum CommandHelp {
    struct Entry: Sendable {
        var name: String
        var synopsis: String
        var summary: String
        var detail: String
    }

    /// Options that every command takes, and what each is.
    static let general: [(option: Synopsis.Option, summary: String)] = [
        (Synopsis.Option(name: "--socket", value: "PATH"), "the daemon's control socket"),
        (Synopsis.Option(name: "--json", value: nil), "print results as JSON"),
        (Synopsis.Option(name: "--help", value: nil), "this, or with a command, more about it"),
        (Synopsis.Option(name: "--version", value: nil), "the version"),
    ]

    /// Every option there is; one of the same name is the same for all commands that take it.
    static let options: [String: Synopsis.Option] = Dictionary(
        (general.map(\.option) + entries.flatMap { Synopsis($0.synopsis).options }).map { ($0.name, $0) },
        uniquingKeysWith: { first, _ in first })

    static func entry(_ name: String) -> Entry? { entries.first { $0.name == name } }

    static let entries: [Entry] = [
        Entry(name: "status", synopsis: "status", summary: "the daemon, its accounts and devices", detail: ""),
        Entry(name: "calls", synopsis: "calls", summary: "the calls that are not over", detail: ""),
        Entry(
            name: "dial", synopsis: "dial HANDLE [--account ACCOUNT] [--id UUID] [--wait]", summary: "start a call",
            detail: """
                HANDLE is a number, a user name, user@host, or a sip: or tel: URI. Numbers need an account; a name
                without @ is a user of the account, where there is no account a machine.
                  --account ACCOUNT  the account to call through; default: the first one
                  --id UUID          the name the call shall have; default: the daemon chooses
                  --wait             return when the call is connected (0) or has failed (1); Ctrl-C stops the
                                     waiting, not the call
                """),
        Entry(
            name: "answer", synopsis: "answer [CALL] [--end]", summary: "answer an incoming call",
            detail: "The active call is held before.\n  --end  end it instead"),
        Entry(
            name: "reject", synopsis: "reject [CALL] [--busy]", summary: "refuse an incoming call",
            detail: "  --busy  refuse as busy (486) instead of declined (603)"),
        Entry(name: "hangup", synopsis: "hangup [CALL]", summary: "end a call", detail: ""),
        Entry(
            name: "hold", synopsis: "hold [CALL]", summary: "silence both directions and tell the remote party",
            detail: ""),
        Entry(name: "resume", synopsis: "resume [CALL]", summary: "end a hold", detail: ""),
        Entry(
            name: "swap", synopsis: "swap", summary: "hold the active call and resume the held one",
            detail: "For exactly one active and one held call."),
        Entry(name: "mute", synopsis: "mute [CALL]", summary: "stop sending our sound", detail: ""),
        Entry(name: "unmute", synopsis: "unmute [CALL]", summary: "send our sound again", detail: ""),
        Entry(name: "earmuff", synopsis: "earmuff [CALL]", summary: "stop playing the remote party", detail: ""),
        Entry(name: "unearmuff", synopsis: "unearmuff [CALL]", summary: "play the remote party again", detail: ""),
        Entry(
            name: "dtmf", synopsis: "dtmf DIGITS [CALL] [--tone MS] [--gap MS]", summary: "press keys",
            detail: """
                DIGITS are up to 128 of 0-9, A-D, * and #; a comma is a pause of two seconds; a semicolon stops there
                until the next dtmf, which may have empty DIGITS.
                  --tone MS  how long each key is down, 40 to 2000; default: as configured (100)
                  --gap MS   how long it is up before the next one
                """),
        Entry(
            name: "merge", synopsis: "merge [CALL...]", summary: "make a conference of calls",
            detail: """
                All hear each other and you; those that are held are resumed. Without CALL: all calls that are connected;
                with one: it and what is active. hold and resume of any member are for the whole conference; mute, earmuff
                and hangup of a member are for that one, without CALL for all.
                """),
        Entry(
            name: "split", synopsis: "split CALL", summary: "take a call out of its conference",
            detail: "You talk with it alone; the rest of the conference is held."),
        Entry(
            name: "transfer", synopsis: "transfer HANDLE [CALL] | --attended", summary: "have a call go on without us",
            detail: "  --attended  connect the active and the held call's parties with each other\n"
                + "The call is held meanwhile, and ends when the target has answered; resume takes it back."),
        Entry(
            name: "history",
            synopsis: "history [--missed] [--incoming] [--outgoing] [--with HANDLE] [--limit N] | --clear",
            summary: "past calls",
            detail: """
                The latest first. A star is a missed call that nobody has looked at; this is a look.
                  --missed       only those that nobody could answer, or did
                  --incoming     only those that came in
                  --outgoing     only those that we dialled
                  --with HANDLE  only those with HANDLE, in whatever way it is written
                  --limit N      at most N of them, 1 to 500; default: 50
                  --clear        forgets them all
                """),
        Entry(
            name: "record", synopsis: "record start [CALL] [--file FILE] | stop [CALL]", summary: "record a call",
            detail: """
                What the remote party is sent is on the left channel, what is heard of it on the right one.
                  --file FILE  a name in the daemon's folder of recordings, or a path that begins with /, of a file that
                               is not there yet; it ends in .opus, .ogg or .wav. Default: a name made of time and
                               party
                """),
        Entry(
            name: "play", synopsis: "play FILE [CALL] [--loop] | [CALL] --stop", summary: "play a file into a call",
            detail: """
                The remote party hears FILE, a WAV or Ogg Opus file of up to ten minutes, in place of the microphone.
                  --loop  over and over
                  --stop  the microphone again
                """),
        Entry(name: "redial", synopsis: "redial", summary: "call again whom we called last", detail: ""),
        Entry(
            name: "probe",
            synopsis:
                "probe HANDLE [--account ACCOUNT] [--seconds N] [--frequency HZ] [--level DBFS] [--max-delay MS] [--max-gap MS] [--max-loss PERCENT] [--min-snr DB]",
            summary: "call an echo, and measure what comes back",
            detail: """
                HANDLE is as with dial: of an echo service, as direct.echo_user and account.echo of the configuration make
                one. No sound device is used, and other calls go on. Exits with 1 where nothing comes back, or not as it must:
                  --account ACCOUNT   the account to call through; default: the first one
                  --seconds N         how long to measure, 1 to 60; default: 5
                  --frequency HZ      of the tone, 100 to 3400; default: 1000
                  --level DBFS        RMS of what is sent, -60 to -6; default: -20
                  --max-delay MS      there and back, at any second
                  --max-gap MS        the longest time at once in which the tone is missing
                  --max-loss PERCENT  packets lost, either way
                  --min-snr DB        the tone against everything else
                """),
        Entry(
            name: "dnd", synopsis: "dnd [on|off]", summary: "do not disturb",
            detail: "Off also ends the configured hours that have begun; the next ones begin as configured."),
        Entry(
            name: "silent", synopsis: "silent [on|off]", summary: "silence the ringer",
            detail: "Calls still come in, are shown and can be answered; the tone of a second call is still heard."),
        Entry(
            name: "block", synopsis: "block add HANDLE | remove HANDLE | list", summary: "who may not call",
            detail: """
                HANDLE is a handle, @domain, the beginning of a number with * after it (quote it for the shell), or
                anonymous.
                """),
        Entry(
            name: "contacts",
            synopsis:
                "contacts add NAME HANDLE... [--ring-tone FILE] [--auto-answer] [--through-dnd] | remove NAME | list",
            summary: "who is who",
            detail: """
                Adding replaces the contact of the same name. Options of add:
                  --ring-tone FILE  what rings for it, a path on the daemon's machine
                  --auto-answer     its calls are answered by themselves, where somebody vouches for the caller
                  --through-dnd     its calls ring although nobody wants to be disturbed
                """),
        Entry(name: "devices", synopsis: "devices", summary: "the sound devices of the machine", detail: ""),
        Entry(
            name: "volume", synopsis: "volume [capture N | playback N]", summary: "show or set the level, 0 to 100",
            detail: ""),
        Entry(
            name: "profile", synopsis: "profile [line|handset|speakerphone|auto]",
            summary: "what is done to the microphone's sound",
            detail: """
                line leaves every sample as it is; handset is for an earpiece (less noise, one level); speakerphone is for
                a loudspeaker in the room (no echo of it, too). It takes effect at once, in calls too, and lasts until the
                daemon ends; auto is what the configuration says for each device.
                """),
        Entry(
            name: "stats", synopsis: "stats [CALL]", summary: "what is measured of calls and the audio loop", detail: ""
        ),
        Entry(
            name: "monitor", synopsis: "monitor", summary: "what happens, as it happens",
            detail: """
                On a terminal: a live view of the calls with level meters, and keys for what can be done, which it
                shows. Else: one line an event. With --json: one JSON text an event. A daemon that goes is waited
                for. Ctrl-C ends the watching.
                """),
        Entry(
            name: "doctor", synopsis: "doctor", summary: "look for what is wrong and say what to do",
            detail: "Exits with 0 where nothing is wrong."),
        Entry(name: "reload", synopsis: "reload", summary: "read the configuration again", detail: ""),
        Entry(
            name: "complete", synopsis: "complete -- WORD...", summary: "what may come next, for shells",
            detail: """
                WORD... is a command line without the program's name; of its last word, which may be empty, the beginning
                is given. Prints what it may become, one a line, each with a tab and what it is.
                """),
    ]

    /// The help of one command, or of the program.
    static func text(_ command: String?) -> String {
        guard let command, let entry = entry(command) else { return overview }
        var text = "usage: handset [--socket PATH] [--json] \(entry.synopsis)\n\n\(entry.summary)\n"
        if !entry.detail.isEmpty { text += "\n" + entry.detail + "\n" }
        if entry.synopsis.contains("[CALL") {
            text += "\n" + callNote
        } else if entry.synopsis.contains(" CALL") {
            text += "\nCALL is a call's UUID or the beginning of one.\n"
        }
        return text
    }

    private static let callNote = """
        CALL is a call's UUID or the beginning of one; it may be left out where one call is meant beyond doubt.

        """

    /// On several lines where it is too long for one.
    private static func wrapped(_ synopsis: String) -> String {
        var lines = [""]
        for part in synopsis.split(separator: " [") {
            let option = lines == [""] ? String(part) : " [" + part
            if lines[lines.count - 1].count + option.count > 100 { lines.append("     ") }
            lines[lines.count - 1] += option
        }
        return lines.joined(separator: "\n")
    }

    private static var overview: String {
        // A summary that would stand too far to the right goes on a line of its own.
        let width = entries.map(\.synopsis.count).filter { $0 <= 52 }.max() ?? 0
        let lines = entries.map { entry in
            let room = width - entry.synopsis.count + 2
            let gap = String(repeating: " ", count: room < 0 ? width + 4 : room)
            return "  " + wrapped(entry.synopsis) + (room < 0 ? "\n" : "") + gap + entry.summary
        }
        var options = Table()
        for (option, summary) in general {
            options.add(["  " + [option.name, option.value].compactMap { $0 }.joined(separator: " "), summary])
        }
        return """
            usage: handset [--socket PATH] [--json] COMMAND

            \(lines.joined(separator: "\n"))

            \(options.text)

            \(callNote)Exit status: 0 done, 1 failed, 2 wrong usage, 3 no daemon can be reached. See handset(1).

            """
    }
}
