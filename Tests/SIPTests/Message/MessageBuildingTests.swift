import SIP
import Testing

@Suite("Answers and requests made of others") struct MessageBuildingTests {
    static let invite = """
        INVITE sip:bob@example.com SIP/2.0
        Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1, SIP/2.0/UDP 192.0.2.2;branch=z9hG4bK2
        Via: SIP/2.0/TCP 192.0.2.3;branch=z9hG4bK3
        Record-Route: <sip:p1.example.com;lr>
        Route: <sip:p2.example.com;lr>
        Max-Forwards: 70
        From: Alice <sip:alice@example.com>;tag=1
        To: "B, ob" <sip:bob@example.com>
        Call-ID: a@b
        CSeq: 7 INVITE
        Timestamp: 54
        Contact: <sip:alice@192.0.2.3>
        Require: 100rel
        Content-Type: application/sdp
        Content-Length: %CL%

        v=0
        """

    static var request: SIPMessage { get throws { try SIPMessage(parsing: wire(invite)) } }

    @Test("A response has the request's Via, From, Call-ID and CSeq, and a To with our tag")
    func response() throws {
        let response = try Self.request.response(180, toTag: "us")
        #expect(response.startLine == .response(status: 180, reason: "Ringing"))
        #expect(response.headers.all(.via) == (try Self.request.headers.all(.via)))
        #expect(response.to?.tag == "us")
        #expect(response.to?.displayName == "B, ob")
        #expect(response.cseq == CSeq(number: 7, method: .invite))
        #expect(response.method == .invite)
        #expect(!response.headers.contains(.recordRoute) && !response.headers.contains(.timestamp))
        #expect(response.body.isEmpty)
    }

    @Test("100 has Timestamp and no tag, what makes a dialogue has Record-Route")
    func variants() throws {
        let trying = try Self.request.response(100, toTag: "us")
        #expect(trying.to?.tag == nil && trying.headers.first(.timestamp) == "54")
        #expect(try Self.request.response(200, toTag: "us", recordsRoute: true).recordRoutes.count == 1)
    }

    @Test("The tag of a request within a dialogue stays")
    func tagStays() throws {
        var request = try Self.request
        request.headers.set(.to, "<sip:bob@example.com>;tag=there")
        #expect(request.response(200, toTag: "us").to?.tag == "there")
    }

    @Test("CANCEL and ACK go the way of the request: its topmost Via, its routes, its numbers")
    func sameHop() throws {
        let request = try Self.request
        let cancel = request.cancel()
        #expect(cancel.startLine == .request(method: .cancel, uri: try SIPURI(parsing: "sip:bob@example.com")))
        #expect(cancel.headers.all(.via) == ["SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1"])
        #expect(cancel.cseq == CSeq(number: 7, method: .cancel))
        #expect(cancel.headers.first(.route) == "<sip:p2.example.com;lr>")
        #expect(cancel.headers.first(.to) == request.headers.first(.to))
        #expect(cancel.callID == "a@b" && cancel.maxForwards == 70 && cancel.from?.tag == "1")
        #expect(!cancel.headers.contains(.require) && !cancel.headers.contains(.contact) && cancel.body.isEmpty)
        let ack = request.ack(for: request.response(486, toTag: "them"))
        #expect(ack.method == .ack && ack.cseq == CSeq(number: 7, method: .ack))
        #expect(ack.to?.tag == "them")
        #expect(ack.headers.all(.via) == cancel.headers.all(.via))
        #expect(ack.verdict() == .acceptable && cancel.verdict() == .acceptable)
    }

    @Test("Content-Length is the body's, whatever the headers say, and stands once")
    func contentLength() throws {
        var message = SIPMessage(status: 200)
        message.headers.append(.contentLength, "5")
        message.headers.append(.contentLength, "6")
        message.body = Array("four".utf8)
        let text = String(decoding: message.serialized(), as: UTF8.self)
        #expect(text == "SIP/2.0 200 OK\r\nContent-Length: 4\r\n\r\nfour")
    }

    @Test("A line end inside of a value makes no header")
    func injection() throws {
        var message = SIPMessage(status: 486, reason: "Busy\r\nX: y")
        message.headers.append(.subject, "a\r\nEvil: b\r\n\r\nbody")
        let again = try SIPMessage(parsing: message.serialized())
        #expect(again.headers.count == 2)
        #expect(!again.headers.contains("Evil") && again.body.isEmpty)
    }

    @Test(
        "A request without a To, From, Call-ID or CSeq, or with two, is bad",
        arguments: [
            HeaderName.to, .from, .callID, .cseq,
        ])
    func missing(name: HeaderName) throws {
        var request = try Self.request
        request.headers.append(name, request.headers.first(name) ?? "")
        #expect(request.verdict() == .reject(status: 400, reason: "Multiple \(name)"))
        request.headers.removeAll(name)
        #expect(request.verdict() == .reject(status: 400, reason: "Missing \(name)"))
    }

    @Test("Without a usable Via nobody can be answered")
    func noVia() throws {
        var request = try Self.request
        request.headers.removeAll(.via)
        #expect(request.verdict() == .drop)
        request.headers.prepend(.via, "nonsense")
        #expect(request.verdict() == .drop)
    }

    @Test("Require is judged where the options are given, and never in CANCEL")
    func require() throws {
        let request = try Self.request
        #expect(request.verdict() == .acceptable)
        #expect(request.verdict(options: ["100rel"]) == .acceptable)
        #expect(request.verdict(options: []) == .reject(status: 420, reason: "Bad Extension", unsupported: ["100rel"]))
        var cancel = request.cancel()
        cancel.headers.append(.require, "unheard-of")
        #expect(cancel.verdict(options: []) == .acceptable)
    }
}
