import MediaDescription
import SDP

/// Descriptions and negotiators the suites share.
enum Sample {
    static let local = LocalMediaAddress(host: "192.0.2.10", rtpPort: 16_384, rtcpPort: 16_385)
    static let key80 = SRTPKeying(suite: .aesCM128HMACSHA1_80, keyAndSalt: Array(1...30))
    static let key32 = SRTPKeying(suite: .aesCM128HMACSHA1_32, keyAndSalt: Array(31...60))
    /// Base64 of thirty zero octets.
    static let zeroKey = String(repeating: "A", count: 40)

    static func negotiator(_ policy: MediaPolicy = MediaPolicy()) -> OfferAnswer {
        OfferAnswer(policy: policy, sessionID: 7_001, keys: [key80, key32])
    }

    static func negotiator(srtp: SRTPPolicy) -> OfferAnswer { negotiator(MediaPolicy(srtp: srtp)) }

    /// A peer's description with these m-line blocks.
    static func text(_ media: [String], connection: String = "IN IP4 198.51.100.5") -> String {
        "v=0\r\no=peer 1 1 IN IP4 198.51.100.5\r\ns=-\r\nc=\(connection)\r\nt=0 0\r\n"
            + media.joined(separator: "\r\n") + "\r\n"
    }

    static func parse(_ text: String) throws -> SessionDescription { try SessionDescription(parsing: Array(text.utf8)) }

    static func peer(_ media: String..., connection: String = "IN IP4 198.51.100.5") throws -> SessionDescription {
        try parse(text(media, connection: connection))
    }
}

extension SessionDescription {
    /// Values of the attributes of this name in the section at `index`.
    func values(_ name: String, at index: Int = 0) -> [String] {
        media[index].attributes.filter { $0.name == name }.map { $0.value ?? "" }
    }
}
