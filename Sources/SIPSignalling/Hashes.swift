internal import COpenSSL

/// The hash functions of digest authentication and random octets, by OpenSSL.
public enum Hashes {
    /// Lower-case hexadecimal digest. Nil only where OpenSSL has no such algorithm (MD5 in a FIPS configuration).
    public static func md5(_ octets: [UInt8]) -> String? { digest(octets, EVP_md5()) }
    /// Lower-case hexadecimal digest.
    public static func sha256(_ octets: [UInt8]) -> String? { digest(octets, EVP_sha256()) }
    /// Lower-case hexadecimal SHA-512/256, which RFC 7616 calls SHA-512-256.
    public static func sha512_256(_ octets: [UInt8]) -> String? { digest(octets, EVP_sha512_256()) }

    /// Octets nobody can foretell, for keys, tags and cnonces.
    ///
    /// Nil where the system has no randomness to give: no key may be made then.
    public static func random(_ count: Int) -> [UInt8]? {
        guard count > 0, count <= 4_096 else { return count == 0 ? [] : nil }
        var octets = [UInt8](repeating: 0, count: count)
        return RAND_bytes(&octets, Int32(count)) == 1 ? octets : nil
    }

    /// `count` random octets in lower-case hexadecimal: a tag, a branch, a cnonce.
    ///
    /// Where OpenSSL has no randomness the standard library's generator gives it: these are unique, not secret.
    public static func randomToken(_ count: Int) -> String {
        hexadecimal(random(count) ?? (0..<count).map { _ in UInt8.random(in: 0...255) })
    }

    static func hexadecimal(_ octets: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: octets.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func digest(_ octets: [UInt8], _ algorithm: OpaquePointer?) -> String? {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard let algorithm, EVP_Digest(octets, octets.count, &digest, &count, algorithm, nil) == 1 else { return nil }
        return hexadecimal(digest.prefix(Int(count)))
    }
}
