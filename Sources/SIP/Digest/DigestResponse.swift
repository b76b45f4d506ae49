/// The computation of RFC 7616 §3.4: what a client sends in answer to one challenge.
struct DigestResponse {
    var challenge: DigestChallenge
    var username: String
    var password: String
    var method: String
    /// The Request-URI exactly as the request prints it.
    var uri: String
    var body: [UInt8]
    /// How many requests, this one included, have used the nonce.
    var nonceCount: UInt32
    var cnonce: String
    /// The cnonce of the nonce's first use, to which a `-sess` secret is bound; `cnonce` itself otherwise.
    var sessionCnonce: String
    var hash: DigestHashFunction

    private func digest(_ text: String) -> String { hash(challenge.algorithm.hash, Array(text.utf8)) }

    private var count: String {
        let digits = String(nonceCount, radix: 16)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }

    /// The `response` parameter, in hexadecimal.
    var value: String {
        var secret = digest("\(username):\(challenge.realm):\(password)")
        if challenge.algorithm.isSession { secret = digest("\(secret):\(challenge.nonce):\(sessionCnonce)") }
        var subject = "\(method):\(uri)"
        if challenge.protection == .authInt { subject += ":" + hash(challenge.algorithm.hash, body) }
        guard let protection = challenge.protection else {
            return digest("\(secret):\(challenge.nonce):\(digest(subject))")
        }
        return digest("\(secret):\(challenge.nonce):\(count):\(cnonce):\(protection.rawValue):\(digest(subject))")
    }

    /// The value of an Authorization or Proxy-Authorization header.
    var headerValue: String {
        let quote = AuthenticationFields.quote
        var text =
            "Digest username=\(quote(username)), realm=\(quote(challenge.realm)), nonce=\(quote(challenge.nonce))"
        text += ", uri=\(quote(uri)), response=\"\(value)\""
        if let token = challenge.algorithmToken { text += ", algorithm=\(token)" }
        if let opaque = challenge.opaque { text += ", opaque=\(quote(opaque))" }
        if let protection = challenge.protection {
            // qop and nc stand without quotes (RFC 7616 §3.4).
            text += ", cnonce=\(quote(cnonce)), qop=\(protection.rawValue), nc=\(count)"
        } else if challenge.algorithm.isSession {
            text += ", cnonce=\(quote(cnonce))"
        }
        return text
    }
}
