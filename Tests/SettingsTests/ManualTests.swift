import FoundationEssentials
import Testing

@testable import Settings

@Suite("The manual and the default configuration name every setting, and nothing else") struct ManualTests {
    private static func text(_ path: String) throws -> [Substring] {
        let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(
            separator: "/")
        return try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// What the reader says it knows, when it meets a key that it does not.
    private func known(_ document: String, _ key: String) throws -> Set<String> {
        let error = #expect(throws: SettingsError.self) {
            try Settings(parsing: Array(document.utf8), file: "handset.toml")
        }
        let problem = error?.problems.first { $0.key == key }?.message
        let list = problem?.split(separator: "known here: ").last?.split(separator: ", ").map(String.init)
        return Set(try #require(list, "\(String(describing: error))"))
    }

    /// Each section with its keys, as `[name]` or `[[name]]`.
    private func sections() throws -> [String: Set<String>] {
        var sections: [String: Set<String>] = [:]
        for name in try known("zzz = 1", "zzz") {
            let isList = (try? Settings(parsing: Array("[\(name)]".utf8), file: "handset.toml")) == nil
            let heading = isList ? "[[\(name)]]" : "[\(name)]"
            sections[heading] = try known("\(heading)\nzzz = 1", "\(name).zzz")
        }
        return sections
    }

    @Test("handset.toml(5)")
    func manual() throws {
        var described: [String: Set<String>] = [:]
        var section = ""
        for line in try Self.text("doc/man/handset.toml.5") {
            if line.hasPrefix(".Ss [") { section = String(line.dropFirst(4)) }
            if line.hasPrefix(".Sh ") { section = "" }
            if line.hasPrefix(".It Cm "), !section.isEmpty {
                described[section, default: []].insert(String(line.dropFirst(7)))
            }
        }
        let sections = try sections()
        #expect(Set(described.keys) == Set(sections.keys))
        for (name, keys) in sections { #expect(described[name] == keys, "\(name)") }
    }

    @Test("Config/handset.toml, at the defaults that handset.toml(5) gives")
    func configuration() throws {
        var given: [String: [String: String]] = [:]
        var section = ""
        for line in try Self.text("Config/handset.toml") {
            let line = line.hasPrefix("#") ? line.dropFirst() : line
            if line.hasPrefix("["), line.hasSuffix("]") { section = String(line) }
            guard let equals = line.firstRange(of: " = "), line.first?.isLetter == true,
                !line[..<equals.lowerBound].contains(" ")
            else { continue }
            given[section, default: [:]][String(line[..<equals.lowerBound])] = String(line[equals.upperBound...])
        }
        let sections = try sections()
        for (name, keys) in sections { #expect(given[name].map { Set($0.keys) } == keys, "\(name)") }

        var key = ""
        for line in try Self.text("doc/man/handset.toml.5") {
            if line.hasPrefix(".Ss [") { section = String(line.dropFirst(4)) }
            if line.hasPrefix(".It Cm ") { key = String(line.dropFirst(7)) }
            // Those of a list of sections stand there as an example.
            if line.hasPrefix("Default: "), line.hasSuffix("."), !section.hasPrefix("[[") {
                #expect(given[section]?[key] == String(line.dropFirst(9).dropLast()), "\(section) \(key)")
            }
        }
    }

    /// What the manual says of each setting, from its name to the next, and of each section before the first.
    private static func descriptions() throws -> [String: [String: String]] {
        var (found, section, key) = ([String: [String: String]](), "", "")
        for line in try text("doc/man/handset.toml.5") {
            if line.hasPrefix(".Ss [") { (section, key) = (String(line.dropFirst(4)), "") }
            if line.hasPrefix(".Sh ") { section = "" }
            if line.hasPrefix(".It Cm ") { key = String(line.dropFirst(7)) }
            if !section.isEmpty { found[section, default: [:]][key, default: ""] += line + "\n" }
        }
        return found
    }

    /// The parts of a message between `start` and `end`, which stand in a list; none where it has no such list.
    private func list(_ message: String, after start: String, before end: String) -> [String] {
        guard let begin = message.firstRange(of: start) else { return [] }
        let rest = message[begin.upperBound...]
        let text = end.isEmpty ? rest : rest.firstRange(of: end).map { rest[..<$0.lowerBound] } ?? rest
        return text.split(separator: ", ").map { $0.filter { $0 != "\"" } }
    }

    @Test("handset.toml(5) says of every setting what the reader allows")
    func values() throws {
        let descriptions = try Self.descriptions()
        var checked = 0
        for (section, keys) in try sections() {
            for key in keys {
                let text = try #require(descriptions[section]?[key], "\(section) \(key)")
                let value = text.split(separator: "\n").first { $0.hasPrefix("Value: ") } ?? ""
                let path = "\(section.filter { !"[]".contains($0) }).\(key)"
                func complaint(_ wrong: String) -> String {
                    SettingsTests.problems("\(section)\n\(key) = \(wrong)").first { $0.contains(": \(path): ") } ?? ""
                }
                let (number, word) = (complaint("1.5"), complaint("\"zzz\""))
                #expect(!number.isEmpty, "\(path) takes a fraction")
                #expect(value.contains("boolean") == number.contains("true or false is wanted"), "\(path)")
                #expect(value.contains("integer, ") == number.contains("an integer of "), "\(path)")
                #expect(value.contains("list of ") == number.contains("an array of "), "\(path)")
                for bound in list(number, after: "an integer of ", before: " is wanted").flatMap({
                    $0.split(separator: " to ")
                }) {
                    #expect(value.split { !($0.isNumber || $0 == "-") }.contains(bound), "\(path): \(bound)")
                    checked += 1
                }
                var introduction = descriptions[section]?[""] ?? ""
                if value == "Value: as press." { introduction += descriptions[section]?["press"] ?? "" }
                let choices =
                    list(number, after: "; one of ", before: " is wanted")
                    + list(word, after: "; one of ", before: " is wanted")
                    + list(word, after: "known are ", before: "")
                for choice in choices {
                    #expect(text.contains(choice) || introduction.contains(choice), "\(path): \(choice)")
                    checked += 1
                }
            }
        }
        #expect(checked > 60)
    }
}
