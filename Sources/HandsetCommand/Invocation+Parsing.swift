internal import CallModel
internal import ControlProtocol
internal import Glibc
internal import MediaDescription
internal import Screening

extension Invocation {
    /// Reads the arguments, without the program's name. Options may stand anywhere; `--` ends them.
    init(parsing arguments: [String]) throws(Failure) {
        var words = try Words(arguments)
        socket = words.value(of: "--socket")
        json = words.flag("--json")
        if words.flag("--version") {
            action = .version
            try words.end()
            return
        }
        let wantsHelp = words.flag("--help")
        guard let name = words.next() else {
            guard wantsHelp else { throw .usage("say what to do; handset --help lists the commands") }
            action = .help(nil)
            return
        }
        if wantsHelp || name == "help" {
            let topic = name == "help" ? words.next() : name
            if let topic, CommandHelp.entry(topic) == nil { throw .usage("there is no command \"\(topic)\"") }
            action = .help(topic)
            return
        }
        action = .run(try Command(name: name, &words))
        try words.end(of: name)
    }
}

extension Command {
    init(name: String, _ words: inout Words) throws(Failure) {
        switch name {
        case "status": self = .status
        case "calls": self = .calls
        case "dial":
            let account = words.value(of: "--account")
            let id = words.value(of: "--id")
            let wait = words.flag("--wait")
            let handle = try words.required("HANDLE: whom to call", of: name)
            var call: CallID?
            if let id {
                guard let parsed = CallID(id) else { throw .usage("--id \(id): that is not a UUID") }
                call = parsed
            }
            self = .dial(handle, account: account, id: call, wait: wait)
        case "answer": self = .act(words.flag("--end") ? .endAndAnswer : .answer, call: words.next())
        case "reject":
            let reason: RejectReason = words.flag("--busy") ? .busy : .declined
            self = .act(.reject(reason), call: words.next())
        case "hangup": self = .act(.hangup, call: words.next())
        case "hold": self = .act(.hold, call: words.next())
        case "resume": self = .act(.resume, call: words.next())
        case "mute": self = .act(.mute, call: words.next())
        case "unmute": self = .act(.unmute, call: words.next())
        case "earmuff": self = .act(.earmuff, call: words.next())
        case "unearmuff": self = .act(.unearmuff, call: words.next())
        case "swap": self = .swap
        case "dtmf":
            // Empty ones let a stopped sequence go on.
            guard let text = words.next() else { throw .usage("dtmf needs DIGITS") }
            guard var digits = DigitString(text) else {
                throw .usage(
                    "dtmf \(text): digits are up to \(DigitString.maximumLength) of 0-9, A-D, * and #, with , for a "
                        + "pause and ; for a stop")
            }
            digits.tone = try Self.milliseconds("--tone", &words)
            digits.gap = try Self.milliseconds("--gap", &words)
            self = .act(.dtmf(digits), call: words.next())
        case "record": self = try Self.record(&words)
        case "play":
            if words.flag("--stop") {
                self = .act(.stopPlaying, call: words.next())
            } else {
                let loops = words.flag("--loop")
                let file = try words.required("FILE, or --stop", of: name)
                self = .act(.play(file: Self.fromRoot(file), loops: loops), call: words.next())
            }
        case "devices": self = .devices
        case "volume": self = try Self.volume(&words)
        case "profile": self = .profile(try Self.profile(&words))
        case "stats": self = .stats(call: words.next())
        case "monitor": self = .monitor
        case "complete": self = .complete(words.rest())
        case "doctor": self = .doctor
        case "reload": self = .reload
        default: self = try Self.callManagement(name, &words)
        }
    }

    private static func record(_ words: inout Words) throws(Failure) -> Command {
        switch try words.required("start or stop", of: "record") {
        case "start":
            let file = words.value(of: "--file")
            if let file, file.contains("/"), !file.hasPrefix("/") {
                throw .usage("--file \(file): say a name in the daemon's folder, or a path that begins with /")
            }
            return .act(.record(file: file), call: words.next())
        case "stop": return .act(.stopRecording, call: words.next())
        case let word: throw .usage("record \(word): say start or stop")
        }
    }

    /// The daemon has another folder than we.
    private static func fromRoot(_ file: String) -> String {
        guard !file.hasPrefix("/"), let folder = getcwd(nil, 0) else { return file }
        defer { free(folder) }
        return String(cString: folder) + "/" + file
    }

    private static func milliseconds(_ option: String, _ words: inout Words) throws(Failure) -> Int? {
        guard let text = words.value(of: option) else { return nil }
        guard let value = Int(text), DigitTiming.range.contains(value) else {
            throw .usage(
                "\(option) \(text): say milliseconds, \(DigitTiming.range.lowerBound) to \(DigitTiming.range.upperBound)"
            )
        }
        return value
    }

    private static func volume(_ words: inout Words) throws(Failure) -> Command {
        guard let side = words.next() else { return .volume(capture: nil, playback: nil) }
        guard side == "capture" || side == "playback" else {
            throw .usage("volume \(side): say capture or playback, and 0 to 100")
        }
        let text = try words.required("N: 0 to 100", of: "volume \(side)")
        guard let value = Int(text), 0...100 ~= value else { throw .usage("volume \(side) \(text): say 0 to 100") }
        return side == "capture" ? .volume(capture: value, playback: nil) : .volume(capture: nil, playback: value)
    }

    private static func profile(_ words: inout Words) throws(Failure) -> ProfileChoice? {
        guard let word = words.next() else { return nil }
        guard let choice = ProfileChoice(word: word) else {
            throw .usage("profile \(word): say one of \(ProfileChoice.words.joined(separator: ", "))")
        }
        return choice
    }

    /// The commands whose methods a daemon may not carry out yet.
    private static func callManagement(_ name: String, _ words: inout Words) throws(Failure) -> Command {
        switch name {
        case "merge": return .merge(calls: words.rest())
        case "split": return .split(call: try words.required("CALL", of: name))
        case "transfer":
            if words.flag("--attended") { return .attendedTransfer }
            return .transfer(handle: try words.required("HANDLE, or --attended", of: name), call: words.next())
        case "history": return try history(&words)
        case "redial": return .redial
        case "probe": return .probe(try ProbeOrder(&words))
        case "dnd": return .reception(.dndSet(on: try words.onOrOff(of: name)))
        case "silent": return .reception(.ringerSet(silent: try words.onOrOff(of: name)))
        case "block":
            switch try words.required("add, remove or list", of: name) {
            case "add": return .reception(.blockAdd(try words.caller(of: "block add")))
            case "remove": return .reception(.blockRemove(try words.caller(of: "block remove")))
            case "list": return .reception(.blockList)
            case let word: throw .usage("block \(word): say add, remove or list")
            }
        case "contacts": return try contacts(&words)
        default: throw .usage("there is no command \"\(name)\"; handset --help lists them")
        }
    }

    private static func history(_ words: inout Words) throws(Failure) -> Command {
        if words.flag("--clear") { return .reception(.historyClear) }
        let (incoming, outgoing) = (words.flag("--incoming"), words.flag("--outgoing"))
        guard !incoming || !outgoing else { throw .usage("history: say --incoming or --outgoing, or nothing for both") }
        var query = HistoryQuery(
            missedOnly: words.flag("--missed"), direction: incoming ? .incoming : outgoing ? .outgoing : nil,
            handle: words.value(of: "--with"))
        if let text = words.value(of: "--limit") {
            guard let limit = Int(text), 1...HistoryQuery.maximumLimit ~= limit else {
                throw .usage("--limit \(text): say a number, 1 to \(HistoryQuery.maximumLimit)")
            }
            query.limit = limit
        }
        return .history(query)
    }

    private static func contacts(_ words: inout Words) throws(Failure) -> Command {
        switch try words.required("add, remove or list", of: "contacts") {
        case "add":
            var contact = Contact(name: "", handles: [])
            contact.ringTone = words.value(of: "--ring-tone") ?? ""
            contact.autoAnswer = words.flag("--auto-answer")
            contact.throughDoNotDisturb = words.flag("--through-dnd")
            contact.name = try words.required("NAME", of: "contacts add")
            contact.handles = [try words.required("HANDLE", of: "contacts add")] + words.rest()
            return .reception(.contactsAdd(contact))
        case "remove":
            return .reception(.contactsRemove(name: try words.required("NAME", of: "contacts remove")))
        case "list": return .contacts
        case let word: throw .usage("contacts \(word): say add, remove or list")
        }
    }
}

/// The arguments, sorted into options and words.
struct Words {
    private var words: ArraySlice<String> = []
    private var values: [String: String] = [:]
    private var given: Set<String> = []

    init(_ arguments: [String]) throws(Failure) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                words += rest
                return
            }
            guard argument.hasPrefix("-"), argument.count > 1 else {
                words.append(argument)
                continue
            }
            var name = argument == "-h" ? "--help" : argument
            var inline: String?
            if let equals = name.firstIndex(of: "=") {
                inline = String(name[name.index(after: equals)...])
                name = String(name[..<equals])
            }
            guard let option = CommandHelp.options[name] else { throw .usage("there is no option \(name)") }
            if option.value != nil {
                guard let value = inline ?? rest.popFirst(), !value.isEmpty else {
                    throw .usage("\(name) needs a value")
                }
                guard values.updateValue(value, forKey: name) == nil else { throw .usage("\(name) stands twice") }
            } else {
                guard inline == nil else { throw .usage("\(name) has no value") }
                given.insert(name)
            }
        }
    }

    mutating func flag(_ name: String) -> Bool { given.remove(name) != nil }

    mutating func value(of name: String) -> String? { values.removeValue(forKey: name) }

    mutating func next() -> String? { words.popFirst() }

    /// nil where neither is said.
    mutating func onOrOff(of command: String) throws(Failure) -> Bool? {
        guard let word = next() else { return nil }
        guard word == "on" || word == "off" else { throw .usage("\(command) \(word): say on or off") }
        return word == "on"
    }

    mutating func rest() -> [String] {
        defer { words = [] }
        return Array(words)
    }

    mutating func required(_ what: String, of command: String) throws(Failure) -> String {
        guard let word = words.popFirst(), !word.isEmpty else { throw .usage("\(command) needs \(what)") }
        return word
    }

    mutating func caller(of command: String) throws(Failure) -> String {
        let entry = try required("HANDLE: whom", of: command)
        guard CallerList.accepts(entry) else {
            throw .usage(
                "\(command) \(entry): say a handle, @domain, the beginning of a number with * after it, or anonymous")
        }
        return entry
    }

    /// Throws where something was said that nobody asked for.
    func end(of command: String? = nil) throws(Failure) {
        let unused = given.sorted().first ?? values.keys.sorted().first
        if let unused {
            throw .usage(command.map { "\($0) has no option \(unused)" } ?? "\(unused) has no meaning here")
        }
        if let word = words.first { throw .usage("\(command.map { "\($0): " } ?? "")\"\(word)\" is one word too many") }
    }
}
