import SIP
import Testing

@Suite("The caller") struct CallerTests {
    private func calling(password: String? = nil) -> ScriptedPeer {
        let authenticator = password.map {
            DigestAuthenticator(
                credentials: DigestCredentials(username: "u", password: $0), hash: { _, _ in "h" }, cnonce: { "c" })
        }
        let peer = ScriptedPeer(caller: ScriptedPeer.configuration(authenticator: authenticator))
        peer.call()
        return peer
    }

    private func established() -> ScriptedPeer {
        let peer = calling()
        peer.answer(200, sdp: "answer")
        _ = peer.take()
        return peer
    }

    @Test("INVITE says what we can do and carries the offer")
    func invite() throws {
        let invite = try #require(calling().requests.first?.message)
        #expect(invite.requestURI == uri("you"))
        #expect(invite.from?.tag == "me")
        #expect(invite.to?.tag == nil)
        #expect(invite.cseq == CSeq(number: 1, method: .invite))
        #expect(invite.maxForwards == 70)
        #expect(invite.supported == ["100rel", "replaces", "norefersub"])
        #expect(invite.allow.contains(.update))
        #expect(invite.contentType?.value == "application/sdp")
        #expect(invite.headers.contains(.contact))
    }

    @Test("An outbound proxy is where the INVITE goes, not what it asks for")
    func proxy() {
        let peer = ScriptedPeer(caller: ScriptedPeer.configuration(proxy: SIPURI(host: "pbx.example")))
        peer.call()
        #expect(peer.requests.first?.hop.host == "pbx.example")
        #expect(peer.requests.first?.message.requestURI == uri("you"))
    }

    @Test("Early media is told before the ringing it comes with, and each only once")
    func earlyMedia() {
        let peer = calling()
        _ = peer.take()
        peer.answer(100)
        peer.answer(180)
        peer.answer(180)
        peer.answer(183)
        peer.answer(183, sdp: "early")
        peer.answer(180)
        #expect(peer.take() == ["ringing", "answer early", "ringing with media"])
        peer.answer(200, sdp: "final")
        #expect(peer.take() == ["ACK", "answer final", "established"])
    }

    @Test("A 2xx without SDP after early media keeps the early answer")
    func answerInProvisional() {
        let peer = calling()
        peer.answer(183, sdp: "early")
        _ = peer.take()
        peer.answer(200)
        #expect(peer.take() == ["ACK", "answer early", "established"])
    }

    @Test("A 2xx with no answer anywhere is acknowledged and ended")
    func noAnswer() {
        let peer = calling()
        _ = peer.take()
        peer.answer(200)
        #expect(peer.take().prefix(2) == ["ACK", "BYE"])
    }

    @Test("Reliable responses get a PRACK each, in order; repetitions and gaps get none")
    func reliable() {
        let peer = calling()
        _ = peer.take()
        peer.answer(183, sdp: "answer", to: .invite, [(.require, "100rel"), (.rseq, "7")])
        #expect(peer.take() == ["PRACK", "answer answer", "ringing with media"])
        #expect(peer.requests.last?.message.headers.first(.rack) == "7 1 INVITE")
        #expect(peer.requests.last?.message.cseq?.number == 2)
        peer.answer(183, sdp: "answer", to: .invite, [(.require, "100rel"), (.rseq, "7")])
        peer.answer(180, to: .invite, [(.require, "100rel"), (.rseq, "9")])
        #expect(peer.take() == [])
        peer.answer(180, to: .invite, [(.require, "100rel"), (.rseq, "8")])
        #expect(peer.take() == ["PRACK"])
        peer.answer(200, to: .prack)
        peer.answer(200, sdp: "another", to: .invite)
        // The reliable answer was the answer (RFC 6337 §3.1).
        #expect(peer.take() == ["ACK", "answer answer", "established"])
    }

    @Test("Of two forks that answer, the second is acknowledged and ended")
    func forks() {
        let peer = calling()
        peer.answer(183, tag: "x", sdp: "from x")
        peer.answer(180, tag: "y")
        _ = peer.take()
        peer.answer(200, tag: "y", sdp: "from y", to: .invite)
        #expect(peer.take() == ["ACK", "answer from y", "established"])
        peer.answer(200, tag: "x", sdp: "from x", to: .invite)
        #expect(peer.take() == ["ACK", "BYE"])
        #expect(peer.requests.last?.message.to?.tag == "x")
        #expect(peer.requests.last?.message.requestURI?.host == "x")
        peer.answer(200, tag: "y", sdp: "from y", to: .invite)
        #expect(peer.take() == ["ACK"])
        #expect(peer.acknowledgements.last?.to?.tag == "y")
        #expect(peer.session.dialog?.id.remoteTag == "y")
    }

    @Test("A challenge is answered with the next CSeq; the ACK carries the same credentials", arguments: [401, 407])
    func challenged(status: Int) {
        let peer = calling(password: "p")
        let name: HeaderName = status == 401 ? .wwwAuthenticate : .proxyAuthenticate
        let answer: HeaderName = status == 401 ? .authorization : .proxyAuthorization
        peer.answer(status, [(name, #"Digest realm="r", nonce="n", qop="auth""#)])
        let invite = peer.requests.last?.message
        #expect(invite?.cseq?.number == 2)
        #expect(invite?.headers.first(answer)?.contains("nc=00000001") == true)
        #expect(invite?.to?.tag == nil)
        peer.answer(200, sdp: "answer")
        #expect(peer.acknowledgements.last?.headers.first(answer) == invite?.headers.first(answer))
        #expect(peer.acknowledgements.last?.cseq?.number == 2)
    }

    @Test("Wrong credentials end the call")
    func wrongPassword() {
        let peer = calling(password: "p")
        peer.answer(401, [(.wwwAuthenticate, #"Digest realm="r", nonce="n""#)])
        peer.answer(401, [(.wwwAuthenticate, #"Digest realm="r", nonce="m""#)])
        #expect(peer.take().last == "ended rejected(status: 401, reason: \"Unauthorized\")")
        #expect(peer.session.isFinished)
    }

    @Test("A redirection is followed in the order of q, each place once, headers of the URI left out")
    func redirected() {
        let peer = calling()
        peer.answer(
            302,
            [(.contact, "<sip:c@c?Route=evil>;q=0.5, <sip:b@b>, <sip:you@example.net>, <sips:s@s>, <sip:b@b>;q=0.1")])
        #expect(peer.requests.last?.message.requestURI?.description == "sip:b@b")
        peer.answer(486)
        #expect(peer.requests.last?.message.requestURI?.description == "sip:c@c")
        #expect(peer.requests.last?.message.cseq?.number == 3)
        peer.answer(486)
        #expect(peer.take().last == "ended rejected(status: 486, reason: \"Busy Here\")")
    }

    @Test("A decline of the first place redirected to ends the search")
    func declined() {
        let peer = calling()
        peer.answer(302, [(.contact, "<sip:b@b>;q=0.9, <sip:c@c>;q=0.1")])
        peer.answer(603)
        #expect(peer.take().last == "ended rejected(status: 603, reason: \"Decline\")")
    }

    @Test("Redirections have an end")
    func endlessRedirection() {
        let peer = calling()
        for place in 0..<100 where !peer.session.isFinished { peer.answer(302, [(.contact, "<sip:you@h\(place)>")]) }
        #expect(peer.requests.count == 8)
        #expect(peer.session.isFinished)
    }

    @Test("Who does not answer at all was not reached")
    func silence() throws {
        let peer = calling()
        let token = try #require(peer.requests.last?.token)
        peer.act(.requestFailed(token, .timeout))
        #expect(peer.take().last == #"ended unreachable(text: "no answer")"#)
        #expect(peer.session.isFinished)
    }

    @Test("A cancelled INVITE that gets no final response is given up after 32 s")
    func deafPeer() {
        let peer = calling()
        peer.answer(180)
        peer.act(.end)
        #expect(peer.take().suffix(2) == ["cancel", "ended local"])
        peer.wait(.seconds(31))
        #expect(!peer.session.isFinished)
        peer.wait(.seconds(2))
        #expect(peer.session.isFinished)
    }

    @Test("A re-INVITE answered 481, 408 or not at all ends the call by BYE", arguments: [481, 408, 0])
    func lostDialog(status: Int) throws {
        let peer = established()
        peer.act(.renegotiate(attempt: 1))
        peer.act(.localOffer(Array("hold".utf8)))
        let token = try #require(peer.requests.last?.token)
        _ = peer.take()
        if status == 0 { peer.act(.requestFailed(token, .timeout)) } else { peer.answer(status) }
        let words = peer.take()
        #expect(words.first == "BYE")
        #expect(words.last?.hasPrefix("ended failed") == true)
    }

    @Test("A re-INVITE that cannot be sent is refused as by 503, and the call goes on")
    func unsentReinvite() throws {
        let peer = established()
        peer.act(.renegotiate(attempt: 1))
        peer.act(.localOffer(Array("hold".utf8)))
        let token = try #require(peer.requests.last?.token)
        _ = peer.take()
        peer.act(.requestFailed(token, .transport(text: "no route")))
        #expect(peer.take() == ["withdrawn", "settled 1 refused(status: 503, reason: \"no route\")"])
        peer.act(.renegotiate(attempt: 2))
        peer.act(.localOffer(Array("hold".utf8)))
        peer.answer(200, sdp: "held")
        #expect(peer.take().last == "settled 2 accepted")
    }

    @Test("A re-INVITE is challenged and goes out again", arguments: [401, 407])
    func challengedReinvite(status: Int) {
        let peer = calling(password: "p")
        peer.answer(200, sdp: "answer")
        peer.act(.renegotiate(attempt: 1))
        peer.act(.localOffer(Array("hold".utf8)))
        let name: HeaderName = status == 401 ? .wwwAuthenticate : .proxyAuthenticate
        peer.answer(status, [(name, #"Digest realm="r", nonce="n""#)])
        #expect(peer.requests.last?.message.cseq?.number == 3)
        #expect(peer.requests.last?.message.body == Array("hold".utf8))
        peer.answer(200, sdp: "held")
        #expect(peer.take().suffix(3) == ["ACK", "answer held", "settled 1 accepted"])
    }

    @Test("A re-INVITE without a final response is cancelled, and the call ended if that does not help")
    func endlessReinvite() {
        let peer = established()
        peer.act(.renegotiate(attempt: 1))
        peer.act(.localOffer(Array("hold".utf8)))
        peer.answer(100)
        _ = peer.take()
        peer.wait(.seconds(41))
        #expect(peer.take() == ["cancel"])
        peer.wait(.seconds(33))
        #expect(peer.take().first == "BYE")
    }

    @Test("491 is retried after 2.1 to 4 s by the owner of the Call-ID")
    func requestPending() {
        let peer = established()
        peer.act(.renegotiate(attempt: 1))
        peer.act(.localOffer(Array("hold".utf8)))
        _ = peer.take()
        peer.answer(491)
        #expect(peer.take() == ["withdrawn"])
        peer.wait(.milliseconds(3_999))
        #expect(peer.take() == [])
        peer.wait(.milliseconds(1))
        #expect(peer.take() == ["offer needed"])
    }

    @Test("A new Contact in a 2xx is the new target")
    func targetRefresh() {
        let peer = established()
        peer.act(.renegotiate(attempt: 1))
        peer.act(.localOffer(Array("hold".utf8)))
        peer.answer(200, sdp: "held", [(.contact, "<sip:you@elsewhere>")])
        peer.act(.end)
        #expect(peer.requests.last?.message.requestURI?.host == "elsewhere")
    }

    @Test("Responses nobody asked for do nothing")
    func stray() {
        let peer = established()
        peer.act(.response(ClientToken(rawValue: 999), SIPMessage(status: 200)))
        peer.act(.response(ClientToken(rawValue: 1), SIPMessage(status: 486)))
        peer.act(.requestFailed(ClientToken(rawValue: 1), .timeout))
        #expect(peer.take() == [])
    }
}
