import SIP
import Testing

@Suite("The callee") struct CalleeTests {
    private func ringing(_ headers: [(HeaderName, String)] = [], sdp: String? = "offer", offer: String? = nil) throws
        -> ScriptedPeer
    {
        try #require(ScriptedPeer(callee: ScriptedPeer.invite(sdp: sdp, headers), ring: offer))
    }

    private func established() throws -> ScriptedPeer {
        let peer = try ringing()
        peer.act(.accept(Array("answer".utf8)))
        peer.acknowledge()
        _ = peer.take()
        return peer
    }

    @Test("180 and 200 carry our tag, Contact and the recorded route")
    func responses() throws {
        let peer = try ringing([(.recordRoute, "<sip:p1;lr>, <sip:p2;lr>")])
        peer.act(.accept(Array("answer".utf8)))
        #expect(peer.responses.map(\.status) == [180, 200])
        for response in peer.responses {
            #expect(response.to?.tag == "me")
            #expect(response.headers.contains(.contact))
            #expect(response.headers.all(.recordRoute) == ["<sip:p1;lr>, <sip:p2;lr>"])
        }
        peer.acknowledge()
        peer.act(.end)
        #expect(peer.requests.last?.message.headers.values(.route) == ["<sip:p1;lr>", "<sip:p2;lr>"])
        #expect(peer.requests.last?.hop.host == "p1")
    }

    @Test("Without Require: 100rel nothing is sent reliably")
    func unreliable() throws {
        let peer = try ringing([(.supported, "100rel")])
        #expect(peer.responses.first?.rseq == nil)
        #expect(peer.session.deadline == nil)
    }

    @Test("A reliable 180 is repeated until its PRACK, at 500 ms and twice as long each time")
    func reliable() throws {
        let peer = try ringing([(.require, "100rel")])
        #expect(peer.responses.first?.require == ["100rel"])
        let number = try #require(peer.responses.first?.rseq)
        var times: [Int] = []
        for _ in 0..<8_000 {
            peer.wait(.milliseconds(1))
            if !peer.take().isEmpty { times.append(peer.milliseconds) }
        }
        #expect(times == [1, 500, 1_500, 3_500, 7_500])
        peer.send(.prack, [(.rack, "\(number + 1) 1 INVITE")])
        #expect(peer.take() == ["481"])
        peer.send(.prack, [(.rack, "\(number) 1 INVITE")])
        #expect(peer.take() == ["200"])
        #expect(peer.session.deadline == nil)
    }

    @Test("The 200 waits for the PRACK of a reliable 180")
    func acceptWaits() throws {
        let peer = try ringing([(.require, "100rel")])
        let number = try #require(peer.responses.first?.rseq)
        _ = peer.take()
        peer.act(.accept(Array("answer".utf8)))
        #expect(peer.take() == [])
        peer.send(.prack, [(.rack, "\(number) 1 INVITE")])
        #expect(peer.take() == ["200", "200"])
        #expect(peer.responses.last?.body == Array("answer".utf8))
    }

    @Test("A reliable 180 that nobody acknowledges ends the call with 504 after 32 s")
    func noPRACK() throws {
        let peer = try ringing([(.require, "100rel")])
        peer.wait(.milliseconds(31_999))
        #expect(!peer.words.contains("504"))
        peer.wait(.milliseconds(1))
        #expect(peer.take().contains("504"))
        #expect(peer.session.isFinished)
    }

    @Test("An offerless INVITE gets our offer in the 200 and is answered by the ACK")
    func offerless() throws {
        let peer = try ringing(sdp: nil)
        #expect(peer.session.remoteOffer == nil)
        peer.act(.accept(Array("ours".utf8)))
        _ = peer.take()
        peer.acknowledge(sdp: "theirs")
        #expect(peer.take() == ["answer theirs", "established"])
    }

    @Test("An ACK without the answer ends the call by BYE")
    func emptyACK() throws {
        let peer = try ringing(sdp: nil)
        peer.act(.accept(Array("ours".utf8)))
        _ = peer.take()
        peer.acknowledge()
        let words = peer.take()
        #expect(words.first == "BYE")
        #expect(words.last?.hasPrefix("ended failed") == true)
    }

    @Test("An offerless INVITE that requires 100rel gets our offer in the 180, and its PRACK answers it")
    func offerlessReliable() throws {
        let peer = try ringing([(.require, "100rel")], sdp: nil, offer: "ours")
        let number = try #require(peer.responses.first?.rseq)
        #expect(peer.responses.first?.body == Array("ours".utf8))
        _ = peer.take()
        peer.send(.prack, sdp: "theirs", [(.rack, "\(number) 1 INVITE")])
        #expect(peer.take() == ["answer theirs", "200"])
        peer.act(.accept(nil))
        #expect(peer.responses.last?.body == [])
        peer.acknowledge()
        #expect(peer.take().last == "established")
    }

    @Test(
        "CANCEL has its reason",
        arguments: [
            (nil, "nil"), ("SIP;cause=200;text=\"Call completed elsewhere\"", "Optional(200)"),
            ("Q.850;cause=16, SIP;cause=603", "Optional(603)"), ("SIP;text=x", "nil"), ("garbage;;=", "nil"),
        ])
    func cancelled(reason: String?, cause: String) throws {
        let peer = try ringing()
        _ = peer.take()
        var cancel = ScriptedPeer.invite(sdp: nil).cancel()
        if let reason { cancel.headers.append(.reason, reason) }
        #expect(peer.session.isCancelled(by: cancel))
        peer.send(cancel)
        #expect(peer.take() == ["200", "487", "ended cancelled(cause: \(cause))"])
        #expect(peer.session.isFinished)
    }

    @Test("A CANCEL of another transaction is 481, one that comes too late changes nothing")
    func otherCancel() throws {
        let peer = try ringing()
        _ = peer.take()
        peer.send(ScriptedPeer.invite(sdp: nil, sequence: 2).cancel())
        #expect(peer.take() == ["481"])
        peer.act(.accept(Array("answer".utf8)))
        _ = peer.take()
        peer.send(ScriptedPeer.invite(sdp: nil).cancel())
        #expect(peer.take() == ["200"])
    }

    @Test("BYE while it rings ends the call and answers the INVITE 487")
    func earlyBye() throws {
        let peer = try ringing()
        _ = peer.take()
        peer.send(.bye)
        #expect(peer.take() == ["200", "487", "ended remote"])
    }

    @Test("An INVITE over one that is not answered gets 500 with Retry-After")
    func overlapping() throws {
        let peer = try ringing()
        peer.send(.invite, sdp: "second")
        #expect(peer.responses.last?.status == 500)
        #expect(peer.responses.last?.retryAfter == 10)
    }

    @Test("A re-INVITE that meets ours gets 491")
    func glare() throws {
        let peer = try established()
        peer.act(.renegotiate(attempt: 1))
        peer.act(.localOffer(Array("hold".utf8)))
        _ = peer.take()
        peer.send(.invite, sdp: "theirs")
        #expect(peer.take() == ["491"])
        peer.send(.update, sdp: "theirs")
        #expect(peer.take() == ["491"])
    }

    @Test("A re-INVITE is answered, an offerless one with our offer, a bad one refused")
    func reinvites() throws {
        let peer = try established()
        peer.send(.invite, sdp: "theirs")
        peer.act(.localAnswer(Array("ours".utf8)))
        #expect(peer.take() == ["offer theirs", "200"])
        peer.acknowledge(11)
        peer.send(.invite)
        peer.act(.localOffer(Array("our offer".utf8)))
        peer.acknowledge(12, sdp: "their answer")
        #expect(peer.take() == ["offer needed", "200", "answer their answer"])
        peer.send(.invite, sdp: "bad")
        peer.act(.offerRefused(status: 488, reason: "No"))
        #expect(peer.take() == ["offer bad", "488"])
        peer.send(.bye)
        #expect(peer.take() == ["200", "ended remote"])
    }

    @Test("A re-INVITE while the ACK is awaited is taken for the ACK, unless it must bring an answer")
    func reinviteForACK() throws {
        let peer = try ringing()
        peer.act(.accept(Array("answer".utf8)))
        _ = peer.take()
        peer.send(.invite, sdp: "again")
        #expect(peer.take() == ["established", "offer again"])
        let offering = try ringing(sdp: nil)
        offering.act(.accept(Array("ours".utf8)))
        _ = offering.take()
        offering.send(.invite, sdp: "again")
        #expect(offering.take() == ["491"])
    }

    @Test("UPDATE: with an offer it is answered, without one it is 200, before our answer it must wait")
    func update() throws {
        let ringing = try ringing()
        _ = ringing.take()
        ringing.send(.update, sdp: "early")
        #expect(ringing.responses.last?.status == 500)
        #expect(ringing.responses.last?.retryAfter == 10)
        let peer = try established()
        peer.send(.update, sdp: "theirs")
        peer.act(.localAnswer(Array("ours".utf8)))
        #expect(peer.take() == ["offer theirs", "200"])
        #expect(peer.responses.last?.body == Array("ours".utf8))
        peer.send(.update, [(.contact, "<sip:you@moved>")])
        #expect(peer.take() == ["200"])
        peer.act(.end)
        #expect(peer.requests.last?.message.requestURI?.host == "moved")
    }

    @Test("A request with a sequence number that has passed gets 500")
    func outOfOrder() throws {
        let peer = try established()
        peer.send(.options)
        peer.send(ScriptedPeer.request(.options, sequence: 3))
        #expect(peer.take() == ["200", "500"])
    }

    @Test(
        "What is asked within a dialogue is answered as the RFCs say",
        arguments: [
            (SIPMethod.options, [], "200"), (.subscribe, [], "405"), (SIPMethod(rawValue: "FOO"), [], "405"),
            (.refer, [], "400"), (.notify, [], "489"), (.info, [], "200"),
            (.options, [(HeaderName.require, "gruu")], "420"),
            (.info, [(HeaderName.contentEncoding, "gzip")], "200"), (.prack, [], "481"),
        ] as [(SIPMethod, [(HeaderName, String)], String)])
    func requests(method: SIPMethod, headers: [(HeaderName, String)], answer: String) throws {
        let peer = try established()
        peer.send(method, headers)
        #expect(peer.take() == [answer])
        if answer == "405" || method == .options && answer == "200" {
            #expect(peer.responses.last?.allow.contains(.invite) == true)
        }
        if answer == "420" { #expect(peer.responses.last?.headers.first(.unsupported) == "gruu") }
    }

    @Test(
        "DTMF by INFO",
        arguments: [
            ("application/dtmf-relay", "Signal=5\r\nDuration=160", "digit 5 160"),
            ("application/dtmf-relay", "Signal = * \nDuration = 99999", "digit * 10000"),
            ("Application/DTMF-Relay", "signal=11", "digit # 250"), ("application/dtmf", "7", "digit 7 250"),
            ("application/dtmf", " a\r\n", "digit A 250"), ("application/dtmf", "77", nil),
            ("application/dtmf-relay", "Duration=5", nil), ("application/dtmf-relay", "Signal=", nil),
            ("text/plain", "5", nil), ("application/dtmf", String(repeating: " ", count: 600) + "5", nil),
        ] as [(String, String, String?)])
    func info(type: String, body: String, told: String?) throws {
        let peer = try established()
        var info = ScriptedPeer.request(.info, sequence: 20, [(.contentType, type)])
        info.body = Array(body.utf8)
        peer.send(info)
        #expect(peer.take() == (told.map { ["200", $0] } ?? ["415"]))
    }

    @Test("A body that is not SDP gets 415 with what is accepted")
    func otherBody() throws {
        let peer = try established()
        for method in [SIPMethod.invite, .update] {
            peer.send(method, sdp: "x", [(.contentType, "text/plain")])
            #expect(peer.responses.last?.status == 415)
            #expect(peer.responses.last?.headers.first(.accept) == "application/sdp")
        }
    }

    @Test(
        "An INVITE whose Accept lets no SDP be answered gets 406",
        arguments: [
            ("text/plain", 406), ("text/plain, image/png;q=0.1", 406), ("Application/SDP;q=0.5, text/plain", nil),
            ("text/plain, application/*", nil), ("*/*", nil), ("", nil),
        ] as [(String, Int?)])
    func accept(header: String, status: Int?) {
        let invite = ScriptedPeer.request(.invite, sequence: 1, [(.accept, header)])
        #expect(RequestScreening.refusal(of: invite, localTag: "a")?.status == status)
        let options = ScriptedPeer.request(.options, sequence: 1, [(.accept, header)])
        #expect(RequestScreening.refusal(of: options, localTag: "a") == nil)
    }

    @Test("Requests after the end get 481, BYE gets 200")
    func afterwards() throws {
        let peer = try established()
        peer.act(.end)
        _ = peer.take()
        peer.send(.info)
        peer.send(.invite, sdp: "x")
        peer.send(.bye)
        #expect(peer.take() == ["481", "481", "200"])
    }
}
