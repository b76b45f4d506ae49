extension SIPURI {
    /// Reads a URI: the whole of `text`, without `<>`.
    ///
    /// Throws `SIPParseError.malformed`. A `#` in the user part, as dial strings have it, is taken and escaped.
    public init(parsing text: String) throws(SIPParseError) {
        var scanner = ByteScanner(text)
        let range = scanner.take(while: {
            CharacterClass.isAlphanumeric($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: ".")
        })
        guard let first = scanner.octets.first, CharacterClass.isLetter(first), scanner.take(":") else {
            throw .malformed(element: "URI")
        }
        let scheme = scanner.text(range).asciiLowercased
        switch scheme {
        case "sip", "sips": try self.init(scheme: scheme, sip: &scanner)
        case "tel": try self.init(tel: &scanner)
        default:
            let rest = scanner.octets[scanner.position...]
            guard !rest.isEmpty, rest.allSatisfy(Self.isPrintable) else { throw .malformed(element: "URI") }
            self.init(scheme: scheme, opaque: String(decoding: rest, as: UTF8.self))
        }
    }

    private init(scheme: String, sip scanner: inout ByteScanner) throws(SIPParseError) {
        self.init(scheme: scheme, host: "")
        if let at = scanner.octets[scanner.position...].firstIndex(of: UInt8(ascii: "@")) {
            try readUserInfo(scanner.octets[scanner.position..<at])
            scanner.position = at + 1
        }
        guard let host = scanner.takeHost() else { throw .malformed(element: "URI host") }
        self.host = host
        if scanner.take(":") {
            guard let port = scanner.takePort() else { throw .malformed(element: "URI port") }
            self.port = port
        }
        try readParameters(&scanner)
        if scanner.take("?") { try readHeaders(&scanner) }
        guard scanner.isAtEnd else { throw .malformed(element: "URI") }
    }

    private init(tel scanner: inout ByteScanner) throws(SIPParseError) {
        let number = scanner.take(while: Self.isTelephoneNumber)
        guard !number.isEmpty else { throw .malformed(element: "tel URI") }
        self.init(scheme: "tel", host: "")
        escapedUser = scanner.text(number)
        try readParameters(&scanner)
        guard scanner.isAtEnd else { throw .malformed(element: "tel URI") }
    }

    private mutating func readUserInfo(_ octets: ArraySlice<UInt8>) throws(SIPParseError) {
        let colon = octets.firstIndex(of: UInt8(ascii: ":"))
        let user = octets[..<(colon ?? octets.endIndex)]
        let isDialled = { (octet: UInt8) in CharacterClass.isUser(octet) || octet == UInt8(ascii: "#") }
        guard !user.isEmpty, Escaping.isWellFormed(user, isDialled) else { throw .malformed(element: "URI user") }
        escapedUser = Escaping.escape(String(decoding: user, as: UTF8.self)) { $0 != UInt8(ascii: "#") }
        guard let colon else { return }
        let password = octets[(colon + 1)...]
        guard Escaping.isWellFormed(password, CharacterClass.isPassword) else {
            throw .malformed(element: "URI password")
        }
        escapedPassword = String(decoding: password, as: UTF8.self)
    }

    private mutating func readParameters(_ scanner: inout ByteScanner) throws(SIPParseError) {
        let isAllowed = { (octet: UInt8) in CharacterClass.isURIParameter(octet) || octet == UInt8(ascii: "%") }
        while scanner.take(";") {
            let name = scanner.take(while: isAllowed)
            var value: Range<Int>?
            if scanner.take("=") { value = scanner.take(while: isAllowed) }
            if name.isEmpty && value == nil { continue }
            guard !name.isEmpty, Escaping.isWellFormed(scanner.octets[name], { _ in true }),
                Escaping.isWellFormed(scanner.octets[value ?? name], { _ in true })
            else { throw .malformed(element: "URI parameter") }
            parameters.append(name: scanner.text(name), rawValue: value.map(scanner.text))
        }
    }

    private mutating func readHeaders(_ scanner: inout ByteScanner) throws(SIPParseError) {
        let isAllowed = { (octet: UInt8) in CharacterClass.isURIHeader(octet) || octet == UInt8(ascii: "%") }
        repeat {
            let name = scanner.take(while: isAllowed)
            guard !name.isEmpty, scanner.take("=") else { throw .malformed(element: "URI header") }
            let value = scanner.take(while: { isAllowed($0) || $0 == UInt8(ascii: "=") })
            guard Escaping.isWellFormed(scanner.octets[name], { _ in true }),
                Escaping.isWellFormed(scanner.octets[value], { _ in true })
            else { throw .malformed(element: "URI header") }
            headers.append(Header(name: scanner.text(name), value: scanner.text(value)))
        } while scanner.take("&")
    }

    private static func isTelephoneNumber(_ octet: UInt8) -> Bool {
        if CharacterClass.hexValue(octet) != nil { return true }
        switch octet {
        case UInt8(ascii: "+"), UInt8(ascii: "*"), UInt8(ascii: "#"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "("), UInt8(ascii: ")"):
            return true
        default: return false
        }
    }

    private static func isPrintable(_ octet: UInt8) -> Bool {
        octet > 0x20 && octet < 0x7F && octet != UInt8(ascii: "<") && octet != UInt8(ascii: ">")
            && octet != UInt8(ascii: "\"")
    }
}
