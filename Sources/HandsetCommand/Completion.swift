internal import CallModel
internal import ControlProtocol
internal import HandsetKit

/// What may come next on a command line: for the shells, whose scripts in `completion` ask for it.
enum Completion {
    struct Candidate: Sendable, Hashable {
        var word: String
        /// For shells that show more than the word.
        var summary = ""
    }

    /// What the daemon knows and a word may be.
    struct Known: Sendable {
        var calls: [CallSnapshot] = []
        var accounts: [AccountInfo] = []
        init() {}
    }

    /// Options that every command takes.
    private static let general = [
        Candidate(word: "--socket", summary: "the daemon's control socket"),
        Candidate(word: "--json", summary: "print results as JSON"),
        Candidate(word: "--help", summary: "what it takes"),
        Candidate(word: "--version", summary: "the version"),
    ]

    /// Prints what may stand for the last of `words`, one a line, with a tab before what it is.
    ///
    /// - Parameter socket: as `--socket` of the line that is completed; of a daemon that does not answer nothing is known.
    static func print(_ words: [String], _ terminal: Terminal) async {
        let socket = words.dropLast().firstIndex(of: "--socket").flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
        let known = await known(at: socket)
        for candidate in candidates(for: words, known) {
            // One that is not what it says could not be meant anyhow, and shells read lines.
            guard Table.printable(candidate.word) == candidate.word else { continue }
            terminal.write("\(candidate.word)\t\(Table.printable(candidate.summary))\n")
        }
    }

    private static func known(at socket: String?) async -> Known {
        var known = Known()
        do throws(HandsetError) {
            let handset = try await Handset.connect(to: socket, reconnection: .never)
            known.calls = try await handset.calls()
            known.accounts = try await handset.status().accounts
        } catch {
            // Commands and options are known without a daemon.
        }
        return known
    }

    /// What may stand for the last of `words`, which has been begun, or is empty.
    static func candidates(for words: [String], _ known: Known) -> [Candidate] {
        let current = words.last ?? ""
        let (given, open) = sorted(words.dropLast())
        let all: [Candidate]
        if let open {
            all = values(named: open.value, known)
        } else if let command = given.first, command != "help" {
            guard let entry = CommandHelp.entry(command) else { return [] }
            let synopsis = Synopsis(entry.synopsis)
            all =
                synopsis.places(after: Array(given.dropFirst())).flatMap { place in
                    switch place {
                    case .words(let words): words.map { Candidate(word: $0) }
                    case .value(let name, _): values(named: name, known)
                    }
                } + synopsis.options.map { Candidate(word: $0.name) } + general
        } else {
            all =
                given.count > 1
                ? [] : CommandHelp.entries.map { Candidate(word: $0.name, summary: $0.summary) } + general
        }
        // Options are many; who wants one begins it.
        return all.filter { $0.word.hasPrefix(current) && (current.hasPrefix("-") || !$0.word.hasPrefix("-")) }
    }

    /// The words without options and their values, and the option at the end whose value is to come.
    private static func sorted(_ words: ArraySlice<String>) -> (given: [String], open: (name: String, value: String)?) {
        let valued = CommandHelp.entries.flatMap { Synopsis($0.synopsis).options }.reduce(into: ["--socket": "PATH"]) {
            $0[$1.name] = $1.value
        }
        var (given, rest) = ([String](), words)
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word.count > 1 else {
                given.append(word)
                continue
            }
            guard let value = valued[word] else { continue }
            if rest.popFirst() == nil { return (given, (word, value)) }
        }
        return (given, nil)
    }

    private static func values(named name: String, _ known: Known) -> [Candidate] {
        switch name {
        case "CALL":
            known.calls.map { call in
                Candidate(word: call.id.description, summary: "\(Reports.state(call)) \(Reports.party(call))")
            }
        case "ACCOUNT": known.accounts.map { Candidate(word: $0.name, summary: $0.state) }
        default: []
        }
    }
}
