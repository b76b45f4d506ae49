import SIP
import Testing

@Suite("URIs") struct SIPURITests {
    @Test(
        "Print reads back as it was",
        arguments: [
            "sip:alice@example.com", "sips:alice@example.com:5061", "sip:example.com", "sip:192.0.2.4;transport=tcp;lr",
            "sip:alice:secretword@example.com;transport=tcp", "sip:[2001:db8::1]:5070;lr",
            "sip:+12125551212@gw.example",
            "sip:alice;day=tuesday@example.com", "sip:a%40b@example.com;x=%20", "tel:+1-201-555-0123",
            "tel:7042;phone-context=example.com", "sip:alice@example.com?subject=project%20x&priority=urgent",
            "http://www.example.com/x?y", "urn:service:sos", "sip:%00@host_with_underscore",
        ])
    func roundTrip(text: String) throws {
        #expect(try SIPURI(parsing: text).description == text)
    }

    @Test("Every part has its place")
    func parts() throws {
        let uri = try SIPURI(parsing: "SIP:al%69ce:s%3Bt@Example.COM:5080;Transport=TCP;lr;x=%41?Subject=a%20b&x=")
        #expect(uri.scheme == "sip")
        #expect(uri.user == "alice")
        #expect(uri.password == "s;t")
        #expect(uri.host == "Example.COM")
        #expect(uri.port == 5080)
        #expect(uri.transport == "tcp")
        #expect(uri.isLooseRouter)
        #expect(uri.parameters["X"] == "A")
        #expect(uri.headers.map(\.name) == ["Subject", "x"])
        #expect(uri.headers.map(\.value) == ["a%20b", ""])
    }

    @Test(
        "What is no URI is refused",
        arguments: [
            "", "sip", "sip:", "sip:@example.com", "sip:alice@", "sip:a b@c", "sip:alice@example.com:", "sip:a@b:65536",
            "sip:a@b:-1", "sip:a@b@c", "sip:a@[2001:db8::1", "sip:a@2001:db8::1", "sip:a@[nonsense]", "sip:a@[]",
            "sip:a@b;x=%4", "sip:a@b;=y", "sip:a%zz@b", "sip:a@b?", "sip:a@b?x", "sip:a@b>", "<sip:a@b>", "tel:",
            "tel:x y",
            "1a:b", ":a", "http:", "http:a b", "sip:a@b;x y", "sip:\u{FC}@b", "sip:a@b\u{0}",
        ])
    func malformed(text: String) {
        #expect(throws: SIPParseError.self) { try SIPURI(parsing: text) }
    }

    @Test(
        "IPv6 references are addresses",
        arguments: [
            ("::", true), ("::1", true), ("1::", true), ("1:2:3:4:5:6:7:8", true), ("1:2:3:4:5:6:7::", true),
            ("::2:3:4:5:6:7:8", true), ("::ffff:192.0.2.1", true), ("1:2:3:4:5:6:192.0.2.1", true),
            ("2001:db8::192.0.2.1", true), ("1::8", true), ("", false), (":", false), ("1", false), ("1:2", false),
            ("1:2:3:4:5:6:7", false), ("1:2:3:4:5:6:7:8:9", false), ("1::2::3", false), (":1:2:3:4:5:6:7", false),
            ("1:2:3:4:5:6:7:", false), ("12345::", false), ("::g", false), ("::192.0.2.256", false),
            ("::192.0.2", false), ("192.0.2.1::", false), ("1:2:3:4:5:6:7:192.0.2.1", false), ("::1%eth0", false),
            ("1:2:3:4:5:6:7:8::", false), ("::1:", false), (":1::", false), (":::", true), ("::::", true),
        ])
    func ipv6(address: String, isValid: Bool) {
        #expect(((try? SIPURI(parsing: "sip:a@[\(address)]")) != nil) == isValid)
    }

    @Test("What we put together is escaped")
    func building() {
        var uri = SIPURI(user: "al ice@x", host: "2001:db8::1", port: 5060)
        uri.parameters["transport"] = "tcp"
        uri.parameters["lr"] = ""
        uri.parameters["odd"] = "a;b"
        #expect(uri.description == "sip:al%20ice%40x@[2001:db8::1]:5060;transport=tcp;lr;odd=a%3Bb")
        uri.parameters["transport"] = nil
        uri.password = "p@"
        #expect(uri.description == "sip:al%20ice%40x:p%40@[2001:db8::1]:5060;lr;odd=a%3Bb")
    }

    @Test("Dial strings with # are taken and escaped")
    func hash() throws {
        let uri = try SIPURI(parsing: "sip:*21#@pbx.example")
        #expect(uri.user == "*21#")
        #expect(uri.description == "sip:*21%23@pbx.example")
    }

    @Test(
        "Equivalent, after RFC 3261 §19.1.4",
        arguments: [
            ("sip:%61lice@example.com;transport=TCP", "sip:alice@ExAmPlE.CoM;Transport=tcp"),
            ("sip:carol@chicago.example", "sip:carol@chicago.example;newparam=5"),
            ("sip:carol@chicago.example;security=on", "sip:carol@chicago.example;newparam=5"),
            (
                "sip:biloxi.example;transport=tcp;method=REGISTER?to=sip:bob%40biloxi.example",
                "sip:biloxi.example;method=REGISTER;transport=tcp?to=sip:bob%40biloxi.example"
            ),
            (
                "sip:alice@example.com?subject=project%20x&priority=urgent",
                "sip:alice@example.com?priority=urgent&subject=project%20x"
            ),
            ("tel:+1-201-555-0123", "tel:+1(201)5550123"), ("sip:a@[2001:DB8::1]", "sip:a@[2001:db8::1]"),
        ])
    func equivalent(first: String, second: String) throws {
        #expect(try SIPURI(parsing: first).isEquivalent(to: SIPURI(parsing: second)))
        #expect(try SIPURI(parsing: second).isEquivalent(to: SIPURI(parsing: first)))
    }

    @Test(
        "Not equivalent, after RFC 3261 §19.1.4",
        arguments: [
            ("SIP:ALICE@example.com;Transport=udp", "sip:alice@example.com;Transport=UDP"),
            ("sip:bob@biloxi.example", "sip:bob@biloxi.example:5060"),
            ("sip:bob@biloxi.example", "sip:bob@biloxi.example;transport=udp"),
            ("sip:bob@biloxi.example", "sip:bob@biloxi.example:6000;transport=tcp"),
            ("sip:carol@chicago.example", "sip:carol@chicago.example?Subject=next%20meeting"),
            ("sip:bob@phone21.example", "sip:bob@192.0.2.4"), ("sip:a@b", "sips:a@b"), ("sip:b", "sip:a@b"),
            ("sip:a@b;maddr=x", "sip:a@b"), ("sip:a@b;x=1", "sip:a@b;x=2"), ("sip:a@b", "sip:a:p@b"),
            ("sip:a%3Bb@c", "sip:a;b@c"), ("tel:+1201", "tel:+1202"), ("tel:1;phone-context=a", "tel:1"),
            ("urn:a:b", "urn:a:c"),
        ])
    func different(first: String, second: String) throws {
        #expect(try !SIPURI(parsing: first).isEquivalent(to: SIPURI(parsing: second)))
        #expect(try !SIPURI(parsing: second).isEquivalent(to: SIPURI(parsing: first)))
    }
}
