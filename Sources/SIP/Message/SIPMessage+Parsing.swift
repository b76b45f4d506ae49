extension SIPMessage {
    /// Reads one message: a datagram, or what `StreamFramer` cut out of a stream.
    ///
    /// Line ends may be CRLF or LF, lines ends before the message are passed over, what follows the body is cut off
    /// (RFC 3261 §18.3). Throws where not even the first line can be understood, or a limit is exceeded; whatever else
    /// is wrong is a defect or shows when the header is asked for.
    public init(parsing octets: [UInt8]) throws(SIPParseError) {
        guard octets.count <= Self.maximumSize else { throw .tooLarge(octets: octets.count) }
        var lines = LineReader(octets: octets)
        lines.skipLineEnds()
        guard let first = lines.next() else { throw .empty }
        try self.init(firstLine: octets[first])
        try readHeaders(&lines)
        readBody(octets[lines.position...])
    }

    /// See `init(parsing: [UInt8])`.
    public init(parsing octets: Span<UInt8>) throws(SIPParseError) {
        guard octets.count <= Self.maximumSize else { throw .tooLarge(octets: octets.count) }
        var copy: [UInt8] = []
        copy.reserveCapacity(octets.count)
        for index in octets.indices { copy.append(octets[index]) }
        try self.init(parsing: copy)
    }

    private init(firstLine line: ArraySlice<UInt8>) throws(SIPParseError) {
        if line.starts(with: Array("SIP/".utf8)) {
            self.init(startLine: try Self.statusLine(line))
        } else {
            try self.init(requestLine: line)
        }
    }

    private static func statusLine(_ line: ArraySlice<UInt8>) throws(SIPParseError) -> StartLine {
        let version = Array("SIP/2.0 ".utf8)
        guard line.starts(with: version) else { throw .malformedStartLine }
        let rest = line.dropFirst(version.count)
        let code = rest.prefix { $0 != UInt8(ascii: " ") }
        guard code.count == 3, let status = ByteScanner.number(code, maximum: 699), status >= 100 else {
            throw .malformedStartLine
        }
        return .response(status: Int(status), reason: text(rest.dropFirst(4)))
    }

    private init(requestLine line: ArraySlice<UInt8>) throws(SIPParseError) {
        let isSpace = CharacterClass.isSpace
        let method = line.prefix { !isSpace($0) }
        guard !method.isEmpty, method.allSatisfy(CharacterClass.isToken) else { throw .malformedStartLine }
        var end = line.endIndex
        while end > line.startIndex, isSpace(line[end - 1]) { end -= 1 }
        guard let space = line[..<end].lastIndex(where: isSpace), space >= method.endIndex else {
            throw .malformedStartLine
        }
        let version = String(decoding: line[(space + 1)..<end], as: UTF8.self).asciiLowercased
        guard version.hasPrefix("sip/") else { throw .malformedStartLine }
        let between = space > method.endIndex ? line[(method.endIndex + 1)..<space] : []
        let text = String(decoding: between, as: UTF8.self)
        var uri = SIPURI(scheme: "", opaque: text)
        var isMalformed = end != line.endIndex || between.contains(where: isSpace)
        do throws(SIPParseError) { uri = try SIPURI(parsing: text) } catch { isMalformed = true }
        self.init(method: SIPMethod(rawValue: String(decoding: method, as: UTF8.self)), uri: uri)
        if isMalformed { defects.insert(.malformedRequestLine) }
        if version != "sip/2.0" { defects.insert(.unsupportedVersion) }
    }

    private mutating func readHeaders(_ lines: inout LineReader) throws(SIPParseError) {
        var value: [UInt8] = []
        while let line = lines.next(), !line.isEmpty {
            guard line.count <= Self.maximumLineLength else { throw .lineTooLong }
            guard let name = Self.headerName(lines.octets[line]) else {
                defects.insert(.malformedHeaderLine)
                continue
            }
            value.removeAll(keepingCapacity: true)
            value.append(contentsOf: Self.trimmed(lines.octets[(name.colon + 1)..<line.upperBound]))
            while lines.isAtContinuation, let more = lines.next() {
                guard value.count + more.count < Self.maximumLineLength else { throw .lineTooLong }
                let text = Self.trimmed(lines.octets[more])
                if !value.isEmpty, !text.isEmpty { value.append(UInt8(ascii: " ")) }
                value.append(contentsOf: text)
            }
            guard headers.count < Self.maximumHeaderCount else { throw .tooManyHeaders }
            headers.append(HeaderName(name.text), Self.text(value[...]))
        }
    }

    /// A CR that ends no line is a space: some would take it for a line end.
    private static func text(_ octets: ArraySlice<UInt8>) -> String {
        guard octets.contains(0x0D) else { return String(decoding: octets, as: UTF8.self) }
        return String(decoding: octets.map { $0 == 0x0D ? 0x20 : $0 }, as: UTF8.self)
    }

    private static func headerName(_ line: ArraySlice<UInt8>) -> (text: String, colon: Int)? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        var end = colon
        while end > line.startIndex, CharacterClass.isSpace(line[end - 1]) { end -= 1 }
        let name = line[line.startIndex..<end]
        guard !name.isEmpty, name.allSatisfy(CharacterClass.isToken) else { return nil }
        return (String(decoding: name, as: UTF8.self), colon)
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text.drop(while: CharacterClass.isSpace)
        while let last = text.last, CharacterClass.isSpace(last) { text.removeLast() }
        return text
    }

    private mutating func readBody(_ rest: ArraySlice<UInt8>) {
        body = Array(rest)
        guard headers.contains(.contentLength) else { return }
        guard let length = contentLength else {
            defects.insert(.malformedContentLength)
            return
        }
        if length > body.count { defects.insert(.truncatedBody) } else { body.removeSubrange(length...) }
    }
}

/// Walks over the lines of a message's head.
struct LineReader {
    let octets: [UInt8]
    private(set) var position = 0

    init(octets: [UInt8]) { self.octets = octets }

    /// Whether the next line goes on with the header before it (RFC 3261 §7.3.1).
    var isAtContinuation: Bool { position < octets.count && CharacterClass.isSpace(octets[position]) }

    mutating func skipLineEnds() {
        while position < octets.count, octets[position] == 0x0D || octets[position] == 0x0A { position += 1 }
    }

    /// The next line without its end; nil at the end of the octets.
    mutating func next() -> Range<Int>? {
        guard position < octets.count else { return nil }
        let start = position
        let end = octets[start...].firstIndex(of: 0x0A) ?? octets.count
        position = min(end + 1, octets.count)
        return start..<(end > start && octets[end - 1] == 0x0D ? end - 1 : end)
    }
}
