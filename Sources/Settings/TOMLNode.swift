internal import CTOML
internal import ControlProtocol

/// A TOML value and the line its key stands on.
struct TOMLNode: Sendable {
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

    /// Bytes of a document, at most.
    static let maximumBytes = 1 << 20

    /// A node as `ctoml_parse` writes it; nil where it is none.
    ///
    /// By hand, since `JSONDecoder` alone would make the daemon a fifth larger in memory, and its start slower.
    private init?(_ json: JSONValue) {
        guard let kind = json["k"]?.string, let line = json["l"]?.integer, let written = json["v"] else { return nil }
        let value: Value?
        switch kind {
        case "s": value = written.string.map { .string($0) }
        case "i": value = written.integer.map { .integer($0) }
        case "f": value = written.double.map { .float($0) }
        case "b": value = written.bool.map { .boolean($0) }
        case "a": value = written.array.flatMap(Self.array)
        case "t": value = written.object.flatMap(Self.table)
        default: value = written.string.map { .date($0) }
        }
        guard let value else { return nil }
        self.value = value
        self.line = line
    }

    private static func array(_ elements: [JSONValue]) -> Value? {
        let nodes = elements.compactMap { TOMLNode($0) }
        return nodes.count == elements.count ? .array(nodes) : nil
    }

    private static func table(_ object: JSONObject) -> Value? {
        var entries: [String: TOMLNode] = [:]
        for member in object.members {
            guard let node = TOMLNode(member.value) else { return nil }
            entries[member.name] = node
        }
        return .table(entries)
    }

    /// Parses a whole document, at most 1 MiB of UTF-8. Throws one problem, with its line.
    init(parsing text: [UInt8], file: String) throws(SettingsError) {
        guard text.count <= Self.maximumBytes else {
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
        let json = UnsafeBufferPointer(start: parsed, count: length(of: parsed)).map { UInt8(bitPattern: $0) }
        guard let document = try? JSONValue(parsing: json), let node = TOMLNode(document) else {
            throw SettingsError([SettingsProblem(file: file, line: 1, key: "", message: "is nested too deeply")])
        }
        self = node
    }
}

private func length(of text: UnsafePointer<CChar>) -> Int {
    var count = 0
    while text[count] != 0 { count += 1 }
    return count
}
