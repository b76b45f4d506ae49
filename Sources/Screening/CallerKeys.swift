/// What a handle is compared by: its number wherever it is called through, its `user@host`, its user name alone.
///
/// Upper and lower case, a password, ports and parameters make no difference; `%HH` is read.
struct CallerKeys: Sendable, Hashable {
    /// Lower case, unescaped.
    var user: [UInt8]
    /// Lower case, without port; empty where the handle names none.
    var host: [UInt8]
    /// The user as a telephone number, as the world would dial it; nil where it is none.
    var number: [UInt8]?

    /// - Parameter text: a number, a user name, `user@host`, or a `sip:`, `sips:` or `tel:` URI. Anything is taken.
    init(_ text: some Sequence<UInt8>, plan: NumberPlan, isPrefix: Bool = false) {
        let bytes = text.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
        let (start, isAddress) = Self.scheme(bytes)
        host = []
        var end = bytes.count
        if let at = bytes.lastIndex(of: UInt8(ascii: "@")), at >= start {
            host = Self.host(bytes[(at + 1)...])
            end = at
        } else if isAddress {
            host = Self.host(bytes[start...])
            end = start
        }
        user = Self.user(bytes[start..<end])
        number = Self.number(user).map { plan.canonical($0, isPrefix: isPrefix) }
    }

    /// Where the address begins that follows the scheme, and whether it is one of SIP.
    private static func scheme(_ bytes: [UInt8]) -> (start: Int, isAddress: Bool) {
        guard bytes.count >= 4 else { return (0, false) }
        switch (bytes[0], bytes[1], bytes[2], bytes[3], bytes.count > 4 ? bytes[4] : 0) {
        case (UInt8(ascii: "s"), UInt8(ascii: "i"), UInt8(ascii: "p"), UInt8(ascii: ":"), _): return (4, true)
        case (UInt8(ascii: "s"), UInt8(ascii: "i"), UInt8(ascii: "p"), UInt8(ascii: "s"), UInt8(ascii: ":")):
            return (5, true)
        case (UInt8(ascii: "t"), UInt8(ascii: "e"), UInt8(ascii: "l"), UInt8(ascii: ":"), _): return (4, false)
        default: return (0, false)
        }
    }

    /// Whether the number means the same whoever carries the call, as an extension of a PBX does not.
    var isPublicNumber: Bool {
        guard let number else { return false }
        return number.first == UInt8(ascii: "+") || number.count >= 7
    }

    /// The one key by which a list keeps this handle.
    var ruleKey: [UInt8] {
        if let number, host.isEmpty || isPublicNumber { return number }
        // Without a user it is `@host`, as of a domain.
        return host.isEmpty ? user : address
    }

    /// `user@host`
    private var address: [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(user.count + host.count + 1)
        key += user
        key.append(UInt8(ascii: "@"))
        key += host
        return key
    }

    /// Keys by which a list may hold it.
    var keys: [[UInt8]] {
        var keys: [[UInt8]] = []
        if !host.isEmpty, !user.isEmpty { keys.append(address) }
        if let number { keys.append(number) } else if !user.isEmpty { keys.append(user) }
        return keys
    }

    /// `@host`, and the same of each domain it is part of.
    var domainKeys: [[UInt8]] {
        var keys: [[UInt8]] = []
        var rest = host[...]
        while !rest.isEmpty {
            keys.append([UInt8(ascii: "@")] + rest)
            guard let dot = rest.firstIndex(of: UInt8(ascii: ".")) else { break }
            rest = rest[(dot + 1)...]
        }
        return keys
    }

    /// Whether whoever calls keeps back who they are: what PBXs and gateways write then (RFC 3323 §4.1, and custom).
    var isAnonymous: Bool {
        if (user.isEmpty && host.isEmpty) || host.elementsEqual("anonymous.invalid".utf8) { return true }
        return ["anonymous", "unknown", "unavailable", "restricted", "private", "withheld"]
            .contains { user.elementsEqual($0.utf8) }
    }

    // MARK: Parts

    private static func host(_ text: ArraySlice<UInt8>) -> [UInt8] {
        if text.first == UInt8(ascii: "["), let end = text.firstIndex(of: UInt8(ascii: "]")) {
            return Array(text[...end])
        }
        var end = text.startIndex
        loop: while end < text.endIndex {
            switch text[end] {
            case UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "?"), UInt8(ascii: ">"), UInt8(ascii: "/"):
                break loop
            default: end += 1
            }
        }
        if end > text.startIndex, text[end - 1] == UInt8(ascii: ".") { end -= 1 }
        return Array(text[..<end])
    }

    /// Up to a password or a parameter, without escapes.
    private static func user(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            if byte == UInt8(ascii: ";") || byte == UInt8(ascii: ":") { break }
            if byte == UInt8(ascii: "%"), index + 2 < text.endIndex,
                let value = hexadecimal(text[(index + 1)...(index + 2)])
            {
                result.append(0x41...0x5A ~= value ? value | 0x20 : value)
                index += 3
            } else {
                result.append(byte)
                index += 1
            }
        }
        return result
    }

    private static func number(_ user: [UInt8]) -> [UInt8]? {
        var number: [UInt8] = []
        for (index, byte) in user.enumerated() {
            switch byte {
            case 0x30...0x39, UInt8(ascii: "*"), UInt8(ascii: "#"): number.append(byte)
            case UInt8(ascii: "+") where index == 0: number.append(byte)
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: " "),
                UInt8(ascii: "/"):
                continue
            default: return nil
            }
        }
        return number.isEmpty || number == [UInt8(ascii: "+")] ? nil : number
    }
}

/// The value of two hexadecimal digits; nil where they are none.
func hexadecimal(_ digits: some Collection<UInt8>) -> UInt8? {
    var value: UInt8 = 0
    for digit in digits {
        switch digit {
        case 0x30...0x39: value = value << 4 | (digit - 0x30)
        case 0x41...0x46, 0x61...0x66: value = value << 4 | ((digit | 0x20) - 0x61 + 10)
        default: return nil
        }
    }
    return value
}
