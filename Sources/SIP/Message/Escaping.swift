/// The `%` escapes of URIs (RFC 3261 §19.1.2).
enum Escaping {
    private static let digits: [UInt8] = Array("0123456789ABCDEF".utf8)

    /// `text` with everything escaped that `isAllowed` refuses.
    static func escape(_ text: String, _ isAllowed: (UInt8) -> Bool) -> String {
        if text.utf8.allSatisfy(isAllowed) { return text }
        var octets: [UInt8] = []
        octets.reserveCapacity(text.utf8.count + 16)
        for octet in text.utf8 {
            if isAllowed(octet) { octets.append(octet) } else { append(escapeOf: octet, to: &octets) }
        }
        return String(decoding: octets, as: UTF8.self)
    }

    /// `text` with its escapes resolved. Octets that are not UTF-8 become U+FFFD; what is no escape stays.
    static func unescape(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        return rewrite(text) { octet, octets in octets.append(octet) }
    }

    /// The form in which equivalent texts are equal: escapes of unreserved characters resolved, the others upper case.
    static func normalized(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        return rewrite(text) { octet, octets in
            if CharacterClass.isUnreserved(octet) {
                octets.append(octet)
            } else {
                append(escapeOf: octet, to: &octets)
            }
        }
    }

    /// Whether every octet is allowed or the start of a whole escape.
    static func isWellFormed(_ octets: ArraySlice<UInt8>, _ isAllowed: (UInt8) -> Bool) -> Bool {
        var index = octets.startIndex
        while index < octets.endIndex {
            if octets[index] == UInt8(ascii: "%") {
                guard octets.endIndex - index > 2, CharacterClass.hexValue(octets[index + 1]) != nil,
                    CharacterClass.hexValue(octets[index + 2]) != nil
                else { return false }
                index += 3
            } else {
                guard isAllowed(octets[index]) else { return false }
                index += 1
            }
        }
        return true
    }

    private static func append(escapeOf octet: UInt8, to octets: inout [UInt8]) {
        octets.append(UInt8(ascii: "%"))
        octets.append(digits[Int(octet >> 4)])
        octets.append(digits[Int(octet & 15)])
    }

    private static func rewrite(_ text: String, _ appendEscaped: (UInt8, inout [UInt8]) -> Void) -> String {
        let source = Array(text.utf8)
        var octets: [UInt8] = []
        octets.reserveCapacity(source.count)
        var index = 0
        while index < source.count {
            if source[index] == UInt8(ascii: "%"), source.count - index > 2,
                let high = CharacterClass.hexValue(source[index + 1]),
                let low = CharacterClass.hexValue(source[index + 2])
            {
                appendEscaped(high << 4 | low, &octets)
                index += 3
            } else {
                octets.append(source[index])
                index += 1
            }
        }
        return String(decoding: octets, as: UTF8.self)
    }
}
