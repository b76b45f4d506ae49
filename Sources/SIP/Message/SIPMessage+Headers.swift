/// Headers as what they mean. Each is read when it is asked for, in one pass.
///
/// Single values are nil where the header is absent or malformed; lists throw where one element is malformed.
extension SIPMessage {
    /// Every Via, topmost first. Throws `SIPParseError.malformed`.
    public var vias: [Via] {
        get throws(SIPParseError) { try list(.via) { text throws(SIPParseError) in try Via(parsing: text) } }
    }

    public var topVia: Via? {
        guard let value = headers.first(.via) else { return nil }
        var first: String?
        HeaderList.split(value) { if first == nil { first = $0 } }
        return first.flatMap { try? Via(parsing: $0) }
    }

    public var from: NameAddress? { headers.first(.from).flatMap { try? NameAddress(parsing: $0) } }

    public var to: NameAddress? { headers.first(.to).flatMap { try? NameAddress(parsing: $0) } }

    /// nil also where it has space inside.
    public var callID: String? {
        guard let value = headers.first(.callID), !value.isEmpty, !value.utf8.contains(where: { $0 <= 0x20 }) else {
            return nil
        }
        return value
    }

    public var cseq: CSeq? { headers.first(.cseq).flatMap { try? CSeq(parsing: $0) } }

    /// Every address of the Contact headers; none where it is `*`. Throws `SIPParseError.malformed`.
    public var contacts: [NameAddress] {
        get throws(SIPParseError) { isContactWildcard ? [] : try addresses(.contact) }
    }

    /// Whether the Contact is `*`: all registrations (RFC 3261 §10.2.2).
    public var isContactWildcard: Bool { headers.first(.contact) == "*" }

    /// Throws `SIPParseError.malformed`.
    public var routes: [NameAddress] { get throws(SIPParseError) { try addresses(.route) } }

    /// In the order of the message. Throws `SIPParseError.malformed`.
    public var recordRoutes: [NameAddress] { get throws(SIPParseError) { try addresses(.recordRoute) } }

    /// Any other header that lists addresses. Throws `SIPParseError.malformed`.
    public func addresses(_ name: HeaderName) throws(SIPParseError) -> [NameAddress] {
        try list(name) { text throws(SIPParseError) in try NameAddress(parsing: text) }
    }

    /// The first value of a header as a word with parameters: Content-Type, Reason, Event.
    public func token(_ name: HeaderName) -> ParameterizedToken? {
        headers.values(name).first.flatMap { try? ParameterizedToken(parsing: $0) }
    }

    /// All values of a header that can be read as words with parameters: Accept, Reason.
    public func tokens(_ name: HeaderName) -> [ParameterizedToken] {
        headers.values(name).compactMap { try? ParameterizedToken(parsing: $0) }
    }

    /// 0 to 255.
    public var maxForwards: Int? { number(.maxForwards, maximum: 255) }

    /// Octets; nil also where there are several that differ.
    public var contentLength: Int? {
        let values = headers.all(.contentLength)
        guard let first = values.first, values.allSatisfy({ $0 == first }) else { return nil }
        return number(.contentLength, maximum: UInt64(Int32.max))
    }

    public var contentType: ParameterizedToken? { token(.contentType) }

    /// Seconds; a number that is too large is the largest (RFC 3261 §20.19).
    public var expires: UInt32? { headers.first(.expires).flatMap(Self.seconds) }

    /// Seconds.
    public var minExpires: UInt32? { headers.first(.minExpires).flatMap(Self.seconds) }

    /// Seconds, without the comment and the parameters it may have.
    public var retryAfter: UInt32? { headers.first(.retryAfter).flatMap(Self.seconds) }

    public var rseq: UInt32? { number(.rseq, maximum: UInt64(UInt32.max)).map { UInt32($0) } }

    public var rack: RAck? { headers.first(.rack).flatMap { try? RAck(parsing: $0) } }

    public var allow: [SIPMethod] { headers.values(.allow).map { SIPMethod(rawValue: $0) } }

    /// Option tags, in lower case.
    public var supported: Set<String> { Set(headers.values(.supported).map(\.asciiLowercased)) }

    /// Option tags, in lower case and in their order.
    public var require: [String] { headers.values(.require).map(\.asciiLowercased) }

    /// The number of seconds that `text` begins with, saturated; the `expires` parameter of a Contact, too.
    public static func seconds(_ text: String) -> UInt32? {
        var seconds: UInt64?
        for octet in text.utf8 {
            guard CharacterClass.isDigit(octet) else { break }
            seconds = min((seconds ?? 0) * 10 + UInt64(octet - 0x30), UInt64(UInt32.max))
        }
        return seconds.map { UInt32($0) }
    }

    private func number(_ name: HeaderName, maximum: UInt64) -> Int? {
        headers.first(name).flatMap { ByteScanner.number($0.utf8, maximum: maximum) }.map { Int($0) }
    }

    private func list<Element>(
        _ name: HeaderName, _ parse: (String) throws(SIPParseError) -> Element
    ) throws(SIPParseError) -> [Element] {
        var elements: [Element] = []
        for field in headers.fields where field.name == name {
            var texts: [String] = []
            HeaderList.split(field.value) { texts.append($0) }
            for text in texts { elements.append(try parse(text)) }
        }
        return elements
    }
}
