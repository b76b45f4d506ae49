import SIP
import Testing

@Suite("REFER, at both ends") struct ReferTests {
    private func established(_ allow: String? = nil) throws -> ScriptedPeer {
        let headers: [(HeaderName, String)] = allow.map { [(.allow, $0)] } ?? []
        let peer = try #require(ScriptedPeer(callee: ScriptedPeer.invite(headers)))
        peer.act(.accept(Array("answer".utf8)))
        peer.acknowledge()
        _ = peer.take()
        return peer
    }

    private func referred(_ headers: [(HeaderName, String)] = []) throws -> ScriptedPeer {
        let peer = try established()
        peer.send(
            .refer, [(.referTo, "<sip:carol@example.org>"), (.referredBy, "\"A\" <sip:a@h;x=y>;cid=1")] + headers)
        return peer
    }

    private final class Counter { var count = 0 }
    private let counter = Counter()

    private func notify(
        _ peer: ScriptedPeer, _ line: String?, state: String = "active;expires=60", event: String = "refer"
    ) {
        var headers: [(HeaderName, String)] = [(.event, event), (.subscriptionState, state)]
        if line != nil { headers.append((.contentType, "message/sipfrag")) }
        var request = ScriptedPeer.request(.notify, sequence: 100 + counter.count, headers)
        counter.count += 1
        request.body = Array((line ?? "").utf8)
        peer.send(request)
    }

    // MARK: We transfer

    @Test("A REFER names the target and us, and what the peer tells of it is taken until it is final")
    func transferred() throws {
        let peer = try established()
        peer.act(.refer(ReferTarget(uri: uri("carol"))))
        let refer = try #require(peer.requests.last?.message)
        #expect(refer.method == .refer)
        #expect(refer.headers.first(.referTo) == "<sip:carol@example.net>")
        #expect(refer.headers.first(.referredBy) == "<sip:me@example.net>")
        #expect(refer.headers.contains(.contact))
        #expect(refer.to?.tag == "you")
        peer.answer(202)
        notify(peer, "SIP/2.0 100 Trying")
        notify(peer, "SIP/2.0 180 Ringing")
        notify(peer, "SIP/2.0 200 OK", state: "terminated;reason=noresource")
        #expect(
            peer.take() == [
                "REFER", "200", "target 100 Trying", "200", "target 180 Ringing", "200", "refer finished 200",
            ])
    }

    @Test("A NOTIFY may come before the answer, in any of the forms that peers have")
    func earlyNotify() throws {
        let peer = try established()
        peer.act(.refer(ReferTarget(uri: uri("carol"))))
        let sequence = try #require(peer.requests.last?.message.cseq?.number)
        notify(peer, "SIP/2.0 486 Busy Here", state: "terminated;reason=noresource", event: "refer;id=\(sequence)")
        peer.answer(200)
        #expect(peer.take() == ["REFER", "200", "refer finished 486"])
        // One more, for a subscription that is over: it is answered, and changes nothing.
        notify(peer, "SIP/2.0 200 OK")
        #expect(peer.take() == ["200"])
    }

    @Test("A newer REFER takes the place of one whose end was never told, and late NOTIFYs of that one are not its own")
    func newer() throws {
        let peer = try established()
        peer.act(.refer(ReferTarget(uri: uri("carol"))))
        peer.answer(202)
        notify(peer, "SIP/2.0 180 Ringing")
        peer.act(.refer(ReferTarget(uri: uri("dave"))))
        let second = try #require(peer.requests.last?.message.cseq?.number)
        peer.answer(202)
        _ = peer.take()
        // Without an id it is about the first (RFC 3515 §2.4.6).
        notify(peer, "SIP/2.0 100 Trying")
        notify(peer, "SIP/2.0 180 Ringing", event: "refer;id=\(second)")
        notify(peer, "SIP/2.0 200 OK", state: "terminated;reason=noresource")
        #expect(peer.take() == ["200", "200", "target 180 Ringing", "200"])
        notify(peer, "SIP/2.0 486 Busy Here", state: "terminated;reason=noresource", event: "refer;id=\(second)")
        #expect(peer.take() == ["200", "refer finished 486"])
    }

    @Test("A peer that refuses", arguments: [405, 420, 501, 603])
    func refused(status: Int) throws {
        let peer = try established()
        #expect(peer.session.peerTakesRefer)
        peer.act(.refer(ReferTarget(uri: uri("carol"))))
        peer.answer(status)
        #expect(peer.take() == ["REFER", "refer refused \(status)"])
        #expect(peer.session.peerTakesRefer == (status != 405 && status != 501))
        // It can be asked again.
        peer.act(.refer(ReferTarget(uri: uri("carol"))))
        #expect(peer.take() == ["REFER"])
    }

    @Test("A dialogue that the peer no longer knows ends", arguments: [408, 481])
    func dialogLost(status: Int) throws {
        let peer = try established()
        peer.act(.refer(ReferTarget(uri: uri("carol"))))
        peer.answer(status)
        #expect(peer.take().contains("refer refused \(status)"))
        #expect(peer.requests.last?.message.method == .bye)
    }

    @Test("A subscription that ends without an end of the call")
    func subscriptionLost() throws {
        let peer = try established()
        peer.act(.refer(ReferTarget(uri: uri("carol"))))
        peer.answer(202)
        notify(peer, nil, state: "terminated;reason=giveup")
        #expect(peer.take() == ["REFER", "200", "refer lost giveup"])
    }

    @Test("A peer that tells nothing and leaves has gone to the target; one that told of its ringing only has hung up")
    func left() throws {
        let silent = try established()
        silent.act(.refer(ReferTarget(uri: uri("carol"))))
        silent.answer(202, [(.referSub, "false")])
        silent.send(.bye)
        #expect(silent.take() == ["REFER", "200", "refer left", "ended remote"])
        let telling = try established()
        telling.act(.refer(ReferTarget(uri: uri("carol"))))
        telling.answer(202)
        notify(telling, "SIP/2.0 180 Ringing")
        telling.send(ScriptedPeer.request(.bye, sequence: 200))
        #expect(telling.take() == ["REFER", "200", "target 180 Ringing", "200", "ended remote"])
    }

    @Test("A NOTIFY that nobody asked for, or of another event")
    func stray() throws {
        let peer = try established()
        notify(peer, "SIP/2.0 200 OK")
        notify(peer, "SIP/2.0 200 OK", event: "message-summary")
        peer.act(.refer(ReferTarget(uri: uri("carol"))))
        notify(peer, "SIP/2.0 200 OK", event: "refer;id=77")
        #expect(peer.take() == ["481", "489", "REFER", "481"])
    }

    @Test(
        "What a peer's Allow says of REFER counts", arguments: [("INVITE, ACK, BYE", false), ("INVITE, REFER", true)])
    func allow(text: String, takes: Bool) throws {
        #expect(try established(text).session.peerTakesRefer == takes)
    }

    // MARK: We are transferred

    @Test("A REFER that is followed: 202, and a NOTIFY of each step, the last one final")
    func following() throws {
        let peer = try referred()
        #expect(peer.take() == ["referred <sip:carol@example.org> by sip:a@h"])
        peer.act(.answerReferral(isAccepted: true))
        for status in [180, 180, 200, 500] { peer.act(.tellReferrer(StatusFragment(status: status))) }
        #expect(peer.take() == ["202", "NOTIFY", "NOTIFY", "NOTIFY"])
        let notifies = peer.requests.map(\.message).filter { $0.method == .notify }
        #expect(
            notifies.map { String(decoding: $0.body, as: UTF8.self) } == [
                "SIP/2.0 100 Trying\r\n", "SIP/2.0 180 Ringing\r\n", "SIP/2.0 200 OK\r\n",
            ])
        #expect(
            notifies.map { $0.headers.first(.subscriptionState) } == [
                "active;expires=660", "active;expires=660", "terminated;reason=noresource",
            ])
        #expect(notifies.allSatisfy { $0.headers.first(.event) == "refer" && $0.headers.contains(.contact) })
        #expect(notifies.allSatisfy { $0.contentType?.isValue("message/sipfrag") ?? false })
        peer.send(.bye)
        #expect(peer.take() == ["200", "ended remote"])
    }

    @Test("A second REFER in a dialogue has an id in its NOTIFYs")
    func identified() throws {
        let peer = try referred()
        peer.act(.answerReferral(isAccepted: true))
        peer.act(.tellReferrer(StatusFragment(status: 486)))
        peer.send(.refer, [(.referTo, "<sip:dave@example.org>")])
        peer.act(.answerReferral(isAccepted: true))
        #expect(peer.requests.last?.message.headers.first(.event) == "refer;id=12")
    }

    @Test("A REFER that is not followed, one too many, and one that is malformed")
    func refusals() throws {
        let peer = try referred()
        peer.send(.refer, [(.referTo, "<sip:dave@example.org>")])
        peer.act(.answerReferral(isAccepted: false))
        peer.send(.refer, [(.referTo, "<tel:+49301>")])
        peer.send(.refer)
        #expect(peer.take() == ["referred <sip:carol@example.org> by sip:a@h", "491", "603", "416", "400"])
    }

    @Test("Who wants no NOTIFYs gets none (RFC 4488)")
    func silent() throws {
        let peer = try referred([(.referSub, "false"), (.require, "norefersub")])
        peer.act(.answerReferral(isAccepted: true))
        peer.act(.tellReferrer(StatusFragment(status: 200)))
        #expect(peer.take() == ["referred <sip:carol@example.org> by sip:a@h", "202"])
        #expect(peer.responses.last?.headers.first(.referSub) == "false")
    }

    @Test("The call that we follow is told of after the referrer's BYE, too, until it ends")
    func byeMeanwhile() throws {
        let peer = try referred()
        peer.act(.answerReferral(isAccepted: true))
        peer.send(.bye)
        #expect(!peer.session.isFinished)
        peer.act(.tellReferrer(StatusFragment(status: 200)))
        #expect(peer.take().suffix(3) == ["200", "ended remote", "NOTIFY"])
        peer.answer(481)
        peer.answer(200, to: .notify)
        for request in peer.requests { peer.act(.requestFailed(request.token, .timeout)) }
        #expect(peer.session.isFinished)
    }

    @Test("A referrer that knows nothing of its subscription is told no more")
    func unknownSubscription() throws {
        let peer = try referred()
        peer.act(.answerReferral(isAccepted: true))
        peer.answer(481)
        peer.act(.tellReferrer(StatusFragment(status: 180)))
        #expect(peer.take().suffix(2) == ["202", "NOTIFY"])
    }

    @Test("A call that comes to no end is given up after 11 minutes")
    func endless() throws {
        let peer = try referred()
        peer.act(.answerReferral(isAccepted: true))
        peer.wait(.seconds(661))
        #expect(peer.requests.last?.message.headers.first(.subscriptionState) == "terminated;reason=noresource")
        #expect(StatusFragment(of: try #require(peer.requests.last?.message))?.status == 408)
    }

    @Test("A REFER that waits when the call ends is refused")
    func endedMeanwhile() throws {
        let peer = try referred()
        peer.act(.end)
        #expect(peer.responses.last?.status == 603)
    }

    // MARK: Replaced

    @Test("Which dialogues an INVITE may replace (RFC 3891 §3)")
    func replacement() throws {
        let replaces = Replaces(callID: "c1", toTag: "me", fromTag: "you")
        let early = Replaces(callID: "c1", toTag: "me", fromTag: "you", isEarlyOnly: true)
        let peer = try established()
        #expect(peer.session.replacement(by: replaces) == .possible)
        #expect(peer.session.replacement(by: early) == .refused(status: 486))
        #expect(peer.session.replacement(by: Replaces(callID: "c1", toTag: "you", fromTag: "me")) == .notMeant)
        #expect(peer.session.replacement(by: Replaces(callID: "c2", toTag: "me", fromTag: "you")) == .notMeant)
        peer.act(.end)
        #expect(peer.session.replacement(by: replaces) == .refused(status: 603))
        let ringing = try #require(ScriptedPeer(callee: ScriptedPeer.invite()))
        #expect(ringing.session.replacement(by: replaces) == .refused(status: 481))
        let calling = ScriptedPeer(caller: ScriptedPeer.configuration())
        calling.call()
        #expect(calling.session.replacement(by: replaces) == .notMeant)
        calling.answer(180)
        #expect(calling.session.replacement(by: early) == .possible)
    }

    @Test("The INVITE that follows a REFER says whose place it takes and who referred")
    func inviteOfAReferral() throws {
        var configuration = ScriptedPeer.configuration()
        configuration.replaces = Replaces(callID: "x", toTag: "a", fromTag: "b")
        configuration.referredBy = address("alice")
        let peer = ScriptedPeer(caller: configuration)
        peer.call()
        let invite = try #require(peer.requests.first?.message)
        #expect(invite.headers.first(.replaces) == "x;to-tag=a;from-tag=b")
        #expect(invite.headers.first(.referredBy) == "<sip:alice@example.net>")
        #expect(invite.supported.contains("replaces"))
    }
}
