import SIP
import Testing

@Suite("Header values") struct HeaderValueTests {
    @Test(
        "Addresses with and without name and brackets",
        arguments: [
            ("<sip:a@b>", nil, "sip:a@b", nil), ("sip:a@b;tag=x", nil, "sip:a@b", "x"),
            ("<sip:a@b;p=q>;tag=x", nil, "sip:a@b;p=q", "x"), ("Bob <sip:a@b>", "Bob", "sip:a@b", nil),
            (#""Bob \"B\" <x>" <sip:a@b> ; tag = y"#, #"Bob "B" <x>"#, "sip:a@b", "y"),
            ("Bob  Ray<sip:a@b>;tag=z;other", "Bob  Ray", "sip:a@b", "z"), ("<tel:+1201>", nil, "tel:+1201", nil),
            (#""" <sip:a@b>"#, nil, "sip:a@b", nil), ("M\u{FC}ller <sip:a@b>", "M\u{FC}ller", "sip:a@b", nil),
            ("<sip:a@b;lr>;;tag=;x", nil, "sip:a@b;lr", nil), ("<sip:a@b>;x=<y", nil, "", nil),
            ("sip:a@b;x=\"y;tag=no\";tag=yes", nil, "sip:a@b", "yes"),
        ] as [(String, String?, String, String?)])
    func addresses(text: String, name: String?, uri: String, tag: String?) throws {
        guard !uri.isEmpty else {
            #expect(throws: SIPParseError.self) { try NameAddress(parsing: text) }
            return
        }
        let address = try NameAddress(parsing: text)
        #expect(address.displayName == name)
        #expect(address.uri.description == uri)
        #expect(address.tag == tag)
        #expect(try NameAddress(parsing: address.description) == address)
    }

    @Test(
        "Malformed addresses are refused",
        arguments: [
            "", "<>", "<sip:a@b", "sip:a@b>", "\"Bob <sip:a@b>", "Bob", "\"Bob\"", "\"Bob\" sip:a@b",
            "Bell, A <sip:a@b>",
            "sip:a@b?x=y", "sip:a,b@c", "<sip:a@b> x", "<sip:a@b>;tag=\"x", "<sip:a@b>;=x", "a@b <sip:a@b>",
            "<sip:a@b>, <sip:c@d>",
        ])
    func malformedAddresses(text: String) {
        #expect(throws: SIPParseError.self) { try NameAddress(parsing: text) }
    }

    @Test("An address that we make is quoted where it must be")
    func buildingAddress() throws {
        var address = NameAddress(displayName: #"A "B" \"#, uri: SIPURI(user: "a", host: "b"), tag: "t")
        address.parameters["expires"] = "60"
        address.parameters["text"] = "two words"
        #expect(address.description == #""A \"B\" \\" <sip:a@b>;tag=t;expires=60;text="two words""#)
        #expect(try NameAddress(parsing: address.description) == address)
    }

    @Test("Via with all of its parameters")
    func via() throws {
        let via = try Via(
            parsing: "SIP/2.0/UDP [2001:db8::9]:5070;branch=z9hG4bKx;received=192.0.2.1;rport=61000;maddr=m;ttl=16")
        #expect(via.transport == "UDP" && via.host == "2001:db8::9" && via.port == 5070)
        #expect(via.branch == "z9hG4bKx" && via.received == "192.0.2.1" && via.rport == 61_000)
        #expect(via.maddr == "m" && via.ttl == 16)
        #expect(try Via(parsing: via.description) == via)
    }

    @Test(
        "Malformed Vias are refused",
        arguments: [
            "", "SIP/2.0/UDP", "SIP/2.0/UDP ", "SIP/2.0 host", "HTTP/1.1/TCP host", "SIP/3.0/UDP host",
            "SIP/2.0/UDP host:",
            "SIP/2.0/UDP host:99999", "SIP/2.0/UDP host x", "SIP/2.0/UDP [::1", "SIP/2.0/UDP ;branch=x", ";",
        ])
    func malformedVia(text: String) {
        #expect(throws: SIPParseError.self) { try Via(parsing: text) }
    }

    @Test("rport without a value asks for one")
    func rport() throws {
        var via = try Via(parsing: "SIP/2.0/UDP h;rport;branch=z9hG4bK1")
        #expect(via.wantsRport && via.rport == nil)
        via.rport = 4000
        via.received = "2001:db8::7"
        #expect(via.description == "SIP/2.0/UDP h;rport=4000;branch=z9hG4bK1;received=2001:db8::7")
        #expect(try Via(parsing: "SIP/2.0/UDP h;rport=70000").rport == nil)
    }

    @Test(
        "CSeq and RAck",
        arguments: [
            ("1 INVITE", 1), ("2147483647 INVITE", 2_147_483_647), ("  007   INVITE  ", 7), ("2147483648 INVITE", nil),
            ("INVITE", nil), ("1", nil), ("1INVITE", nil), ("-1 INVITE", nil), ("1 IN VITE", nil), ("", nil),
        ] as [(String, UInt32?)])
    func cseq(text: String, number: UInt32?) {
        #expect((try? CSeq(parsing: text))?.number == number)
        let rack = try? RAck(parsing: "4294967295 " + text)
        #expect(rack?.cseq.number == number)
        #expect(rack?.responseNumber == (number == nil ? nil : .max))
    }

    @Test("Words with parameters")
    func tokens() throws {
        var message = SIPMessage(status: 200)
        message.headers.append(.contentType, "Application / SDP ; charset=\"utf-8\"")
        message.headers.append(.reason, "SIP ;cause=200 ;text=\"Call completed elsewhere\", Q.850;cause=16")
        #expect(message.contentType?.isValue("application/sdp") == true)
        #expect(message.contentType?.parameters["charset"] == "utf-8")
        #expect(message.tokens(.reason).map { $0.parameters["cause"] } == ["200", "16"])
        #expect(message.token(.reason)?.parameters["text"] == "Call completed elsewhere")
        #expect(message.token(.event) == nil)
    }
}
