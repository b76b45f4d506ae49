internal import COpenSSL

/// The hash functions of digest authentication, by OpenSSL, and random octets, by the kernel: OpenSSL's generator would
/// load all of its algorithms for the first tag of the first call.
public enum Hashes {
    /// Lower-case hexadecimal digest. Nil only where OpenSSL has no such algorithm (MD5 in a FIPS configuration).
    public static func md5(_ octets: [UInt8]) -> String? { digest(octets, EVP_md5()) }
    /// Lower-case hexadecimal digest.
    public static func sha256(_ octets: [UInt8]) -> String? { digest(octets, EVP_sha256()) }
    /// Lower-case hexadecimal SHA-512/256, which RFC 7616 calls SHA-512-256.
    public static func sha512_256(_ octets: [UInt8]) -> String? { digest(octets, EVP_sha512_256()) }

    /// Octets nobody can foretell, for keys, tags and cnonces.
    ///
    /// Nil for more than 4,096: nobody needs them.
    public static func random(_ count: Int) -> [UInt8]? {
        guard count > 0, count <= 4_096 else { return count == 0 ? [] : nil }
        // getrandom(2), which a kernel that has started always answers.
        var generator = SystemRandomNumberGenerator()
        var octets: [UInt8] = []
        octets.reserveCapacity(count + 7)
        while octets.count < count {
            withUnsafeBytes(of: generator.next()) { octets.append(contentsOf: $0) }
        }
        octets.removeLast(octets.count - count)
        return octets
    }

    /// `count` random octets in lower-case hexadecimal: a tag, a branch, a cnonce.
    public static func randomToken(_ count: Int) -> String { hexadecimal(random(count) ?? []) }

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
