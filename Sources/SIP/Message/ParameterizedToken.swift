/// A word with parameters: the shape of Content-Type, Accept, Reason, Event, Content-Disposition, Alert-Info.
public struct ParameterizedToken: Hashable, Sendable, CustomStringConvertible {
    /// As it is written: `application/sdp`, `SIP`, `session`.
    public var value: String
    public var parameters = Parameters(.header)

    public init(_ value: String) { self.value = value }

    /// Throws `SIPParseError.malformed`. Space around the slash of a media type is taken out.
    public init(parsing text: String) throws(SIPParseError) {
        var scanner = ByteScanner(text)
        scanner.skipSpace()
        guard var value = scanner.takeToken() else { throw .malformed(element: "value") }
        scanner.skipSpace()
        if scanner.take("/") {
            scanner.skipSpace()
            guard let subtype = scanner.takeToken() else { throw .malformed(element: "media type") }
            value += "/" + subtype
        }
        self.value = value
        parameters = try scanner.takeHeaderParameters(of: "parameter")
    }

    /// Compares the word without regard to case.
    public func isValue(_ other: String) -> Bool { value.asciiLowercased == other.asciiLowercased }

    public var description: String { value + parameters.printed }
}
