internal import CallModel
internal import ControlProtocol
internal import HandsetKit
internal import Screening

/// What may come next on a command line: for the shells, whose scripts in `completion` ask for it.
enum Completion {
    struct Candidate: Sendable, Hashable {
        var word: String
        /// For shells that show more than the word.
        var summary = ""
    }

    /// What the daemon knows and a word may be.
    enum Source: Sendable, Hashable {
        case calls, accounts, contactNames, contactHandles, blocked

        /// What a word in capitals of a synopsis stands for; nil where the daemon knows nothing of the kind.
        ///
        /// - Parameter command: its first two words, as far as they are given.
        init?(named name: String, in command: String) {
            switch (name, command) {
            case ("CALL", _): self = .calls
            case ("ACCOUNT", _): self = .accounts
            case ("NAME", "contacts remove"): self = .contactNames
            case ("HANDLE", "block remove"): self = .blocked
            case ("HANDLE", "dial"), ("HANDLE", "transfer"), ("HANDLE", "probe"), ("HANDLE", "history"):
                self = .contactHandles
            default: return nil
            }
        }
    }

    struct Known: Sendable {
        var calls: [CallSnapshot] = []
        var accounts: [AccountInfo] = []
        var contacts: [ContactsReport.Entry] = []
        /// Blocked by hand.
        var blocked: [String] = []
        init() {}
    }

    /// What may stand at the end of a line: words as they are, and what the daemon knows.
    private struct Question {
        var current: String
        var sources: [Source] = []
        var words: [Candidate] = []
    }

    /// Prints what may stand for the last of `words`, one a line, with a tab before what it is. Throws where that
    /// cannot be written.
    ///
    /// - Parameter socket: as `--socket` of the command itself; that of the line that is completed wins. Of a daemon that
    ///   does not answer nothing is known.
    static func print(_ words: [String], socket: String?, _ terminal: Terminal) async throws(Failure) {
        let known = await known(by: question(words).sources, at: Self.socket(of: words) ?? socket)
        for candidate in candidates(for: words, known) {
            // One that is not what it says could not be meant anyhow, and shells read lines.
            guard Table.printable(candidate.word) == candidate.word else { continue }
            try terminal.write("\(candidate.word)\t\(Table.printable(candidate.summary))\n")
        }
    }

    /// What `--socket` of the line says.
    static func socket(of words: [String]) -> String? {
        let given = words.dropLast()
        guard let index = given.lastIndex(where: { $0 == "--socket" || $0.hasPrefix("--socket=") }) else { return nil }
        if let equals = given[index].firstIndex(of: "=") {
            return String(given[index][given[index].index(after: equals)...])
        }
        return index + 1 < given.endIndex ? given[index + 1] : nil
    }

    /// Asks for what is wanted, and for nothing else.
    private static func known(by sources: [Source], at socket: String?) async -> Known {
        var known = Known()
        guard !sources.isEmpty else { return known }
        do throws(HandsetError) {
            let handset = try await Handset.connect(to: socket, reconnection: .never)
            for source in Set(sources) {
                switch source {
                case .calls: known.calls = try await handset.calls()
                case .accounts: known.accounts = try await handset.status().accounts
                case .contactNames, .contactHandles: known.contacts = try await handset.contacts().entries
                case .blocked: known.blocked = try await handset.blocked().handles
                }
            }
        } catch {
            // Commands and options are known without a daemon.
        }
        return known
    }

    /// What may stand for the last of `words`, which has been begun, or is empty.
    static func candidates(for words: [String], _ known: Known) -> [Candidate] {
        let question = question(words)
        let current = question.current
        let all = question.sources.flatMap { values($0, known) } + question.words
        // Options are many; who wants one begins it.
        return all.filter { $0.word.hasPrefix(current) && (current.hasPrefix("-") || !$0.word.hasPrefix("-")) }
    }

    private static func question(_ words: [String]) -> Question {
        var question = Question(current: words.last ?? "")
        let (given, open) = sorted(words.dropLast())
        let command = given.prefix(2).joined(separator: " ")
        let general = CommandHelp.general.map { Candidate(word: $0.option.name, summary: $0.summary) }
        if let open {
            // The words after the command say nothing of an option's value.
            question.sources = [Source(named: open, in: given.first ?? "")].compactMap { $0 }
        } else if let name = given.first, name != "help" {
            guard let entry = CommandHelp.entry(name) else { return question }
            let synopsis = Synopsis(entry.synopsis)
            for place in synopsis.places(after: Array(given.dropFirst())) {
                switch place {
                case .words(let words): question.words += words.map { Candidate(word: $0) }
                case .value(let name, _): question.sources += [Source(named: name, in: command)].compactMap { $0 }
                }
            }
            question.words += synopsis.options.map { Candidate(word: $0.name) } + general
        } else if given.count < 2 {
            question.words = CommandHelp.entries.map { Candidate(word: $0.name, summary: $0.summary) } + general
        }
        return question
    }

    /// The words without options and their values, and what the value is called that is to come for the option at the end.
    private static func sorted(_ words: ArraySlice<String>) -> (given: [String], open: String?) {
        var (given, rest) = ([String](), words)
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word.count > 1 else {
                given.append(word)
                continue
            }
            guard let value = CommandHelp.options[word]?.value else { continue }
            if rest.popFirst() == nil { return (given, value) }
        }
        return (given, nil)
    }

    private static func values(_ source: Source, _ known: Known) -> [Candidate] {
        switch source {
        case .calls:
            known.calls.map { call in
                Candidate(word: call.id.description, summary: "\(Reports.state(call)) \(Reports.party(call))")
            }
        case .accounts: known.accounts.map { Candidate(word: $0.name, summary: $0.state) }
        case .contactNames:
            // Those of files are not the command's to remove.
            known.contacts.filter { $0.file == nil }.map { entry in
                Candidate(word: entry.contact.name, summary: entry.contact.handles.joined(separator: ", "))
            }
        case .contactHandles:
            known.contacts.flatMap { entry in
                entry.contact.handles.map { Candidate(word: $0, summary: entry.contact.name) }
            }
        case .blocked: known.blocked.map { Candidate(word: $0, summary: "blocked") }
        }
    }
}
