/// Walks over the octets of one value, once, from left to right.
struct ByteScanner {
    let octets: [UInt8]
    var position = 0

    init(_ text: String) { octets = Array(text.utf8) }

    var isAtEnd: Bool { position >= octets.count }

    var next: UInt8? { position < octets.count ? octets[position] : nil }

    func text(_ range: Range<Int>) -> String { String(decoding: octets[range], as: UTF8.self) }

    mutating func skipSpace() {
        while position < octets.count, CharacterClass.isSpace(octets[position]) { position += 1 }
    }

    /// Takes `character` where it is the next one.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < octets.count, octets[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func take(while isWanted: (UInt8) -> Bool) -> Range<Int> {
        let start = position
        while position < octets.count, isWanted(octets[position]) { position += 1 }
        return start..<position
    }

    mutating func takeToken() -> String? {
        let range = take(while: CharacterClass.isToken)
        return range.isEmpty ? nil : text(range)
    }

    /// A decimal number of at most `maximum`; nil, too, where there is none.
    mutating func takeNumber(maximum: UInt64) -> UInt64? {
        let range = take(while: CharacterClass.isDigit)
        return range.isEmpty ? nil : Self.number(octets[range], maximum: maximum)
    }

    /// The quoted string that begins here, quotes included; nil where it does not end (RFC 3261 §25.1).
    mutating func takeQuotedString() -> Range<Int>? {
        let start = position
        guard take("\"") else { return nil }
        while position < octets.count {
            switch octets[position] {
            case UInt8(ascii: "\\"): position += 2
            case UInt8(ascii: "\""):
                position += 1
                return start..<position
            default: position += 1
            }
        }
        position = octets.count
        return nil
    }

    /// A host, IPv6 references without their brackets.
    mutating func takeHost() -> String? {
        if take("[") {
            let range = take(while: { $0 != UInt8(ascii: "]") })
            guard take("]") else { return nil }
            return Host.ipv6(octets[range])
        }
        let range = take(while: Host.isNameCharacter)
        return range.isEmpty ? nil : text(range)
    }

    /// A port, 0 to 65,535.
    mutating func takePort() -> UInt16? { takeNumber(maximum: 65_535).map { UInt16($0) } }

    static func number(_ digits: some Sequence<UInt8>, maximum: UInt64) -> UInt64? {
        var value: UInt64 = 0
        var isEmpty = true
        for digit in digits {
            guard CharacterClass.isDigit(digit) else { return nil }
            isEmpty = false
            value = value * 10 + UInt64(digit - 0x30)
            guard value <= maximum else { return nil }
        }
        return isEmpty ? nil : value
    }
}

/// Quoting of strings in header values (RFC 3261 §25.1).
enum Quoting {
    static func quote(_ text: String) -> String {
        var octets: [UInt8] = [UInt8(ascii: "\"")]
        for octet in text.utf8 {
            if octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "\\") { octets.append(UInt8(ascii: "\\")) }
            octets.append(octet)
        }
        octets.append(UInt8(ascii: "\""))
        return String(decoding: octets, as: UTF8.self)
    }

    /// The content of a quoted string; any other text as it is.
    static func unquote(_ text: String) -> String {
        let source = Array(text.utf8)
        guard source.count >= 2, source.first == UInt8(ascii: "\""), source.last == UInt8(ascii: "\"") else {
            return text
        }
        var octets: [UInt8] = []
        octets.reserveCapacity(source.count)
        var index = 1
        while index < source.count - 1 {
            if source[index] == UInt8(ascii: "\\"), index + 1 < source.count - 1 { index += 1 }
            octets.append(source[index])
            index += 1
        }
        return String(decoding: octets, as: UTF8.self)
    }
}
