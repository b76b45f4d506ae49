/// A name-addr or addr-spec with its header parameters: From, To, Contact, Route, Refer-To (RFC 3261 §20.10).
public struct NameAddress: Hashable, Sendable, CustomStringConvertible {
    /// Without quotes and escapes.
    public var displayName: String?
    public var uri: SIPURI
    /// The parameters of the header, not those of the URI.
    public var parameters = Parameters(.header)

    public init(displayName: String? = nil, uri: SIPURI, tag: String? = nil) {
        self.displayName = displayName
        self.uri = uri
        if let tag { self.tag = tag }
    }

    /// Reads one value. Throws `SIPParseError.malformed`, also where a URI that must stand in `<>` does not.
    public init(parsing text: String) throws(SIPParseError) {
        var scanner = ByteScanner(text)
        scanner.skipSpace()
        var name: String?
        if scanner.next == UInt8(ascii: "\"") {
            guard let range = scanner.takeQuotedString() else { throw .malformed(element: "display name") }
            name = Quoting.unquote(scanner.text(range))
            scanner.skipSpace()
            guard scanner.next == UInt8(ascii: "<") else { throw .malformed(element: "address") }
        } else if let open = scanner.octets.firstIndex(of: UInt8(ascii: "<")),
            !scanner.octets[..<open].contains(UInt8(ascii: ";"))
        {
            var end = open
            while end > scanner.position, CharacterClass.isSpace(scanner.octets[end - 1]) { end -= 1 }
            guard scanner.octets[scanner.position..<end].allSatisfy(Self.mayStandUnquoted) else {
                throw .malformed(element: "display name")
            }
            name = scanner.text(scanner.position..<end)
            scanner.position = open
        }
        displayName = name?.isEmpty == true ? nil : name
        uri = try Self.takeURI(&scanner)
        parameters = try scanner.takeHeaderParameters(of: "address parameter")
    }

    /// The tag parameter; nil where there is none or it is empty.
    public var tag: String? {
        get {
            guard let tag = parameters["tag"], !tag.isEmpty else { return nil }
            return tag
        }
        set { parameters["tag"] = newValue }
    }

    public var description: String {
        let address = "<\(uri)>" + parameters.printed
        return displayName.map { Quoting.quote($0) + " " + address } ?? address
    }

    private static func takeURI(_ scanner: inout ByteScanner) throws(SIPParseError) -> SIPURI {
        guard scanner.take("<") else {
            let range = scanner.take(while: { $0 != UInt8(ascii: ";") && !CharacterClass.isSpace($0) })
            let text = scanner.octets[range]
            guard !text.contains(UInt8(ascii: ",")), !text.contains(UInt8(ascii: "?")) else {
                throw .malformed(element: "address: its URI must stand in <>")
            }
            return try SIPURI(parsing: scanner.text(range))
        }
        scanner.skipSpace()
        let range = scanner.take(while: { $0 != UInt8(ascii: ">") && !CharacterClass.isSpace($0) })
        scanner.skipSpace()
        guard scanner.take(">") else { throw .malformed(element: "address") }
        return try SIPURI(parsing: scanner.text(range))
    }

    /// Tokens and space, and what phones write without quotes although it is none; not what has a meaning elsewhere.
    private static func mayStandUnquoted(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"), UInt8(ascii: "\""), UInt8(ascii: "<"),
            UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "@"):
            false
        default: octet >= 0x20 && octet != 0x7F || octet == UInt8(ascii: "\t")
        }
    }
}
