/// Whether text can name a caller: a number, a user name, `user@host`, or a `sip:`, `sips:` or `tel:` URI.
///
/// Lists come from elsewhere, by the hundred thousand lines. What no caller can be called is told, not kept: it would look as
/// if it kept somebody out.
enum HandleCheck {
    /// Whether `text` is a handle. What is compared is less than all of it; see `CallerKeys`.
    static func isHandle(_ text: borrowing Span<UInt8>) -> Bool {
        let (start, isAddress) = CallerKeys.scheme(text)
        let rest = text.extracting(start..<text.count)
        if start > 0, !isAddress { return isNumber(rest.extracting(0..<end(of: rest))) }
        var at: Int?
        for index in rest.indices where rest[index] == UInt8(ascii: "@") { at = index }
        if let at {
            return isUser(rest.extracting(0..<at), inAddress: true) && isHost(rest.extracting((at + 1)..<rest.count))
        }
        return isAddress ? isHost(rest) : isNumber(rest) || isUser(rest, inAddress: false)
    }

    /// Whether `text` is a telephone number as people write it, or, after `tel:`, the beginning of one.
    static func isNumber(_ text: borrowing Span<UInt8>) -> Bool { CallerKeys.digits(of: text) > 0 }

    /// Whether `text` is the host of a handle, with or without port and parameters.
    static func isHost(_ text: borrowing Span<UInt8>) -> Bool {
        guard text.count > 0 else { return false }
        if text[0] == UInt8(ascii: "[") { return isBracketed(text) }
        guard isAlphanumeric(text[0]) else { return false }
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): continue
            case UInt8(ascii: ":"), UInt8(ascii: ";"): return hasNoBlank(text.extracting(index..<text.count))
            default: guard isAlphanumeric(text[index]) else { return false }
            }
        }
        return true
    }

    /// An IPv6 address.
    private static func isBracketed(_ text: borrowing Span<UInt8>) -> Bool {
        var colons = 0
        for index in 1..<text.count {
            switch text[index] {
            case UInt8(ascii: ":"): colons += 1
            case UInt8(ascii: "."), 0x30...0x39, 0x41...0x46, 0x61...0x66: continue
            case UInt8(ascii: "]"): return colons > 1 && hasNoBlank(text.extracting(index..<text.count))
            default: return false
            }
        }
        return false
    }

    /// Where a parameter begins.
    private static func end(of text: borrowing Span<UInt8>) -> Int {
        for index in text.indices where text[index] == UInt8(ascii: ";") { return index }
        return text.count
    }

    private static func hasNoBlank(_ text: borrowing Span<UInt8>) -> Bool {
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: " "), UInt8(ascii: ","), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""):
                return false
            default: continue
            }
        }
        return true
    }

    /// Whether `text` is a user name (RFC 3261 §25.1, `user`), within an address with a password or parameters.
    private static func isUser(_ text: borrowing Span<UInt8>, inAddress: Bool) -> Bool {
        // What begins as a number is one, or a mistake: several on one line, words behind it.
        if !inAddress, text.count > 0, text[0] == UInt8(ascii: "+") { return false }
        var hasName = false
        for index in text.indices {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "%"):
                guard index + 2 < text.count, hexadecimal([text[index + 1], text[index + 2]]) != nil else {
                    return false
                }
                hasName = true
            case UInt8(ascii: ";"), UInt8(ascii: "?"), UInt8(ascii: "/"), UInt8(ascii: ":"):
                guard inAddress else { return false }
            case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "!"), UInt8(ascii: "~"),
                UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "&"), UInt8(ascii: "="),
                UInt8(ascii: "$"), UInt8(ascii: ","):
                continue
            case UInt8(ascii: "*"), UInt8(ascii: "#"), UInt8(ascii: "+"): hasName = hasName || inAddress
            default:
                guard isAlphanumeric(byte) else { return false }
                hasName = true
            }
        }
        return hasName
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}
