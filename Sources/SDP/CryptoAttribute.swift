internal import MediaDescription

/// An `a=crypto` line whose suite and parameters we can use (RFC 4568 §9).
struct CryptoAttribute: Sendable, Hashable {
    var tag: Int
    var keying: SRTPKeying

    init(tag: Int, keying: SRTPKeying) {
        self.tag = tag
        self.keying = keying
    }

    /// nil where the line is malformed or asks for what we do not do: another suite, an MKI, several keys, or a session
    /// parameter other than a window size hint. Such a line is passed over, not its call.
    init?(parsing value: String) {
        let words = value.split(separator: " ", maxSplits: 16)
        guard words.count >= 3, let tag = Self.number(words[0], digits: 9), let suite = Self.suite(words[1]),
            let key = Self.key(words[2])
        else { return nil }
        for parameter in words[3...] {
            // A leading `-` marks a parameter that may be ignored (RFC 4568 §6.3.7).
            guard parameter.hasPrefix("-") || parameter.uppercased().hasPrefix("WSH=") else { return nil }
        }
        self.init(tag: tag, keying: SRTPKeying(suite: suite, keyAndSalt: key))
    }

    /// The value of the attribute. Holds the key: not for logs.
    var value: String { "\(tag) \(keying.suite.rawValue) inline:\(Base64.encode(keying.keyAndSalt))" }

    private static func suite(_ word: Substring) -> SRTPSuite? {
        let name = word.uppercased()
        return SRTPSuite.allCases.first { $0.rawValue == name }
    }

    private static func key(_ word: Substring) -> [UInt8]? {
        let method = "inline:"
        guard word.utf8.count <= 256, word.prefix(method.count).lowercased() == method else { return nil }
        let fields = word.dropFirst(method.count).split(separator: "|", omittingEmptySubsequences: false)
        guard let key = fields.first, fields.count <= 2, fields.dropFirst().allSatisfy(isLifetime),
            let octets = Base64.decode(key), octets.count == 30
        else { return nil }
        return octets
    }

    /// `2^N` or decimal (RFC 4568 §6.1). We stay far below any lifetime a peer may name, so that its value is not kept.
    private static func isLifetime(_ field: Substring) -> Bool {
        if field.hasPrefix("2^") { return number(field.dropFirst(2), digits: 2).map { 1...48 ~= $0 } ?? false }
        return number(field, digits: 15).map { $0 > 0 } ?? false
    }

    private static func number(_ text: Substring, digits: Int) -> Int? {
        guard 1...digits ~= text.utf8.count, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int(text)
    }
}
