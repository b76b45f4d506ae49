/// One thing wrong in a configuration.
public struct SettingsProblem: Sendable, Hashable, CustomStringConvertible {
    public var file: String
    /// From 1.
    public var line: Int
    /// `section.key`; empty where the file is no TOML.
    public var key: String
    /// What is wrong and what is allowed.
    public var message: String

    public init(file: String, line: Int, key: String, message: String) {
        self.file = file
        self.line = line
        self.key = key
        self.message = message
    }

    public var description: String {
        key.isEmpty ? "\(file):\(line): \(message)" : "\(file):\(line): \(key): \(message)"
    }
}

/// Everything that is wrong in a configuration, in the order of the lines.
public struct SettingsError: Error, Sendable, Hashable, CustomStringConvertible {
    public var problems: [SettingsProblem]

    public init(_ problems: [SettingsProblem]) {
        self.problems = problems.sorted { ($0.line, $0.key) < ($1.line, $1.key) }
    }

    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
