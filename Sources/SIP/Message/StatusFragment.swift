/// How far a call has come, as a NOTIFY about a REFER tells it: the status line in a `message/sipfrag` body (RFC 3420,
/// RFC 3515 §2.4.5).
public struct StatusFragment: Hashable, Sendable {
    static let contentType = "message/sipfrag;version=2.0"

    /// 100...699
    public var status: Int
    /// At most 128 printable ASCII characters.
    public var reason: String

    public init(status: Int, reason: String? = nil) {
        self.status = status
        self.reason = Self.printable(reason ?? ReasonPhrase.of(status))
    }

    /// nil where the message has no such body.
    public init?(of message: SIPMessage) {
        guard message.contentType?.isValue("message/sipfrag") ?? false else { return nil }
        let line = message.body.prefix(512).prefix { $0 != 0x0D && $0 != 0x0A }
        let parts = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, String(decoding: parts[0], as: UTF8.self).asciiLowercased == "sip/2.0",
            parts[1].count == 3, let number = ByteScanner.number(parts[1], maximum: 699), number >= 100
        else { return nil }
        self.init(status: Int(number), reason: parts.count > 2 ? String(decoding: parts[2], as: UTF8.self) : nil)
    }

    /// The body that tells it.
    var body: [UInt8] { Array("SIP/2.0 \(status) \(reason)\r\n".utf8) }

    private static func printable(_ text: String) -> String {
        String(decoding: text.utf8.prefix(128).map { (0x20...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
    }
}
