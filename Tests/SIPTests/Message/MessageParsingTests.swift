import SIP
import Testing

@Suite("Reading messages") struct MessageParsingTests {
    static let options = """
        OPTIONS sip:bob@example.com SIP/2.0
        Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1
        From: <sip:alice@example.com>;tag=1
        To: <sip:bob@example.com>
        Call-ID: a@b
        CSeq: 1 OPTIONS

        """

    @Test(
        "Compact names are the long ones",
        arguments: [
            ("i", HeaderName.callID), ("m", .contact), ("e", .contentEncoding), ("l", .contentLength),
            ("c", .contentType), ("f", .from), ("s", .subject), ("k", .supported), ("t", .to), ("v", .via),
            ("r", .referTo), ("b", .referredBy), ("x", .sessionExpires), ("o", .event), ("u", .allowEvents),
            ("V", .via), ("call-id", .callID), ("CALL-ID", .callID), ("www-authenticate", .wwwAuthenticate),
        ])
    func compactForms(text: String, name: HeaderName) {
        #expect(HeaderName(text) == name)
        #expect(HeaderName(text).description == name.description)
    }

    @Test("Unknown names are compared without regard to case and printed as they came")
    func unknownNames() {
        #expect(HeaderName("X-Thing") == "x-thing")
        #expect(HeaderName("X-Thing").description == "X-Thing")
        #expect(HeaderName("X-Thing") != "X-Other")
    }

    @Test("Lines may end in LF alone, and the last one not at all")
    func lineEnds() throws {
        let lineFeeds = try SIPMessage(parsing: Array(Self.options.utf8))
        #expect(try SIPMessage(parsing: wire(Self.options)) == lineFeeds)
        #expect(try SIPMessage(parsing: Array(Self.options.utf8.dropLast())) == lineFeeds)
        #expect(try SIPMessage(parsing: Array("\r\n\r\n".utf8) + wire(Self.options)) == lineFeeds)
    }

    @Test("A span reads like an array")
    func span() throws {
        let octets = wire(Self.options)
        #expect(try SIPMessage(parsing: octets.span) == SIPMessage(parsing: octets))
    }

    @Test(
        "What follows the body in a datagram is cut off, a body that is too short is a defect",
        arguments: [
            ("4", "body", false), ("2", "bo", false), ("0", "", false), ("5", "body", true), ("x", "body", true),
            ("-1", "body", true), ("99999999999999999999", "body", true),
        ])
    func contentLength(length: String, body: String, isDefect: Bool) throws {
        let message = try SIPMessage(parsing: wire(Self.options + "Content-Length: \(length)\n\nbody"))
        #expect(message.body == Array(body.utf8))
        #expect(message.defects.isEmpty != isDefect)
    }

    @Test("Without Content-Length the body is the rest of the datagram")
    func withoutContentLength() throws {
        #expect(try SIPMessage(parsing: wire(Self.options + "\nbody")).body == Array("body".utf8))
    }

    @Test("A line that is no header makes a request bad, the others are still read")
    func malformedLine() throws {
        let message = try SIPMessage(parsing: wire(Self.options + "no header at all\nSubject: x\n\n"))
        #expect(message.defects == [.malformedHeaderLine])
        #expect(message.headers.first(.subject) == "x")
        #expect(message.verdict() == .reject(status: 400, reason: "Malformed Header"))
    }

    @Test(
        "What is no SIP is refused",
        arguments: [
            "GET / HTTP/1.1\n\n", "SIP/2.0 99 Low\n\n", "SIP/2.0 700 High\n\n", "SIP/2.0 2000 OK\n\n", "SIP/2.0\n\n",
            "SIP/3.0 200 OK\n\n", "INVITE\n\n", "INVITE sip:a@b\n\n", "INV\u{0}ITE sip:a@b SIP/2.0\n\n", " \n\n",
            "\u{0}",
            "INVITE SIP/2.0",
        ])
    func noSIP(text: String) throws {
        do throws(SIPParseError) {
            let message = try SIPMessage(parsing: wire(text))
            #expect(message.defects.contains(.malformedRequestLine))
        } catch {
            #expect(error == .malformedStartLine)
        }
    }

    @Test("Nothing, and nothing but line ends, is empty", arguments: ["", "\n", "\n\n\n"])
    func empty(text: String) {
        #expect(throws: SIPParseError.empty) { try SIPMessage(parsing: wire(text)) }
    }

    @Test("Size, number of headers and length of a header have limits")
    func limits() throws {
        let start = "OPTIONS sip:b@example.com SIP/2.0\r\n"
        let tooLarge = [UInt8](repeating: 0x41, count: SIPMessage.maximumSize + 1)
        #expect(throws: SIPParseError.tooLarge(octets: 65_537)) { try SIPMessage(parsing: tooLarge) }
        let many = start + String(repeating: "A: b\r\n", count: SIPMessage.maximumHeaderCount)
        #expect(try SIPMessage(parsing: Array(many.utf8)).headers.count == SIPMessage.maximumHeaderCount)
        #expect(throws: SIPParseError.tooManyHeaders) { try SIPMessage(parsing: Array((many + "A: b\r\n").utf8)) }
        let long = start + "A: " + String(repeating: "b", count: SIPMessage.maximumLineLength)
        #expect(throws: SIPParseError.lineTooLong) { try SIPMessage(parsing: Array(long.utf8)) }
        let folded = start + "A: b" + String(repeating: "\r\n " + String(repeating: "c", count: 1000), count: 17)
        #expect(throws: SIPParseError.lineTooLong) { try SIPMessage(parsing: Array(folded.utf8)) }
    }

    @Test("Continuation lines are joined by one space")
    func folding() throws {
        let message = try SIPMessage(
            parsing: wire(Self.options + "Subject: one\n two\n\t  three  \nSubject:\n  four\n\n"))
        #expect(message.headers.all(.subject) == ["one two three", "four"])
    }

    @Test("Octets that are not UTF-8 do no harm")
    func invalidUTF8() throws {
        var octets = wire(Self.options)
        octets += Array("Subject: M".utf8) + [0xFC] + Array("ller\r\n\r\n".utf8)
        #expect(try SIPMessage(parsing: octets).headers.first(.subject) == "M\u{FFFD}ller")
    }

    @Test("Single values are nil, lists throw where the text is malformed")
    func malformedValues() throws {
        let message = try SIPMessage(
            parsing: wire(
                """
                OPTIONS sip:bob@example.com SIP/2.0
                Via: SIP/2.0/UDP host, nonsense
                From: <sip:alice@
                Call-ID: two words
                CSeq: 4294967296 OPTIONS
                Contact: <sip:a@b>, <
                Max-Forwards: 256
                Expires: soon
                RSeq: -1
                RAck: 1 2
                Retry-After: 18000;duration=3600
                Min-Expires: 60 (a minute)


                """))
        #expect(message.topVia?.host == "host")
        #expect(throws: SIPParseError.self) { try message.vias }
        #expect(throws: SIPParseError.self) { try message.contacts }
        #expect(message.from == nil && message.to == nil && message.callID == nil && message.cseq == nil)
        #expect(message.maxForwards == nil && message.expires == nil && message.rseq == nil && message.rack == nil)
        #expect(message.retryAfter == 18_000)
        #expect(message.minExpires == 60)
    }
}
