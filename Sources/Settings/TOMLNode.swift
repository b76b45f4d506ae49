internal import CTOML
internal import FoundationEssentials

/// A TOML value and the line its key stands on.
struct TOMLNode: Decodable, Sendable {
    enum Value: Sendable {
        case string(String)
        case integer(Int)
        case float(Double)
        case boolean(Bool)
        case array([TOMLNode])
        case table([String: TOMLNode])
        /// A date or time, as it was written.
        case date(String)
    }

    var value: Value
    /// From 1.
    var line: Int

    /// What the value is called in an error.
    var kindName: String {
        switch value {
        case .string: "a string"
        case .integer: "an integer"
        case .float: "a fraction"
        case .boolean: "a boolean"
        case .array: "an array"
        case .table: "a table"
        case .date: "a date or time"
        }
    }

    private enum CodingKeys: String, CodingKey {
        case kind = "k"
        case line = "l"
        case value = "v"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        line = try container.decode(Int.self, forKey: .line)
        switch try container.decode(String.self, forKey: .kind) {
        case "s": value = .string(try container.decode(String.self, forKey: .value))
        case "i": value = .integer(try container.decode(Int.self, forKey: .value))
        case "f": value = .float(try container.decode(Double.self, forKey: .value))
        case "b": value = .boolean(try container.decode(Bool.self, forKey: .value))
        case "a": value = .array(try container.decode([TOMLNode].self, forKey: .value))
        case "t": value = .table(try container.decode([String: TOMLNode].self, forKey: .value))
        default: value = .date(try container.decode(String.self, forKey: .value))
        }
    }

    /// Parses a whole document, at most 1 MiB of UTF-8. Throws one problem, with its line.
    init(parsing text: [UInt8], file: String) throws(SettingsError) {
        guard text.count <= 1 << 20 else {
            throw SettingsError([SettingsProblem(file: file, line: 1, key: "", message: "is larger than 1 MiB")])
        }
        // Dotted keys nest without brackets; the length of a line bounds them.
        for (index, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
        where line.count > 4096 {
            let what = "is a line of \(line.count) bytes; at most 4,096 are allowed"
            throw SettingsError([SettingsProblem(file: file, line: index + 1, key: "", message: what)])
        }
        var errorLine: Int32 = 0
        var message: UnsafeMutablePointer<CChar>?
        // A zero byte at the end gives an empty text an address, too.
        let parsed = (text + [0]).withUnsafeBufferPointer { bytes -> UnsafeMutablePointer<CChar>? in
            guard let start = bytes.baseAddress else { return nil }
            return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                ctoml_parse($0, bytes.count - 1, &errorLine, &message)
            }
        }
        defer {
            ctoml_free(parsed)
            ctoml_free(message)
        }
        guard let parsed else {
            let what = message.map { String(cString: $0) } ?? "cannot be parsed"
            throw SettingsError([SettingsProblem(file: file, line: max(1, Int(errorLine)), key: "", message: what)])
        }
        do {
            let json = Data(bytes: parsed, count: length(of: parsed))
            self = try JSONDecoder().decode(TOMLNode.self, from: json)
        } catch {
            throw SettingsError([SettingsProblem(file: file, line: 1, key: "", message: "is nested too deeply")])
        }
    }
}

private func length(of text: UnsafePointer<CChar>) -> Int {
    var count = 0
    while text[count] != 0 { count += 1 }
    return count
}
