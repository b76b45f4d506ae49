/// A hash function of digest authentication (RFC 7616 §6.1, RFC 8760 §2.1).
public enum DigestHash: String, Sendable, Hashable, CaseIterable {
    case md5 = "MD5"
    case sha256 = "SHA-256"
    case sha512_256 = "SHA-512-256"

    fileprivate var strength: Int {
        switch self {
        case .md5: 0
        case .sha256: 1
        case .sha512_256: 2
        }
    }
}

/// Hashes the bytes and returns the digest in lower-case hexadecimal. SIP itself has no cryptography; it is handed in.
public typealias DigestHashFunction = @Sendable (DigestHash, [UInt8]) -> String

/// The value of an `algorithm` parameter: a hash, with or without `-sess` (RFC 7616 §3.4.2).
public struct DigestAlgorithm: Sendable, Hashable, Comparable {
    public var hash: DigestHash
    /// The secret part is bound to one nonce and one cnonce.
    public var isSession: Bool

    public init(_ hash: DigestHash, session: Bool = false) {
        self.hash = hash
        isSession = session
    }

    /// Reads a token without regard to case; nil for algorithms we do not know.
    public init?(_ token: String) {
        let folded = token.lowercased()
        isSession = folded.hasSuffix("-sess")
        let name = isSession ? String(folded.dropLast(5)) : folded
        guard let known = DigestHash.allCases.first(where: { $0.rawValue.lowercased() == name }) else { return nil }
        hash = known
    }

    /// By strength; of two equal hashes the session variant is the stronger.
    public static func < (left: Self, right: Self) -> Bool {
        (left.hash.strength, left.isSession ? 1 : 0) < (right.hash.strength, right.isSession ? 1 : 0)
    }
}

/// What a digest protects: the request line, or also the body (RFC 7616 §3.3).
public enum DigestProtection: String, Sendable, Hashable, CaseIterable {
    case auth = "auth"
    case authInt = "auth-int"
}
