/// Reads the keys of one table, and remembers which it was asked for: the others are unknown, and so errors.
struct TableReader {
    let file: String
    /// The section's name, as problems give it; empty for the document itself.
    let name: String
    let line: Int
    private let entries: [String: TOMLNode]
    private var known: Set<String> = []
    private(set) var problems: [SettingsProblem] = []
    private(set) var namedFiles: [NamedFile] = []

    init(file: String, name: String, line: Int, entries: [String: TOMLNode]) {
        self.file = file
        self.name = name
        self.line = line
        self.entries = entries
    }

    /// Whether the file sets `key`.
    func has(_ key: String) -> Bool { entries[key] != nil }

    /// The line of `key`, or of the section where the file does not set it.
    func line(of key: String) -> Int { entries[key]?.line ?? line }

    mutating func report(_ key: String, _ message: String, line: Int? = nil) {
        problems.append(
            SettingsProblem(file: file, line: line ?? self.line(of: key), key: whole(key), message: message))
    }

    /// Notes that the daemon will read the file at `path`.
    mutating func note(_ key: String, _ path: String, line: Int? = nil) {
        namedFiles.append(NamedFile(file: file, line: line ?? self.line(of: key), key: whole(key), path: path))
    }

    private func whole(_ key: String) -> String { name.isEmpty ? key : "\(name).\(key)" }

    private mutating func node(_ key: String) -> TOMLNode? {
        known.insert(key)
        return entries[key]
    }

    mutating func string(_ key: String, default value: String) -> String {
        guard let node = node(key) else { return value }
        guard case .string(let text) = node.value else {
            report(key, "is \(node.kindName); a string is wanted")
            return value
        }
        return text
    }

    /// What is given as a string or as an integer; nil where neither is.
    mutating func stringOrInteger(_ key: String) -> String? {
        guard let node = node(key) else { return nil }
        switch node.value {
        case .string(let text): return text
        case .integer(let number): return "\(number)"
        default:
            report(key, "is \(node.kindName); a string or an integer is wanted")
            return nil
        }
    }

    mutating func boolean(_ key: String, default value: Bool) -> Bool {
        guard let node = node(key) else { return value }
        guard case .boolean(let flag) = node.value else {
            report(key, "is \(node.kindName); true or false is wanted")
            return value
        }
        return flag
    }

    mutating func integer(_ key: String, default value: Int, in range: ClosedRange<Int>) -> Int {
        guard let node = node(key) else { return value }
        guard case .integer(let number) = node.value, range.contains(number) else {
            let found = if case .integer(let number) = node.value { "\(number)" } else { node.kindName }
            report(key, "is \(found); an integer of \(range.lowerBound) to \(range.upperBound) is wanted")
            return value
        }
        return number
    }

    mutating func integer(_ key: String, default value: Int, of allowed: [Int]) -> Int {
        guard let node = node(key) else { return value }
        guard case .integer(let number) = node.value, allowed.contains(number) else {
            let found = if case .integer(let number) = node.value { "\(number)" } else { node.kindName }
            report(key, "is \(found); one of \(allowed.map(String.init).joined(separator: ", ")) is wanted")
            return value
        }
        return number
    }

    mutating func choice<Choice: RawRepresentable & CaseIterable>(_ key: String, default value: Choice) -> Choice
    where Choice.RawValue == String {
        guard has(key) else {
            known.insert(key)
            return value
        }
        let text = string(key, default: value.rawValue)
        guard let choice = Choice(rawValue: text) else {
            let allowed = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            report(key, "is \"\(text)\"; one of \(allowed) is wanted")
            return value
        }
        return choice
    }

    mutating func strings(_ key: String, default value: [String], atMost limit: Int = 64) -> [String] {
        guard let node = node(key) else { return value }
        guard case .array(let elements) = node.value else {
            report(key, "is \(node.kindName); an array of strings is wanted")
            return value
        }
        guard elements.count <= limit else {
            report(key, "has \(elements.count) elements; at most \(limit) are allowed")
            return value
        }
        var texts: [String] = []
        for element in elements {
            guard case .string(let text) = element.value else {
                report(key, "holds \(element.kindName); an array of strings is wanted", line: element.line)
                return value
            }
            texts.append(text)
        }
        return texts
    }

    /// The elements of an array; nil where the file does not set it, or sets something else.
    mutating func elements(_ key: String, atMost limit: Int) -> [TOMLNode]? {
        guard let node = node(key) else { return nil }
        guard case .array(let elements) = node.value, elements.count <= limit else {
            report(key, "is \(node.kindName); an array of at most \(limit) elements is wanted")
            return nil
        }
        return elements
    }

    /// Takes the problems of a table inside this one.
    mutating func take(_ problems: [SettingsProblem]) { self.problems += problems }

    /// The folder of the file, with its `/`, where relative paths begin; empty for that of the process.
    var folder: String { file.lastIndex(of: "/").map { String(file[...$0]) } ?? "" }

    /// The section `key`; an empty one where the file has none.
    mutating func table(_ key: String) -> TableReader {
        guard let node = node(key) else { return TableReader(file: file, name: key, line: line, entries: [:]) }
        guard case .table(let entries) = node.value else {
            report(key, "is \(node.kindName); a section [\(key)] is wanted")
            return TableReader(file: file, name: key, line: node.line, entries: [:])
        }
        return TableReader(file: file, name: key, line: node.line, entries: entries)
    }

    /// The sections `[[key]]`, in order.
    mutating func tables(_ key: String, atMost limit: Int) -> [TableReader] {
        guard let node = node(key) else { return [] }
        guard case .array(let elements) = node.value, elements.count <= limit else {
            report(key, "is \(node.kindName); up to \(limit) sections [[\(key)]] are wanted")
            return []
        }
        var readers: [TableReader] = []
        for element in elements {
            guard case .table(let entries) = element.value else {
                report(key, "holds \(element.kindName); sections [[\(key)]] are wanted", line: element.line)
                continue
            }
            readers.append(TableReader(file: file, name: key, line: element.line, entries: entries))
        }
        return readers
    }

    /// The problems found, and one for each key that nothing asked for.
    func finish() -> [SettingsProblem] {
        var all = problems
        for (key, node) in entries where !known.contains(key) {
            let path = whole(key)
            let allowed = known.sorted().joined(separator: ", ")
            all.append(
                SettingsProblem(
                    file: file, line: node.line, key: path, message: "is not a setting; known here: \(allowed)"))
        }
        return all
    }
}
