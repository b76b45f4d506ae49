/// The character classes of RFC 3261 §25.1, on single octets.
enum CharacterClass {
    static func isDigit(_ octet: UInt8) -> Bool { octet >= 0x30 && octet <= 0x39 }

    static func isLetter(_ octet: UInt8) -> Bool {
        let lower = octet | 0x20
        return lower >= 0x61 && lower <= 0x7A
    }

    static func isAlphanumeric(_ octet: UInt8) -> Bool { isDigit(octet) || isLetter(octet) }

    static func isSpace(_ octet: UInt8) -> Bool {
        octet == UInt8(ascii: " ") || octet == UInt8(ascii: "\t")
    }

    static func isToken(_ octet: UInt8) -> Bool {
        if isAlphanumeric(octet) { return true }
        switch octet {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "!"), UInt8(ascii: "%"), UInt8(ascii: "*"),
            UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "`"), UInt8(ascii: "'"), UInt8(ascii: "~"):
            return true
        default: return false
        }
    }

    static func isUnreserved(_ octet: UInt8) -> Bool {
        if isAlphanumeric(octet) { return true }
        switch octet {
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "!"), UInt8(ascii: "~"),
            UInt8(ascii: "*"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"):
            return true
        default: return false
        }
    }

    /// What may stand unescaped in the user part of a SIP URI.
    static func isUser(_ octet: UInt8) -> Bool {
        if isUnreserved(octet) { return true }
        switch octet {
        case UInt8(ascii: "&"), UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "$"), UInt8(ascii: ","),
            UInt8(ascii: ";"), UInt8(ascii: "?"), UInt8(ascii: "/"):
            return true
        default: return false
        }
    }

    static func isPassword(_ octet: UInt8) -> Bool {
        if isUnreserved(octet) { return true }
        switch octet {
        case UInt8(ascii: "&"), UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "$"), UInt8(ascii: ","):
            return true
        default: return false
        }
    }

    /// What may stand unescaped in a parameter of a SIP URI.
    static func isURIParameter(_ octet: UInt8) -> Bool {
        if isUnreserved(octet) { return true }
        switch octet {
        case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "&"),
            UInt8(ascii: "+"), UInt8(ascii: "$"):
            return true
        default: return false
        }
    }

    /// What may stand unescaped in a header of a SIP URI.
    static func isURIHeader(_ octet: UInt8) -> Bool {
        if isUnreserved(octet) { return true }
        switch octet {
        case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: ":"),
            UInt8(ascii: "+"), UInt8(ascii: "$"):
            return true
        default: return false
        }
    }

    /// What may stand unquoted as the value of a header parameter: token and host characters.
    static func isParameterValue(_ octet: UInt8) -> Bool {
        isToken(octet) || octet == UInt8(ascii: ":") || octet == UInt8(ascii: "[") || octet == UInt8(ascii: "]")
    }

    static func hexValue(_ octet: UInt8) -> UInt8? {
        if isDigit(octet) { return octet - 0x30 }
        let lower = octet | 0x20
        return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : nil
    }
}

extension String {
    /// ASCII letters in lower case, all else as it is: the case folding of SIP's tokens.
    var asciiLowercased: String {
        guard utf8.contains(where: { $0 >= 0x41 && $0 <= 0x5A }) else { return self }
        return String(decoding: utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
