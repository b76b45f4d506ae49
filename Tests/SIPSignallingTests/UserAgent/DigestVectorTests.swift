import SIP
import Testing

@testable import SIPSignalling

/// The worked examples of the RFCs, with OpenSSL's hashes.
@Suite("Digest vectors") struct DigestVectorTests {
    struct Vector: Sendable {
        var source: String
        var username: String
        var password: String
        var uri: String
        var challenge: String
        var cnonce: String
        var response: String
    }

    static let rfc7616 =
        #"Digest realm="http-auth@example.org", qop="auth, auth-int", "#
        + #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#

    static let vectors = [
        Vector(
            source: "RFC 2617 §3.5", username: "Mufasa", password: "Circle Of Life", uri: "/dir/index.html",
            challenge: #"Digest realm="testrealm@host.com", qop="auth,auth-int", "#
                + #"nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41""#,
            cnonce: "0a4f113b", response: "6629fae49393a05397450978507c4ef1"),
        Vector(
            source: "RFC 7616 §3.9.1, MD5", username: "Mufasa", password: "Circle of Life", uri: "/dir/index.html",
            challenge: rfc7616 + ", algorithm=MD5", cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
            response: "8ca523f5e9506fed4657c9700eebdbec"),
        Vector(
            source: "RFC 7616 §3.9.1, SHA-256", username: "Mufasa", password: "Circle of Life",
            uri: "/dir/index.html", challenge: rfc7616 + ", algorithm=SHA-256",
            cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
            response: "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        Vector(
            source: "RFC 7616 §3.9.2, SHA-512-256, with erratum 4897", username: "J\u{E4}s\u{F8}n Doe",
            password: "Secret, or not?", uri: "/doe.json",
            challenge: #"Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, "#
                + #"nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", "#
                + #"opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true"#,
            cnonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v",
            response: "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5"),
    ]

    @Test("The response is that of the RFC", arguments: vectors)
    func response(vector: Vector) {
        var subject = DigestAuthenticator(
            credentials: DigestCredentials(username: vector.username, password: vector.password),
            hash: DigestAuthenticator.openSSL, cnonce: { vector.cnonce })
        var attempt = DigestAttempt()
        #expect(subject.take(server: [vector.challenge], proxy: [], attempt: &attempt))
        let value = subject.authorizations(method: "GET", uri: vector.uri, body: []).first?.value
        #expect(value?.contains("response=\"\(vector.response)\"") == true, "\(vector.source): \(value ?? "")")
    }

    @Test("Of MD5 and SHA-256 in one answer the stronger is answered (RFC 8760 §2.4)")
    func strongest() {
        var subject = DigestAuthenticator(
            credentials: DigestCredentials(username: "Mufasa", password: "Circle of Life"),
            hash: DigestAuthenticator.openSSL, cnonce: { "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ" })
        var attempt = DigestAttempt()
        let lines = [Self.rfc7616 + ", algorithm=MD5", Self.rfc7616 + ", algorithm=SHA-256"]
        #expect(subject.take(server: lines, proxy: [], attempt: &attempt))
        let values = subject.authorizations(method: "GET", uri: "/dir/index.html", body: []).map(\.value)
        #expect(values.count == 1)
        #expect(values.first?.contains("753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1") == true)
    }
}
