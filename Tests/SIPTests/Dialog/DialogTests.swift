import SIP
import Testing

@Suite("Dialogues") struct DialogTests {
    /// What a session sends within its dialogue after this 2xx: the observable side of route set and target.
    private func bye(_ headers: [(HeaderName, String)]) throws -> (message: SIPMessage, hop: SIPURI) {
        let peer = ScriptedPeer(caller: ScriptedPeer.configuration())
        peer.call()
        peer.answer(200, sdp: "answer", headers)
        peer.act(.end)
        let last = try #require(peer.requests.last)
        return (last.message, last.hop)
    }

    @Test("The caller's route set is the Record-Route backwards")
    func routeSet() throws {
        let (bye, hop) = try bye([(.recordRoute, "<sip:p3;lr>,<sip:p2;lr>,<sip:p1;lr>"), (.contact, "<sip:you@there>")])
        #expect(bye.headers.values(.route) == ["<sip:p1;lr>", "<sip:p2;lr>", "<sip:p3;lr>"])
        #expect(bye.requestURI?.description == "sip:you@there")
        #expect(hop.host == "p1")
    }

    @Test("A strict router is put into the Request-URI, the target at the end of the route")
    func strictRouter() throws {
        let (bye, hop) = try bye([(.recordRoute, "<sip:p2;lr>,<sip:p1>"), (.contact, "<sip:you@there>")])
        #expect(bye.requestURI?.description == "sip:p1")
        #expect(bye.headers.values(.route) == ["<sip:p2;lr>", "<sip:you@there>"])
        #expect(hop.host == "p1")
    }

    @Test("Without Record-Route requests go to the Contact")
    func direct() throws {
        let (bye, hop) = try bye([(.contact, "<sip:you@there:5070;transport=tcp>")])
        #expect(bye.headers.values(.route) == [])
        #expect(hop.port == 5070)
        #expect(hop.transport == "tcp")
    }

    @Test("From, To, Call-ID and CSeq are those of the dialogue")
    func identity() throws {
        let (bye, _) = try bye([])
        #expect(bye.from?.tag == "me")
        #expect(bye.to?.tag == "you")
        #expect(bye.callID == "c1")
        #expect(bye.cseq == CSeq(number: 2, method: .bye))
        #expect(bye.maxForwards == 70)
    }

    @Test("A response without a To tag, and a request without Contact, make no dialogue")
    func refused() {
        var invite = ScriptedPeer.invite()
        #expect(Dialog(caller: invite, response: invite.response(180)) == nil)
        #expect(Dialog(caller: invite, response: invite.response(180, toTag: "x")) != nil)
        #expect(Dialog(caller: invite, response: invite.response(486, toTag: "x")) == nil)
        invite.headers.removeAll(.contact)
        #expect(Dialog(callee: invite, localTag: "x") == nil)
    }

    @Test("A peer without a From tag (RFC 2543) has the empty one")
    func noTag() throws {
        var invite = ScriptedPeer.invite()
        invite.headers.set(.from, "<sip:old@example.net>")
        let dialog = try #require(Dialog(callee: invite, localTag: "x"))
        #expect(dialog.id == Dialog.ID(callID: "c1", localTag: "x", remoteTag: ""))
    }

    @Test("A session owns the requests with its tags only")
    func ownership() throws {
        let peer = try #require(ScriptedPeer(callee: ScriptedPeer.invite()))
        #expect(peer.session.owns(callID: "c1", localTag: "me", remoteTag: "you"))
        #expect(!peer.session.owns(callID: "c1", localTag: "me", remoteTag: "other"))
        #expect(!peer.session.owns(callID: "c1", localTag: "other", remoteTag: "you"))
        #expect(!peer.session.owns(callID: "c2", localTag: "me", remoteTag: "you"))
    }
}
