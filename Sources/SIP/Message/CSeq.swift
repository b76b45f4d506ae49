/// The number and method of a CSeq header (RFC 3261 §20.16).
public struct CSeq: Hashable, Sendable, CustomStringConvertible {
    /// Less than 2^31.
    public var number: UInt32
    public var method: SIPMethod

    public init(number: UInt32, method: SIPMethod) {
        self.number = number
        self.method = method
    }

    /// Throws `SIPParseError.malformed`, also for numbers of 2^31 and more (RFC 3261 §8.1.1.5).
    public init(parsing text: String) throws(SIPParseError) {
        var scanner = ByteScanner(text)
        scanner.skipSpace()
        guard let number = scanner.takeNumber(maximum: 1 << 31 - 1), let next = scanner.next,
            CharacterClass.isSpace(next)
        else { throw .malformed(element: "CSeq number") }
        scanner.skipSpace()
        guard let method = scanner.takeToken() else { throw .malformed(element: "CSeq method") }
        scanner.skipSpace()
        guard scanner.isAtEnd else { throw .malformed(element: "CSeq") }
        self.init(number: UInt32(number), method: SIPMethod(rawValue: method))
    }

    public var description: String { "\(number) \(method)" }
}

/// Which reliable provisional response a PRACK acknowledges (RFC 3262 §7.2).
public struct RAck: Hashable, Sendable, CustomStringConvertible {
    /// The RSeq of the response.
    public var responseNumber: UInt32
    /// The CSeq of the response.
    public var cseq: CSeq

    public init(responseNumber: UInt32, cseq: CSeq) {
        self.responseNumber = responseNumber
        self.cseq = cseq
    }

    /// Throws `SIPParseError.malformed`.
    public init(parsing text: String) throws(SIPParseError) {
        var scanner = ByteScanner(text)
        scanner.skipSpace()
        guard let number = scanner.takeNumber(maximum: UInt64(UInt32.max)), let next = scanner.next,
            CharacterClass.isSpace(next)
        else { throw .malformed(element: "RAck") }
        self.init(
            responseNumber: UInt32(number),
            cseq: try CSeq(parsing: scanner.text(scanner.position..<scanner.octets.count)))
    }

    public var description: String { "\(responseNumber) \(cseq)" }
}
