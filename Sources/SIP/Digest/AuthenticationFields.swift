/// One challenge or one set of credentials as it stands in a header: a scheme and its parameters (RFC 7235 §2.1).
struct AuthenticationFields {
    var scheme: String
    /// Names in lower case, values without quotes and escapes; the first of equal names counts.
    var parameters: [String: String] = [:]

    /// Longest header line that is read; a longer one holds no challenge we would answer.
    static let maximumLength = 8_192
    private static let maximumChallenges = 16

    /// Reads all challenges of one header line. What cannot be read ends the list; nothing before it is lost.
    static func parse(_ line: String) -> [AuthenticationFields] {
        guard line.utf8.count <= maximumLength else { return [] }
        var scanner = Scanner(bytes: Array(line.utf8))
        var found: [AuthenticationFields] = []
        while found.count <= maximumChallenges {
            scanner.skipSeparators()
            guard let word = scanner.token() else { break }
            scanner.skipSpaces()
            if scanner.take(UInt8(ascii: "=")) {
                scanner.skipSpaces()
                // A parameter before any scheme, or one without a value: malformed from here on.
                guard !found.isEmpty, let value = scanner.value() else { break }
                let name = word.lowercased()
                if found[found.count - 1].parameters[name] == nil {
                    found[found.count - 1].parameters[name] = value
                }
            } else {
                found.append(AuthenticationFields(scheme: word.lowercased()))
            }
        }
        return found
    }

    /// `text` as a quoted-string (RFC 3261 §25.1).
    static func quote(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                quoted.unicodeScalars.append("\\")
                quoted.unicodeScalars.append(scalar)
            case "\r", "\n", "\0": continue  // may not stand in a header, not even escaped
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

private struct Scanner {
    let bytes: [UInt8]
    var position = 0

    mutating func skipSpaces() {
        while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
    }

    mutating func skipSeparators() {
        while position < bytes.count, [0x20, 0x09, UInt8(ascii: ",")].contains(bytes[position]) { position += 1 }
    }

    mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// A token, more freely than the grammar: up to a separator.
    mutating func token() -> String? {
        let start = position
        while position < bytes.count,
            ![0x20, 0x09, UInt8(ascii: ","), UInt8(ascii: "="), UInt8(ascii: "\"")].contains(bytes[position])
        {
            position += 1
        }
        return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    /// A quoted-string, its escapes resolved, or a token; unquoted values may hold `=` (some servers do not quote nonces).
    mutating func value() -> String? {
        guard take(UInt8(ascii: "\"")) else {
            let start = position
            while position < bytes.count, ![0x20, 0x09, UInt8(ascii: ",")].contains(bytes[position]) { position += 1 }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }
        var text: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard position < bytes.count else { return nil }
                text.append(bytes[position])
                position += 1
            default: text.append(byte)
            }
        }
        return nil
    }
}
