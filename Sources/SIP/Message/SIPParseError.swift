/// Why octets are not a SIP message, or why a header's value is not what its grammar says.
public enum SIPParseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// More than `SIPMessage.maximumSize` octets.
    case tooLarge(octets: Int)
    /// Nothing but line ends: a keep-alive, or nothing at all.
    case empty
    /// The first line is neither a Request-Line nor a Status-Line (RFC 3261 §7.1, §7.2).
    case malformedStartLine
    /// A header, continuation lines included, is longer than `SIPMessage.maximumLineLength` octets.
    case lineTooLong
    /// More than `SIPMessage.maximumHeaderCount` headers.
    case tooManyHeaders
    /// The text is not what the grammar of `element` allows.
    case malformed(element: String)

    public var description: String {
        switch self {
        case .tooLarge(let octets): "the message has \(octets) octets; \(SIPMessage.maximumSize) are allowed"
        case .empty: "the message is empty"
        case .malformedStartLine: "the first line is no SIP Request-Line or Status-Line"
        case .lineTooLong: "a header is longer than \(SIPMessage.maximumLineLength) octets"
        case .tooManyHeaders: "the message has more than \(SIPMessage.maximumHeaderCount) headers"
        case .malformed(let element): "malformed \(element)"
        }
    }
}
