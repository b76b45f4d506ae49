import MediaDescription
import SDP
import Testing

@Suite("Session descriptions (RFC 8866)") struct SessionDescriptionTests {
    @Test("The last line counts without its line ending, and LF alone ends lines")
    func lineEndings() throws {
        let text = "v=0\no=- 1 2 IN IP4 10.0.0.1\nc=IN IP4 10.0.0.1\nt=0 0\nm=audio 4000 RTP/AVP 0\na=sendonly"
        let parsed = try Sample.parse(text)
        #expect(parsed.direction(of: parsed.media[0]) == .sendonly)
        #expect(parsed.name == "-")
    }

    @Test("Unknown lines and empty ones are skipped")
    func unknown() throws {
        let parsed = try Sample.parse(
            "v=0\r\no=- 1 2 IN IP4 10.0.0.1\r\nq=?\r\nb=AS:64\r\n\r\nm=audio 9 RTP/AVP 0\r\n\r\n")
        #expect(parsed.media.count == 1)
    }

    @Test("Direction and connection of the session are the media's default, the media's own win")
    func defaults() throws {
        let parsed = try Sample.parse(
            "v=0\r\no=- 1 2 IN IP4 10.0.0.1\r\nc=IN IP4 10.0.0.1\r\na=recvonly\r\nm=audio 9 RTP/AVP 0\r\n"
                + "m=audio 11 RTP/AVP 0\r\nc=IN IP6 2001:db8::1\r\na=inactive\r\n")
        #expect(parsed.direction(of: parsed.media[0]) == .recvonly)
        #expect(parsed.connection(of: parsed.media[0])?.address == "10.0.0.1")
        #expect(parsed.direction(of: parsed.media[1]) == .inactive)
        #expect(parsed.connection(of: parsed.media[1])?.address == "2001:db8::1")
    }

    @Test(
        "An error names its line",
        arguments: [
            ("", 0), ("v=1", 1), ("o=- 1 1 IN IP4 1.1.1.1", 1), ("v=0\r\nt=0 0", 0),
            ("v=0\r\no=- x 1 IN IP4 1.1.1.1", 2),
            ("v=0\r\no=- 1 1 IN IP4", 2), ("v=0\r\no=- 1 1 IN IP4 1.1.1.1\r\nc=IN IP4", 3),
            ("v=0\r\no=- 1 1 IN IP4 1.1.1.1\r\ngarbage", 3),
            ("v=0\r\no=- 1 1 IN IP4 1.1.1.1\r\nm=audio 70000 RTP/AVP 0", 3),
            ("v=0\r\no=- 1 1 IN IP4 1.1.1.1\r\nm=audio 1/x RTP/AVP 0", 3),
            ("v=0\r\no=- 1 1 IN IP4 1.1.1.1\r\nm=audio 1 RTP/AVP", 3),
            ("v=0\r\no=- 1 1 IN IP4 1.1.1.1\r\nm=audio -1 RTP/AVP 0", 3),
            ("v=0\r\no=- 1 1 IN IP4 1.1.1.1\r\ns=\u{0}", 3),
        ])
    func errors(text: String, line: Int) {
        do throws(SDPParseError) {
            _ = try SessionDescription(parsing: Array(text.utf8))
            Issue.record("parsed")
        } catch {
            #expect(error.line == line)
        }
    }

    @Test("Size, lines and m-lines are bounded")
    func bounds() {
        let head = "v=0\r\no=- 1 1 IN IP4 1.1.1.1\r\n"
        for text in [
            head + "s=" + String(repeating: "x", count: 33_000), head + String(repeating: "a=x\r\n", count: 1_000),
            head + String(repeating: "m=audio 1 RTP/AVP 0\r\n", count: 33),
        ] {
            #expect(throws: SDPParseError.self) { try Sample.parse(text) }
        }
    }

    @Test("What is printed is parsed back the same")
    func roundTrip() throws {
        var negotiator = Sample.negotiator()
        let offer = negotiator.offer(direction: .sendrecv, local: Sample.local)
        #expect(try SessionDescription(parsing: offer.serialized()) == offer)
    }
}
