import MediaDescription
import SDP
import Testing

@Suite("Hostile descriptions") struct HostileDescriptionTests {
    /// SplitMix64, so that a failure can be run again.
    struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    static let seed =
        "v=0\r\no=- 20518 0 IN IP4 203.0.113.1\r\ns= \r\nc=IN IP6 2001:db8::1\r\nt=0 0\r\na=sendonly\r\n"
        + "m=audio 54400 RTP/SAVP 96 0 101\r\nc=IN IP4 203.0.113.1\r\na=rtpmap:96 opus/48000/2\r\n"
        + "a=fmtp:96 useinbandfec=1;maxplaybackrate=16000\r\na=rtpmap:101 telephone-event/8000\r\na=ptime:20\r\n"
        + "a=rtcp:54401 IN IP4 203.0.113.1\r\na=rtcp-mux\r\n"
        + "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:\(Sample.zeroKey)|2^20\r\nm=video 0 RTP/AVP 31\r\na=inactive\r\n"

    @Test("Mutated descriptions are parsed or refused, and what is answered is well-formed", arguments: 0..<8)
    func mutations(seed: UInt64) throws {
        var generator = Generator(state: seed)
        let pieces = [
            "=", ":", "/", " ", "|", "\r\n", "m=audio 1 RTP/AVP 0\r\n", "99999999999999999999", "-1", "\u{0}", "::",
            "0.0.0.0",
        ]
        for _ in 0..<400 {
            var text = Array(Self.seed.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let at = Int.random(in: 0...text.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: text.insert(contentsOf: Array(pieces.randomElement(using: &generator)?.utf8 ?? "".utf8), at: at)
                case 1: text.insert(UInt8.random(in: 0...255, using: &generator), at: at)
                case 2: text.removeSubrange(at..<min(text.count, at + Int.random(in: 0..<40, using: &generator)))
                default: if at < text.count { text[at] = UInt8.random(in: 0...255, using: &generator) }
                }
            }
            guard let parsed = try? SessionDescription(parsing: text) else { continue }
            var negotiator = Sample.negotiator()
            if let (answer, _) = try? negotiator.receive(offer: parsed, held: false, local: Sample.local) {
                #expect(answer.media.count == parsed.media.count)
                #expect(try SessionDescription(parsing: answer.serialized()) == answer)
            }
            _ = negotiator.offer(direction: .sendrecv, local: Sample.local)
            _ = try? negotiator.receive(answer: parsed)
        }
    }

    @Test(
        "Addresses are read by their grammar",
        arguments: [
            ("IP4", "1.2.3.4", true), ("IP4", "1.2.3", false), ("IP4", "1.2.3.256", false), ("IP4", "1.2.3.+4", false),
            ("IP4", "1.2.3.4.5", false), ("IP4", "::1", false), ("IP6", "::1", true), ("IP6", "1::2::3", false),
            ("IP6", ":::", false), ("IP6", "1:2:3:4:5:6:7:8", true), ("IP6", "1:2:3:4:5:6:7", false),
            ("IP6", "1:2:3:4:5:6:7:8:9", false), ("IP6", "::ffff:1.2.3.4", true), ("IP6", "1.2.3.4::", false),
            ("IP6", "fe80::1%eth0", false), ("IP6", "12345::", false), ("IP6", "::+1", false), ("IP6", "1::", true),
            ("IP6", "ff02::1", false), ("IP6", "1:2:3:4:5:6:7::8", false), ("IP6", ":1::2", false),
            ("IP6", "1::2:", false),
        ])
    func addresses(type: String, address: String, taken: Bool) throws {
        var negotiator = Sample.negotiator(srtp: .off)
        let offer = try Sample.peer("m=audio 4000 RTP/AVP 0", connection: "IN \(type) \(address)")
        let result = try? negotiator.receive(offer: offer, held: false, local: Sample.local)
        #expect((result != nil) == taken)
    }
}
