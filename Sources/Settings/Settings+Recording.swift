extension Settings {
    /// `[recording]`
    public struct Recording: Sendable, Hashable {
        public enum Format: String, Sendable, Hashable, CaseIterable { case opus, wav }
        /// Whether every call is recorded from the moment it is connected.
        public var automatic = false
        /// Of recordings that are given no name.
        public var format = Format.opus
        /// Where they are; empty: `recordings` in the state directory.
        public var directory = ""
        /// Both parties hear that a call is recorded.
        public var beep = false
        public init() {}
    }
}

extension Settings.Recording {
    init(reading reader: inout TableReader) {
        automatic = reader.boolean("automatic", default: automatic)
        format = reader.choice("format", default: format)
        directory = reader.string("directory", default: directory)
        if !directory.isEmpty {
            if directory.utf8.contains(0) || directory.utf8.count > 3_000 {
                reader.report("directory", "is not the path of a folder")
            }
            directory = reader.resolved(directory)
        }
        beep = reader.boolean("beep", default: beep)
    }
}
