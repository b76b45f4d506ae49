import SIP
import Testing

@Suite("Matching messages to transactions") struct TransactionKeyTests {
    @Test("Branch, sent-by and method tell a server transaction; an ACK belongs to its INVITE")
    func branches() throws {
        let key = try #require(TransactionKey(serverRequest: Sample.invite))
        #expect(TransactionKey(serverRequest: Sample.ack) == key)
        #expect(TransactionKey(serverRequest: Sample.invite.cancel()) != key)
        #expect(TransactionKey(cancelledBy: Sample.invite.cancel()) == key)
        #expect(TransactionKey(serverRequest: Sample.request(.invite, branch: "z9hG4bK2")) != key)
        #expect(TransactionKey(serverRequest: Sample.request(.options)) != key)
        var other = Sample.invite
        other.headers.set(.via, "SIP/2.0/UDP 192.0.2.1:5070;branch=z9hG4bK1")
        #expect(TransactionKey(serverRequest: other) != key)
        var changed = Sample.invite
        changed.headers.set(.callID, "another")
        changed.headers.set(.via, "SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK1;received=192.0.2.99")
        #expect(TransactionKey(serverRequest: changed) == key)
    }

    @Test("A response belongs to the client transaction of its branch and CSeq method")
    func responses() throws {
        let key = try #require(TransactionKey(clientRequest: Sample.invite))
        #expect(TransactionKey(response: Sample.answer(200)) == key)
        #expect(TransactionKey(response: Sample.answer(200, to: Sample.invite.cancel())) != key)
        #expect(TransactionKey(response: SIPMessage(status: 200)) == nil)
    }

    static let legacy: SIPMessage = {
        var request = Sample.invite
        request.headers.set(.via, "SIP/2.0/UDP 192.0.2.1")
        return request
    }()

    @Test(
        "Without the cookie, URI, From tag, Call-ID, CSeq and Via do",
        arguments: [
            (HeaderName.from, "<sip:alice@example.com>;tag=z"), (.callID, "z"), (.cseq, "2 INVITE"),
            (.via, "SIP/2.0/UDP 192.0.2.2"),
        ])
    func legacyKeys(name: HeaderName, value: String) throws {
        let key = try #require(TransactionKey(serverRequest: Self.legacy))
        #expect(TransactionKey(serverRequest: Self.legacy.ack(for: Sample.answer(486, to: Self.legacy))) == key)
        #expect(TransactionKey(cancelledBy: Self.legacy.cancel()) == key)
        var noted = Self.legacy
        noted.headers.set(.via, "SIP/2.0/UDP 192.0.2.1;rport=1;received=192.0.2.99")
        #expect(TransactionKey(serverRequest: noted) == key)
        var other = Self.legacy
        other.headers.set(name, value)
        #expect(TransactionKey(serverRequest: other) != key)
        other = Self.legacy
        other.startLine = .request(method: .invite, uri: SIPURI(host: "elsewhere"))
        #expect(TransactionKey(serverRequest: other) != key)
    }

    @Test("From tag, Call-ID and CSeq tell a merged request, outside of dialogues only")
    func merged() throws {
        let key = try #require(MergedRequestKey(Sample.invite))
        #expect(MergedRequestKey(Sample.request(.invite, branch: "z9hG4bKother")) == key)
        var next = Sample.invite
        next.headers.set(.cseq, "2 INVITE")
        #expect(MergedRequestKey(next) != key)
        var inside = Sample.invite
        inside.headers.set(.to, "<sip:bob@example.com>;tag=b")
        #expect(MergedRequestKey(inside) == nil)
    }
}
