internal import CallModel

/// What a key of the monitor does.
enum MonitorCommand: Sendable, Hashable, CaseIterable {
    case up, down
    case answer, endAndAnswer, reject, busy, hangUp, hold, mute, earmuff, keys
    case dial, redial, swap, transfer, connect, merge, split
    case quieter, louder, doNotDisturb
    case help, redraw, quit
}

/// One key of the monitor: the table that keys, legend, help and manual go by.
struct MonitorKey: Sendable {
    let command: MonitorCommand
    let keys: [Key]
    /// As it is written.
    let name: String
    /// What it does, in a word, for the legend.
    let word: String
    /// And in a sentence.
    let help: String

    private init(_ command: MonitorCommand, _ keys: [Key], _ name: String, _ word: String, _ help: String) {
        self.command = command
        self.keys = keys
        self.name = name
        self.word = word
        self.help = help
    }

    private init(_ command: MonitorCommand, _ letter: Character, _ word: String, _ help: String) {
        self.init(command, [.character(letter)], String(letter), word, help)
    }

    static let all: [MonitorKey] = [
        MonitorKey(.up, [.up, .character("k")], "Up, k", "select", "select the call above"),
        MonitorKey(.down, [.down, .character("j")], "Down, j", "select", "select the call below"),
        MonitorKey(.answer, "a", "answer", "answer the selected call, else the one that rings"),
        MonitorKey(.endAndAnswer, "A", "end and answer", "answer it, and end the active call instead of holding it"),
        MonitorKey(.reject, "r", "reject", "refuse it as declined"),
        MonitorKey(.busy, "b", "busy", "refuse it as busy"),
        MonitorKey(.hangUp, "x", "hang up", "end the selected call"),
        MonitorKey(.hold, "h", "hold", "hold the selected call, or resume it"),
        MonitorKey(.mute, "m", "mute", "stop sending our sound, or send it again"),
        MonitorKey(.earmuff, "e", "earmuff", "stop playing the remote party, or play it again"),
        MonitorKey(.keys, "p", "press keys", "ask for digits and send them"),
        MonitorKey(.dial, "d", "dial", "ask for a handle and call it"),
        MonitorKey(.redial, "R", "redial", "call again whom we called last"),
        MonitorKey(.swap, "s", "swap", "hold the active call and resume the held one"),
        MonitorKey(.transfer, "t", "transfer", "ask for a handle and hand the selected call over to it"),
        MonitorKey(.connect, "T", "connect", "connect the active and the held call's parties with each other"),
        MonitorKey(.merge, "g", "group", "make a conference of all connected calls"),
        MonitorKey(.split, "G", "split", "take the selected call out of its conference"),
        MonitorKey(.quieter, "-", "quieter", "turn the loudspeaker down"),
        MonitorKey(.louder, [.character("+"), .character("=")], "+, =", "louder", "turn the loudspeaker up"),
        MonitorKey(.doNotDisturb, "n", "do not disturb", "do not disturb, or let calls ring again"),
        MonitorKey(.help, "?", "help", "show all keys, or hide them"),
        MonitorKey(.redraw, [.control("l")], "Ctrl-L", "redraw", "draw the screen anew"),
        MonitorKey(.quit, "q", "quit", "end the watching; Ctrl-C does the same. Calls go on"),
    ]

    static func command(for key: Key) -> MonitorCommand? { all.first { $0.keys.contains(key) }?.command }
}
