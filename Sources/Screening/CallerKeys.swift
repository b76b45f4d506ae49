/// What a handle is compared by: its number wherever it is called through, its `user@host`, its user name alone.
///
/// Upper and lower case, a password, ports and parameters make no difference; `%HH` is read.
struct CallerKeys: Sendable {
    /// `user@host` in lower case, the user unescaped, the host without port; either may be empty.
    private let text: [UInt8]
    private let parts: Parts
    /// The user as a telephone number, as the world would dial it; nil where it is none.
    let number: [UInt8]?

    /// Where in `user@host` the user ends, and where the host does.
    struct Parts: Sendable {
        var userEnd: Int
        var end: Int

        var hasNoHost: Bool { end == userEnd + 1 }
        /// What of it a list keeps where the user is no number; without a user it is `@host`, as of a domain.
        var ruleKey: Range<Int> { 0..<(hasNoHost ? userEnd : end) }
    }

    /// - Parameter handle: a number, a user name, `user@host`, or a `sip:`, `sips:` or `tel:` URI. Anything is taken.
    init(_ handle: String.UTF8View, plan: NumberPlan) { self.init(Array(handle)[...], plan: plan) }

    init(_ handle: ArraySlice<UInt8>, plan: NumberPlan) {
        var text = [UInt8](repeating: 0, count: handle.count + 1)
        parts = Self.write(handle.span, to: &text)
        var number = [UInt8](repeating: 0, count: plan.room + parts.userEnd)
        let range = Self.write(number: text, ..<parts.userEnd, to: &number, plan: plan, isPrefix: false)
        self.number = range.map { Array(number[$0]) }
        self.text = text
    }

    private var user: ArraySlice<UInt8> { text[..<parts.userEnd] }
    private var host: ArraySlice<UInt8> { text[(parts.userEnd + 1)..<parts.end] }

    /// Writes `user@host` of a handle to the beginning of `text`, which has room for one byte more than the handle.
    ///
    /// Lists are read by the hundred thousand entries: they have the room for all of them at once.
    static func write(_ handle: borrowing Span<UInt8>, to text: inout [UInt8]) -> Parts {
        let (start, isAddress) = scheme(handle)
        var at: Int?
        for index in handle.indices where handle[index] == UInt8(ascii: "@") && index >= start { at = index }
        let userEnd = at ?? (isAddress ? start : handle.count)
        let userCount = write(user: handle.extracting(start..<userEnd), to: &text)
        text[userCount] = UInt8(ascii: "@")
        guard at != nil || isAddress else { return Parts(userEnd: userCount, end: userCount + 1) }
        let host = handle.extracting((at.map { $0 + 1 } ?? start)..<handle.count)
        return Parts(userEnd: userCount, end: write(host: host, to: &text, from: userCount + 1))
    }

    /// How long the scheme in front of the address is, and whether it is one of SIP.
    static func scheme(_ bytes: borrowing Span<UInt8>) -> (length: Int, isAddress: Bool) {
        guard bytes.count >= 4 else { return (0, false) }
        switch (lower(bytes[0]), lower(bytes[1]), lower(bytes[2]), lower(bytes[3])) {
        case (UInt8(ascii: "s"), UInt8(ascii: "i"), UInt8(ascii: "p"), UInt8(ascii: ":")): return (4, true)
        case (UInt8(ascii: "s"), UInt8(ascii: "i"), UInt8(ascii: "p"), UInt8(ascii: "s"))
        where bytes.count > 4 && bytes[4] == UInt8(ascii: ":"): return (5, true)
        case (UInt8(ascii: "t"), UInt8(ascii: "e"), UInt8(ascii: "l"), UInt8(ascii: ":")): return (4, false)
        default: return (0, false)
        }
    }

    private static func lower(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }

    /// Whether a number means the same whoever carries the call, as an extension of a PBX does not.
    static func isPublic(_ number: ArraySlice<UInt8>) -> Bool {
        number.first == UInt8(ascii: "+") || number.count >= 7
    }

    /// The one key by which a list keeps this handle.
    var ruleKey: ArraySlice<UInt8> {
        if let number, host.isEmpty || Self.isPublic(number[...]) { return number[...] }
        return text[parts.ruleKey]
    }

    /// Keys by which a list may hold it.
    var keys: [ArraySlice<UInt8>] {
        var keys: [ArraySlice<UInt8>] = []
        if !host.isEmpty, !user.isEmpty { keys.append(text[..<parts.end]) }
        if let number { keys.append(number[...]) } else if !user.isEmpty { keys.append(user) }
        return keys
    }

    /// `@host`, and the same of each domain it is part of.
    var domainKeys: [ArraySlice<UInt8>] {
        guard !host.isEmpty else { return [] }
        var keys = [text[parts.userEnd..<parts.end]]
        var rest = host
        while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[(dot + 1)...]
            if !rest.isEmpty { keys.append(([UInt8(ascii: "@")] + rest)[...]) }
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

    /// Up to a port, parameters or headers; an IPv6 address with its brackets. Returns where it ends.
    private static func write(
        host: borrowing Span<UInt8>, to text: inout [UInt8], from start: Int
    ) -> Int {
        var end = start
        let isBracketed = !host.isEmpty && host[0] == UInt8(ascii: "[") && has(host, UInt8(ascii: "]"))
        for index in host.indices {
            let byte = host[index]
            if !isBracketed, isEnd(byte) { break }
            text[end] = lower(byte)
            end += 1
            if isBracketed, byte == UInt8(ascii: "]") { return end }
        }
        return end > start && text[end - 1] == UInt8(ascii: ".") ? end - 1 : end
    }

    private static func has(_ bytes: borrowing Span<UInt8>, _ wanted: UInt8) -> Bool {
        for index in bytes.indices where bytes[index] == wanted { return true }
        return false
    }

    /// Whether no host goes on after it.
    private static func isEnd(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "?"), UInt8(ascii: ">"), UInt8(ascii: "/"): true
        default: false
        }
    }

    /// Up to a password or a parameter, without escapes. Returns where it ends.
    private static func write(user: borrowing Span<UInt8>, to text: inout [UInt8]) -> Int {
        var (index, end) = (0, 0)
        while index < user.count {
            let byte = user[index]
            if byte == UInt8(ascii: ";") || byte == UInt8(ascii: ":") { break }
            if byte == UInt8(ascii: "%"), index + 2 < user.count,
                let value = hexadecimal([user[index + 1], user[index + 2]])
            {
                text[end] = lower(value)
                index += 3
            } else {
                text[end] = lower(byte)
                index += 1
            }
            end += 1
        }
        return end
    }

    /// Digits of a number; 0 where it is none.
    static func digits(of user: borrowing Span<UInt8>) -> Int {
        var digits = 0
        for index in user.indices {
            switch user[index] {
            case 0x30...0x39, UInt8(ascii: "*"), UInt8(ascii: "#"): digits += 1
            case UInt8(ascii: "+") where index == 0: continue
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: " "),
                UInt8(ascii: "/"):
                continue
            default: return 0
            }
        }
        return digits
    }

    /// Writes the telephone number that a user is, as the world would dial it, to `text`, which has `plan.room` bytes more than
    /// the user, and returns where it is; nil where it is none.
    static func write(
        number handle: [UInt8], _ user: PartialRangeUpTo<Int>, to text: inout [UInt8], plan: NumberPlan, isPrefix: Bool
    ) -> Range<Int>? {
        let user = handle.span.extracting(user)
        guard digits(of: user) > 0 else { return nil }
        var end = plan.room
        for index in user.indices {
            switch user[index] {
            case 0x30...0x39, UInt8(ascii: "*"), UInt8(ascii: "#"), UInt8(ascii: "+"):
                text[end] = user[index]
                end += 1
            default: continue
            }
        }
        return plan.canonicalize(&text, plan.room..<end, isPrefix: isPrefix)
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
