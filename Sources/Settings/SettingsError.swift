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
        self.file = Self.printable(file)
        self.line = line
        self.key = Self.printable(key)
        self.message = Self.printable(message)
    }

    /// The text with control characters, and those that turn the order of writing, written as TOML would: a problem is shown
    /// on terminals, and quotes what the file has.
    private static func printable(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                shown += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
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
