import MediaDescription
import SDP
import Testing

@Suite("SDES (RFC 4568) under the three policies") struct CryptoTests {
    static let usable = "a=crypto:4 AES_CM_128_HMAC_SHA1_80 inline:\(Sample.zeroKey)"
    static let other = "a=crypto:1 AES_256_CM_HMAC_SHA1_80 inline:\(Sample.zeroKey)"

    /// Whether an offer is refused, taken in the clear, or taken with the line of this tag.
    enum Outcome: Sendable, Equatable { case refused, clear, encrypted(tag: Int) }

    static let offers: [(proto: String, crypto: String, off: Outcome, optional: Outcome, required: Outcome)] = [
        ("RTP/AVP", "a=x", .clear, .clear, .refused),
        ("RTP/AVP", usable, .clear, .encrypted(tag: 4), .encrypted(tag: 4)),
        ("RTP/AVP", other, .clear, .clear, .refused),
        ("RTP/SAVP", "a=x", .refused, .refused, .refused),
        ("RTP/SAVP", usable, .refused, .encrypted(tag: 4), .encrypted(tag: 4)),
        ("RTP/SAVP", other, .refused, .refused, .refused),
        ("RTP/SAVP", other + "\r\n" + usable, .refused, .encrypted(tag: 4), .encrypted(tag: 4)),
    ]

    @Test("Policy decides what an offer gets", arguments: offers.indices, SRTPPolicy.allCases)
    func policy(row: Int, policy: SRTPPolicy) throws {
        let offer = Self.offers[row]
        let expected = [SRTPPolicy.off: offer.off, .optional: offer.optional, .required: offer.required][policy]
        var negotiator = Sample.negotiator(srtp: policy)
        let parsed = try Sample.peer("m=audio 4000 \(offer.proto) 0\r\n\(offer.crypto)")
        let outcome: Outcome
        do throws(SDPNegotiationError) {
            let (answer, parameters) = try negotiator.receive(offer: parsed, held: false, local: Sample.local)
            #expect(answer.media[0].proto == offer.proto)
            switch parameters?.security {
            case .srtp(let send, let receive):
                let lines = answer.values("crypto")
                #expect(lines == ["4 \(send.suite.rawValue) inline:AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0e"])
                #expect(send == Sample.key80)
                #expect(receive.keyAndSalt == Array(repeating: 0, count: 30))
                outcome = .encrypted(tag: lines.first.flatMap { Int($0.prefix(1)) } ?? 0)
            default:
                #expect(answer.values("crypto").isEmpty)
                outcome = .clear
            }
        } catch {
            #expect(error.sipStatus == 488)
            outcome = .refused
        }
        #expect(outcome == expected)
    }

    @Test(
        "A line is taken or passed over",
        arguments: [
            ("1 AES_CM_128_HMAC_SHA1_80 inline:\(Sample.zeroKey)", true),
            ("999999999 aes_cm_128_hmac_sha1_32 INLINE:\(Sample.zeroKey)", true),
            ("1 AES_CM_128_HMAC_SHA1_80 inline:\(Sample.zeroKey)|2^31", true),
            ("1 AES_CM_128_HMAC_SHA1_80 inline:\(Sample.zeroKey)|1048576", true),
            ("1 AES_CM_128_HMAC_SHA1_80 inline:\(Sample.zeroKey) WSH=128", true),
            ("1 AES_CM_128_HMAC_SHA1_80 inline:\(Sample.zeroKey) -NEW=1", true),
            ("1 AES_CM_128_HMAC_SHA1_80 inline:\(Sample.zeroKey) UNENCRYPTED_SRTCP", false),
            ("1 AES_CM_128_HMAC_SHA1_80 inline:\(Sample.zeroKey)|2^20|1:4", false),
            ("1 AES_CM_128_HMAC_SHA1_80 inline:\(Sample.zeroKey)|1:4", false),
            ("1 AES_CM_128_HMAC_SHA1_80 inline:\(Sample.zeroKey)|2^99", false),
            ("1 AES_CM_128_HMAC_SHA1_80 inline:\(Sample.zeroKey);inline:\(Sample.zeroKey)", false),
            ("1234567890 AES_CM_128_HMAC_SHA1_80 inline:\(Sample.zeroKey)", false),
            ("x AES_CM_128_HMAC_SHA1_80 inline:\(Sample.zeroKey)", false),
            ("1 AES_CM_128_HMAC_SHA1_80 inline:\(Sample.zeroKey)AA", false),
            ("1 AES_CM_128_HMAC_SHA1_80 inline:\(Sample.zeroKey.dropLast())", false),
            ("1 AES_CM_128_HMAC_SHA1_80 inline:\(Sample.zeroKey.dropLast())*", false),
            ("1 AES_CM_128_HMAC_SHA1_80 key:\(Sample.zeroKey)", false), ("1 AES_CM_128_HMAC_SHA1_80", false),
            ("", false),
        ])
    func line(value: String, taken: Bool) throws {
        var negotiator = Sample.negotiator(srtp: .required)
        let offer = try Sample.peer("m=audio 4000 RTP/SAVP 0\r\na=crypto:\(value)")
        let result = try? negotiator.receive(offer: offer, held: false, local: Sample.local)
        #expect((result != nil) == taken)
    }

    @Test("Optional offers RTP/AVP and one suite, required RTP/SAVP and both, off none", arguments: SRTPPolicy.allCases)
    func offered(policy: SRTPPolicy) {
        var negotiator = Sample.negotiator(srtp: policy)
        let offer = negotiator.offer(direction: .sendrecv, local: Sample.local)
        #expect(offer.media[0].proto == (policy == .required ? "RTP/SAVP" : "RTP/AVP"))
        #expect(offer.values("crypto").count == (policy == .off ? 0 : policy == .optional ? 1 : 2))
    }

    @Test(
        "An answer's suite counts, not its tag",
        arguments: [("2 AES_CM_128_HMAC_SHA1_32", Sample.key32), ("1 AES_CM_128_HMAC_SHA1_32", Sample.key32)])
    func answerTag(line: String, ours: SRTPKeying) throws {
        var negotiator = Sample.negotiator(srtp: .required)
        _ = negotiator.offer(direction: .sendrecv, local: Sample.local)
        let parameters = try negotiator.receive(
            answer: Sample.peer("m=audio 4000 RTP/SAVP 0\r\na=crypto:\(line) inline:\(Sample.zeroKey)"))
        let theirs = SRTPKeying(suite: ours.suite, keyAndSalt: Array(repeating: 0, count: 30))
        #expect(parameters.security == .srtp(send: ours, receive: theirs))
    }

    @Test("A suite that was not offered is no answer, and one that the peer brought stays offered")
    func otherSuite() throws {
        var caller = Sample.negotiator(srtp: .optional)
        _ = caller.offer(direction: .sendrecv, local: Sample.local)
        let line = "a=crypto:1 AES_CM_128_HMAC_SHA1_32 inline:\(Sample.zeroKey)"
        let parameters = try caller.receive(answer: Sample.peer("m=audio 4000 RTP/AVP 0\r\n\(line)"))
        #expect(parameters.security == .none)

        var called = Sample.negotiator(srtp: .optional)
        _ = try called.receive(
            offer: Sample.peer("m=audio 4000 RTP/SAVP 0\r\n\(line)"), held: false, local: Sample.local)
        let again = called.offer(direction: .sendrecv, local: Sample.local)
        #expect(again.values("crypto").count { $0.contains("SHA1_32") } == 1)
    }

    @Test("An answer without crypto is clear under optional and refused under required")
    func answerWithout() throws {
        var optional = Sample.negotiator(srtp: .optional)
        _ = optional.offer(direction: .sendrecv, local: Sample.local)
        #expect(try optional.receive(answer: Sample.peer("m=audio 4000 RTP/AVP 0")).security == .none)
        var required = Sample.negotiator(srtp: .required)
        _ = required.offer(direction: .sendrecv, local: Sample.local)
        let answer = try Sample.peer("m=audio 4000 RTP/SAVP 0")
        #expect(throws: SDPNegotiationError.self) { try required.receive(answer: answer) }
    }

    @Test("Re-offers keep our keys, and a new key of the peer's is taken")
    func keys() throws {
        var negotiator = Sample.negotiator(srtp: .optional)
        let first = negotiator.offer(direction: .sendrecv, local: Sample.local)
        _ = try negotiator.receive(
            answer: Sample.peer("m=audio 4000 RTP/AVP 0\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:\(Sample.zeroKey)")
        )
        let second = negotiator.offer(direction: .sendonly, local: Sample.local)
        #expect(second.values("crypto") == first.values("crypto"))
        let newKey = String(repeating: "/", count: 40)
        let parameters = try negotiator.receive(
            answer: Sample.peer("m=audio 4000 RTP/AVP 0\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:\(newKey)"))
        let theirs = SRTPKeying(suite: .aesCM128HMACSHA1_80, keyAndSalt: Array(repeating: 0xFF, count: 30))
        #expect(parameters.security == .srtp(send: Sample.key80, receive: theirs))
    }

    @Test("A call that became RTP/SAVP stays it in our re-offers")
    func profile() throws {
        var negotiator = Sample.negotiator(srtp: .optional)
        _ = try negotiator.receive(
            offer: Sample.peer("m=audio 4000 RTP/SAVP 0\r\n" + Self.usable), held: false, local: Sample.local)
        #expect(negotiator.offer(direction: .sendonly, local: Sample.local).media[0].proto == "RTP/SAVP")
    }
}
