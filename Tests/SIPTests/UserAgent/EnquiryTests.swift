import SIP
import Testing

@Suite("Asking a silent peer whether it still has the call") struct EnquiryTests {
    private func established() throws -> ScriptedPeer {
        let peer = try #require(ScriptedPeer(callee: ScriptedPeer.invite()))
        peer.act(.accept(Array("answer".utf8)))
        peer.acknowledge()
        _ = peer.take()
        return peer
    }

    private func fail(_ peer: ScriptedPeer, _ failure: RequestFailure, method: SIPMethod = .options) throws {
        let sent = try #require(peer.requests.last { $0.message.method == method })
        peer.act(.requestFailed(sent.token, failure))
    }

    @Test(
        "OPTIONS within the dialogue; whatever a peer answers that has the call, it goes on",
        arguments: [200, 403, 405, 486, 500, 503])
    func lives(status: Int) throws {
        let peer = try established()
        peer.act(.enquire)
        #expect(peer.take() == ["OPTIONS"])
        let options = try #require(peer.requests.last?.message)
        #expect(options.to?.tag == "you" && options.from?.tag == "me" && options.callID == "c1")
        #expect(options.requestURI?.description == "sip:you@peer")
        #expect(options.headers.first(.accept) == "application/sdp")
        let first = try #require(options.cseq?.number)
        peer.answer(100)
        // One at a time.
        peer.act(.enquire)
        peer.answer(status)
        #expect(peer.take() == [])
        #expect(peer.session.deadline == nil)
        peer.act(.enquire)
        #expect(peer.take() == ["OPTIONS"])
        #expect(peer.requests.last?.message.cseq?.number == first + 1)
    }

    @Test("A peer that no longer has the call is told of its end all the same", arguments: [408, 481])
    func lost(status: Int) throws {
        let peer = try established()
        peer.act(.enquire)
        peer.answer(status)
        #expect(peer.take() == ["OPTIONS", "peer lost"])
        peer.act(.end)
        #expect(peer.take() == ["BYE", "ended local"])
        try fail(peer, .timeout, method: .bye)
        #expect(peer.take() == [])
        #expect(peer.session.isFinished)
    }

    @Test("No answer at all")
    func silent() throws {
        let peer = try established()
        peer.act(.enquire)
        try fail(peer, .timeout)
        #expect(peer.take() == ["OPTIONS", "peer lost"])
    }

    @Test("What cannot be sent is sent once more after 32 s, when the network may be back", arguments: [true, false])
    func unreachable(isBack: Bool) throws {
        let peer = try established()
        peer.act(.enquire)
        try fail(peer, .transport(text: "no route to host"))
        peer.act(.enquire)
        peer.wait(.seconds(31))
        #expect(peer.take() == ["OPTIONS"])
        peer.wait(.seconds(1))
        #expect(peer.take() == ["OPTIONS"])
        if isBack { peer.answer(200) } else { try fail(peer, .transport(text: "no route to host")) }
        #expect(peer.take() == (isBack ? [] : ["peer lost"]))
        #expect(peer.session.deadline == nil)
    }

    @Test("Nothing is asked while a re-INVITE of ours is under way; one that is wished meanwhile need not wait")
    func besideOffers() throws {
        let peer = try established()
        peer.act(.renegotiate(attempt: 1))
        peer.act(.enquire)
        peer.act(.localOffer(Array("o1".utf8)))
        peer.act(.enquire)
        #expect(peer.take() == ["offer needed", "INVITE"])
        peer.answer(200, sdp: "a1")
        _ = peer.take()
        peer.act(.enquire)
        peer.act(.renegotiate(attempt: 2))
        peer.act(.localOffer(Array("o2".utf8)))
        #expect(peer.take() == ["OPTIONS", "offer needed", "INVITE"])
        let numbers = peer.requests.compactMap { $0.message.cseq?.number }
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
        peer.answer(200, to: .options)
        peer.answer(200, sdp: "a2", to: .invite)
        #expect(peer.take().last == "settled 2 accepted")
    }

    @Test("A request of the peer tells as much as an answer")
    func peerAsks() throws {
        let peer = try established()
        peer.act(.enquire)
        peer.send(.info)
        try fail(peer, .timeout)
        #expect(peer.take() == ["OPTIONS", "200"])
    }

    @Test("Nobody is asked before the call is up, and nothing is left of a question when it is over")
    func otherwise() throws {
        let ringing = try #require(ScriptedPeer(callee: ScriptedPeer.invite()))
        _ = ringing.take()
        ringing.act(.enquire)
        #expect(ringing.take() == [])
        for isWaiting in [true, false] {
            let peer = try established()
            peer.act(.enquire)
            if isWaiting { try fail(peer, .transport(text: "no route to host")) }
            peer.act(.end)
            peer.answer(200, to: .bye)
            if !isWaiting { peer.answer(481, to: .options) }
            #expect(peer.take() == ["OPTIONS", "BYE", "ended local"])
            #expect(peer.session.isFinished)
        }
    }
}
