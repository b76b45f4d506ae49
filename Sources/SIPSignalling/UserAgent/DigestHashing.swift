internal import SIP

extension DigestAuthenticator {
    /// The hashes of OpenSSL. Without MD5 (FIPS) the answer is wrong, and the registrar says so.
    static let openSSL: DigestHashFunction = { hash, octets in
        switch hash {
        case .md5: Hashes.md5(octets) ?? ""
        case .sha256: Hashes.sha256(octets) ?? ""
        case .sha512_256: Hashes.sha512_256(octets) ?? ""
        }
    }

    /// With the hashes and the randomness of OpenSSL.
    init(username: String, password: String) {
        self.init(
            credentials: DigestCredentials(username: username, password: password), hash: Self.openSSL,
            cnonce: { Hashes.randomToken(16) })
    }
}
