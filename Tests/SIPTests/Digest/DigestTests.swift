import SIP
import Testing

/// A hash that can be read: what was hashed, in brackets.
private let readable: DigestHashFunction = { hash, bytes in
    "<\(hash.rawValue) \(String(decoding: bytes, as: UTF8.self))>"
}

private func authenticator(realm: String? = nil) -> DigestAuthenticator {
    DigestAuthenticator(
        credentials: DigestCredentials(username: "bob", password: "zanzibar", realm: realm), hash: readable,
        cnonce: { "c" })
}

private func answer(_ challenge: String, body: String = "", uses: Int = 1) -> String? {
    var subject = authenticator()
    var attempt = DigestAttempt()
    guard subject.take(server: [challenge], proxy: [], attempt: &attempt) else { return nil }
    var last: String?
    for _ in 0..<uses {
        last = subject.authorizations(method: "REGISTER", uri: "sip:a", body: Array(body.utf8)).first?.value
    }
    return last
}

@Suite("Digest challenges") struct DigestChallengeTests {
    @Test("Several challenges in one header and in several are all read")
    func several() {
        let read = DigestChallenge.parse([
            #"Basic realm="x", Digest realm="a",nonce="1" ,qop="auth,auth-int", algorithm=SHA-256"#,
            #"digest nonce="2", Realm="b", stale=TRUE, opaque="o\"p""#,
        ])
        #expect(read.map(\.realm) == ["a", "b"])
        #expect(read.map(\.nonce) == ["1", "2"])
        #expect(read.map(\.algorithm) == [DigestAlgorithm(.sha256), DigestAlgorithm(.md5)])
        #expect(read.map(\.protection) == [.auth, nil])
        #expect(read.map(\.isStale) == [false, true])
        #expect(read.last?.opaque == "o\"p")
    }

    @Test(
        "What cannot be answered is left out",
        arguments: [
            "", ",", "Digest", "Digest realm=\"a\"", "Digest nonce=\"a\"", "Digest realm=\"a\", nonce=\"\"",
            "Digest realm=\"a\", nonce=\"n", "realm=\"a\", nonce=\"n\"", "Basic realm=\"a\", nonce=\"n\"",
            "Digest realm=\"a\", nonce=\"n\", algorithm=SHA-1", "Digest realm=\"a\", nonce=\"n\", qop=\"other\"",
            "Digest realm=\"a\\", "Digest =\"a\"", "Digest \"realm\"=a",
            "Digest realm=\"a\", nonce=\"n\", algorithm=-sess",
        ])
    func unusable(line: String) {
        #expect(DigestChallenge.parse([line]).isEmpty)
    }

    @Test("A header of absurd length is not read")
    func long() {
        let line = "Digest realm=\"a\", nonce=\"\(String(repeating: "n", count: 10_000))\""
        #expect(DigestChallenge.parse([line]).isEmpty)
    }

    @Test(
        "The strongest offered algorithm is answered, whatever the order",
        arguments: [
            (["MD5", "SHA-256", "SHA-512-256"], "SHA-512-256"), (["SHA-512-256", "MD5"], "SHA-512-256"),
            (["MD5", "sha-256"], "sha-256"), (["SHA-512", "MD5"], "MD5"), (["MD5", "MD5-sess"], "MD5-sess"),
            (["MD5-sess", "SHA-256"], "SHA-256"),
        ])
    func strongest(offered: [String], chosen: String) throws {
        var subject = authenticator()
        var attempt = DigestAttempt()
        let lines = offered.map { "Digest realm=\"r\", nonce=\"\($0)\", algorithm=\($0), qop=\"auth\"" }
        #expect(subject.take(server: lines, proxy: [], attempt: &attempt))
        let values = subject.authorizations(method: "INVITE", uri: "sip:a", body: [])
        #expect(values.count == 1)
        #expect(values.first?.value.contains("algorithm=\(chosen),") == true)
    }
}

@Suite("Digest answers") struct DigestAnswerTests {
    @Test("Without qop the answer is RFC 2069's")
    func noProtection() {
        #expect(
            answer(#"Digest realm="r", nonce="n""#)
                == #"Digest username="bob", realm="r", nonce="n", uri="sip:a", "#
                + #"response="<MD5 <MD5 bob:r:zanzibar>:n:<MD5 REGISTER:sip:a>>""#)
    }

    @Test("With qop=auth the nonce count and cnonce are hashed and sent")
    func auth() {
        #expect(
            answer(#"Digest realm="r", nonce="n", algorithm=SHA-256, qop="auth-int,auth", opaque="o""#)
                == #"Digest username="bob", realm="r", nonce="n", uri="sip:a", "#
                + #"response="<SHA-256 <SHA-256 bob:r:zanzibar>:n:00000001:c:auth:<SHA-256 REGISTER:sip:a>>", "#
                + #"algorithm=SHA-256, opaque="o", cnonce="c", qop=auth, nc=00000001"#)
    }

    @Test("auth-int, where it is all that is offered, hashes the body")
    func authInt() {
        #expect(
            answer(#"Digest realm="r", nonce="n", qop=auth-int"#, body: "v=0")?
                .contains("auth-int:<MD5 REGISTER:sip:a:<MD5 v=0>>>\"") == true)
    }

    @Test("A -sess secret is bound to nonce and cnonce")
    func session() {
        #expect(
            answer(#"Digest realm="r", nonce="n", algorithm=MD5-sess, qop=auth"#)?
                .contains("\"<MD5 <MD5 <MD5 bob:r:zanzibar>:n:c>:n:00000001:c:auth:") == true)
    }

    @Test("Each use of a nonce counts up, in eight hexadecimal digits")
    func count() {
        #expect(answer(#"Digest realm="r", nonce="n", qop=auth"#, uses: 26)?.hasSuffix("nc=0000001a") == true)
    }

    @Test("Quotes and backslashes are escaped in the header and hashed without escapes")
    func escapes() {
        let value = answer(#"Digest realm="a\"b\\c", nonce="n""#)
        #expect(value?.contains(#"realm="a\"b\\c""#) == true)
        #expect(value?.contains(#"<MD5 bob:a"b\c:zanzibar>"#) == true)
    }
}

@Suite("Digest attempts") struct DigestAttemptTests {
    private let first = #"Digest realm="r", nonce="1", qop=auth"#
    private let other = #"Digest realm="r", nonce="2", qop=auth"#
    private let stale = #"Digest realm="r", nonce="2", qop=auth, stale=true"#

    @Test("The same nonce refused twice is a failure")
    func sameNonce() {
        var subject = authenticator()
        var attempt = DigestAttempt()
        #expect(subject.take(server: [first], proxy: [], attempt: &attempt))
        #expect(!subject.take(server: [first], proxy: [], attempt: &attempt))
        #expect(!subject.take(server: [first + ", stale=true"], proxy: [], attempt: &attempt))
    }

    @Test("A new nonce after a refusal is tried only where the old one is called stale")
    func staleness() {
        var subject = authenticator()
        var wrongPassword = DigestAttempt()
        #expect(subject.take(server: [first], proxy: [], attempt: &wrongPassword))
        #expect(!subject.take(server: [other], proxy: [], attempt: &wrongPassword))
        var tooOld = DigestAttempt()
        #expect(subject.take(server: [first], proxy: [], attempt: &tooOld))
        #expect(subject.take(server: [stale], proxy: [], attempt: &tooOld))
        #expect(
            subject.authorizations(method: "BYE", uri: "sip:a", body: []).first?.value.contains("nonce=\"2\"") == true)
    }

    @Test("A nonce remembered from an earlier request may be replaced without being called stale")
    func remembered() {
        var subject = authenticator()
        var earlier = DigestAttempt()
        #expect(subject.take(server: [first], proxy: [], attempt: &earlier))
        _ = subject.authorizations(method: "REGISTER", uri: "sip:a", body: [])
        var later = DigestAttempt()
        #expect(subject.take(server: [other], proxy: [], attempt: &later))
        let value = subject.authorizations(method: "REGISTER", uri: "sip:a", body: []).first?.value
        #expect(value?.contains("nonce=\"2\"") == true)
        #expect(value?.hasSuffix("nc=00000001") == true)
    }

    @Test("401 and 407 at once are both answered, each in its own header")
    func both() {
        var subject = authenticator()
        var attempt = DigestAttempt()
        let proxy = #"Digest realm="p", nonce="9""#
        #expect(subject.take(server: [first], proxy: [proxy], attempt: &attempt))
        let values = subject.authorizations(method: "INVITE", uri: "sip:a", body: [])
        #expect(values.map(\.challenger) == [.server, .proxy])
        #expect(values.map { $0.value.contains("nonce=\"9\"") } == [false, true])
    }

    @Test("Several proxies may challenge one after the other, but not without end")
    func rounds() {
        var subject = authenticator()
        var attempt = DigestAttempt()
        for round in 0..<DigestAuthenticator.maximumRounds {
            let line = "Digest realm=\"r\(round)\", nonce=\"n\""
            #expect(subject.take(server: [], proxy: [line], attempt: &attempt))
        }
        #expect(!subject.take(server: [], proxy: [#"Digest realm="z", nonce="n""#], attempt: &attempt))
    }

    @Test("Credentials of one realm are not sent to another")
    func realm() {
        var subject = authenticator(realm: "home")
        var attempt = DigestAttempt()
        #expect(!subject.take(server: [first], proxy: [], attempt: &attempt))
        #expect(subject.authorizations(method: "INVITE", uri: "sip:a", body: []).isEmpty)
    }

    @Test("A password is not in the description")
    func secrecy() {
        #expect(!"\(DigestCredentials(username: "bob", password: "zanzibar"))".contains("zanzibar"))
    }
}
