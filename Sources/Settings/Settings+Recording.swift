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
        /// Days after which one that was given no name is removed, 0...36500; 0: never.
        public var keepDays = 0
        /// MiB that these may take, 0...100000000; 0: as much as there is.
        public var keepMebibytes = 0
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
        keepDays = reader.integer("keep_days", default: keepDays, in: 0...36_500)
        keepMebibytes = reader.integer("keep_mib", default: keepMebibytes, in: 0...100_000_000)
    }
}
