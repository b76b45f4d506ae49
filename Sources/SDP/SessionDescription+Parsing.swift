extension SessionDescription {
    /// The largest description that is read, in octets.
    public static let maximumSize = 32 * 1024
    static let maximumLines = 1_000
    static let maximumSections = 32

    /// Reads a description as the network brought it.
    ///
    /// Lines may end in CRLF or LF, the last one in nothing; lines of unknown types and empty ones are skipped; `s=` and
    /// `t=` may be missing. Octets that are not UTF-8 are replaced.
    public init(parsing text: [UInt8]) throws(SDPParseError) {
        guard text.count <= Self.maximumSize else {
            throw SDPParseError(line: 0, problem: "\(text.count) octets, at most \(Self.maximumSize) are read")
        }
        var reader = DescriptionReader()
        var number = 0
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            guard number <= Self.maximumLines else {
                throw SDPParseError(line: number, problem: "more than \(Self.maximumLines) lines")
            }
            reader.line = number
            try reader.read(line)
        }
        self = try reader.finish()
    }
}

/// Takes a description line by line.
private struct DescriptionReader {
    var line = 0
    private var sawVersion = false
    private var origin: Origin?
    private var name = "-"
    private var connection: ConnectionData?
    private var bandwidth: [Bandwidth] = []
    private var attributes: [Attribute] = []
    private var media: [MediaSection] = []

    mutating func read(_ octets: ArraySlice<UInt8>) throws(SDPParseError) {
        var octets = octets
        while let last = octets.last, last == 0x0D || last == 0x20 || last == 0x09 { octets.removeLast() }
        guard let type = octets.first else { return }
        guard octets.count >= 2, octets[octets.startIndex + 1] == UInt8(ascii: "=") else {
            throw problem("expected a letter and `=`")
        }
        guard !octets.contains(where: { $0 == 0 || $0 == 0x0D }) else { throw problem("holds a NUL or CR") }
        let value = String(decoding: octets.dropFirst(2), as: UTF8.self)
        guard sawVersion || type == UInt8(ascii: "v") else { throw problem("expected `v=0` first") }
        switch type {
        case UInt8(ascii: "v"):
            guard value == "0", !sawVersion else { throw problem("expected `v=0`, once") }
            sawVersion = true
        case UInt8(ascii: "o"): try readOrigin(value)
        case UInt8(ascii: "s"): if media.isEmpty, !value.isEmpty { name = value }
        case UInt8(ascii: "c"): try readConnection(value)
        case UInt8(ascii: "b"): readBandwidth(value)
        case UInt8(ascii: "m"): try readMedia(value)
        case UInt8(ascii: "a"): readAttribute(value)
        default: break
        }
    }

    func finish() throws(SDPParseError) -> SessionDescription {
        guard sawVersion else { throw SDPParseError(line: 0, problem: "empty, expected `v=0`") }
        guard let origin else { throw SDPParseError(line: 0, problem: "no `o=` line") }
        return SessionDescription(
            origin: origin, name: name, connection: connection, bandwidth: bandwidth, attributes: attributes,
            media: media)
    }

    private mutating func readOrigin(_ value: String) throws(SDPParseError) {
        let words = value.split(separator: " ", maxSplits: 6)
        guard words.count == 6, isNumber(words[1]), isNumber(words[2]) else {
            throw problem("expected `o=user id version IN IP4|IP6 address`, id and version in digits")
        }
        guard origin == nil, media.isEmpty else { throw problem("`o=` may stand once, before any `m=`") }
        origin = Origin(
            username: String(words[0]), sessionID: String(words[1]), version: String(words[2]),
            address: ConnectionData(
                networkType: String(words[3]), addressType: String(words[4]), address: String(words[5])))
    }

    private mutating func readConnection(_ value: String) throws(SDPParseError) {
        let words = value.split(separator: " ", maxSplits: 3)
        guard words.count == 3 else { throw problem("expected `c=IN IP4|IP6 address`") }
        let read = ConnectionData(
            networkType: String(words[0]), addressType: String(words[1]), address: String(words[2]))
        if media.isEmpty {
            connection = read
        } else if media[media.count - 1].connection == nil {  // of several (layered multicast) the first counts
            media[media.count - 1].connection = read
        }
    }

    /// One that is no number, or none that fits, is passed over: many a peer writes what it likes.
    private mutating func readBandwidth(_ value: String) {
        let parts = value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, isNumber(parts[1]), parts[1].utf8.count <= 10, let number = Int(parts[1]) else {
            return
        }
        let read = Bandwidth(type: String(parts[0]), value: number)
        if media.isEmpty {
            if bandwidth.count < Bandwidth.maximumLines { bandwidth.append(read) }
        } else if media[media.count - 1].bandwidth.count < Bandwidth.maximumLines {
            media[media.count - 1].bandwidth.append(read)
        }
    }

    private mutating func readMedia(_ value: String) throws(SDPParseError) {
        guard media.count < SessionDescription.maximumSections else {
            throw problem("more than \(SessionDescription.maximumSections) `m=` lines")
        }
        let words = value.split(separator: " ")
        guard words.count >= 4 else { throw problem("expected `m=media port proto format…`") }
        let ports = words[1].split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard let digits = ports.first, isNumber(digits), let port = UInt16(digits) else {
            throw problem("`\(words[1].prefix(20))` is not a port, expected 0 to 65535")
        }
        guard ports.count == 1 || (ports.count == 2 && isNumber(ports[1])) else {
            throw problem("`\(words[1].prefix(20))` is not a port and a number of ports")
        }
        media.append(
            MediaSection(
                kind: words[0].lowercased(), port: port, proto: String(words[2]), formats: words[3...].map(String.init))
        )
    }

    private mutating func readAttribute(_ value: String) {
        let parts = value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let attribute = Attribute(
            String(parts.first ?? ""), parts.count == 2 ? String(parts[1].drop { $0 == " " }) : nil)
        if media.isEmpty {
            attributes.append(attribute)
        } else {
            media[media.count - 1].attributes.append(attribute)
        }
    }

    private func problem(_ text: String) -> SDPParseError { SDPParseError(line: line, problem: text) }

    private func isNumber(_ text: Substring) -> Bool {
        1...20 ~= text.utf8.count && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    }
}
