public import Screening

/// Who may ring, and what is kept of calls.
extension Settings {
    /// `[block]`
    public struct Block: Sendable, Hashable {
        /// Handles, `@domain`, beginnings of numbers with `*`, `anonymous`.
        public var handles: [String] = []
        /// Absolute paths of files with one of them a line.
        public var files: [String] = []
        public var answer = Refusal.declined
        public init() {}
    }

    /// `[allow]`: who is never blocked.
    public struct Allow: Sendable, Hashable {
        public var handles: [String] = []
        public var files: [String] = []
        /// Whether everybody else but the contacts is blocked.
        public var only = false
        public init() {}
    }

    /// `[dnd]`: do not disturb.
    public struct DND: Sendable, Hashable {
        public var schedule: [QuietHours] = []
        /// Who rings all the same.
        public var through: [String] = []
        public var answer = Refusal.busy
        public init() {}
    }

    /// `[contacts]`
    public struct Contacts: Sendable, Hashable {
        /// Absolute paths of files of vCards.
        public var files: [String] = []
        public init() {}
    }

    /// `[history]`
    public struct History: Sendable, Hashable {
        /// How long calls are kept, 0...36500; 0: for ever.
        public var days = 365
        /// How many calls are kept, 0...100000.
        public var entries = 10_000
        public init() {}
    }
}

extension Settings.Block {
    init(reading reader: inout TableReader) {
        handles = reader.callers("handles")
        files = reader.files("files")
        answer = reader.choice("answer", default: answer)
    }
}

extension Settings.Allow {
    init(reading reader: inout TableReader) {
        handles = reader.callers("handles")
        files = reader.files("files")
        only = reader.boolean("only", default: only)
    }
}

extension Settings.DND {
    init(reading reader: inout TableReader) {
        schedule = reader.strings("schedule", default: [], atMost: 32).compactMap { text in
            guard let hours = QuietHours(text) else {
                reader.report(
                    "schedule",
                    "\"\(text)\" is not days and hours, such as \"mon-fri 22:00-07:00\" or \"daily 13:00-15:00\"")
                return nil
            }
            return hours
        }
        through = reader.callers("through")
        answer = reader.choice("answer", default: answer)
    }
}

extension Settings.Contacts {
    init(reading reader: inout TableReader) { files = reader.files("files") }
}

extension Settings.History {
    init(reading reader: inout TableReader) {
        days = reader.integer("days", default: days, in: 0...36_500)
        entries = reader.integer("entries", default: entries, in: 0...100_000)
    }
}

extension TableReader {
    fileprivate mutating func callers(_ key: String) -> [String] {
        let entries = strings(key, default: [], atMost: 1_000)
        for entry in entries where !CallerList.accepts(entry) {
            report(
                key,
                "\"\(entry)\" is not a handle, @domain, the beginning of a number with * after it, or \"anonymous\"")
        }
        return entries
    }

    fileprivate mutating func files(_ key: String) -> [String] {
        let paths = strings(key, default: [], atMost: 16)
        if paths.contains("") { report(key, "holds an empty path") }
        let absolute = paths.map(resolved)
        for path in absolute { note(key, path) }
        return absolute
    }
}
