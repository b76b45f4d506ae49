import CallModel
import CallSystem
import EventLoop
import MediaDescription
import SIP
import Testing

@testable import SIPSignalling

/// A peer whose messages the test writes by hand, against a user agent on real sockets.
@DaemonActor private final class RawPeer {
    let agent: SIPUserAgent
    let calls = FakeCalls()
    let endpoint: SIPEndpoint
    let target: SIPURI
    /// Final answers to what was sent, in order; of INVITEs also 180.
    var answers: [SIPMessage] = []
    var requests: [SIPMessage] = []
    /// What a request of the agent is answered with; nil: 200.
    var answerBody: [UInt8]?
    /// What requests of the agent are answered with where that is not 200.
    var statuses: [SIPMethod: Int] = [:]
    private var remoteTag: String?
    private var sequence = 0

    init(autoAnswerFrom: [String] = []) throws {
        let end = try SIPEndpoint(listen: [try ListenAddress(parsing: "udp:127.0.0.1:0")])
        agent = SIPUserAgent(
            SIPUserAgentConfiguration(
                directUser: "bob", acceptFrom: try AddressSet(["lan"]),
                autoAnswerFrom: try AddressSet(autoAnswerFrom)), endpoint: end)
        agent.observer = calls
        endpoint = try SIPEndpoint(listen: [try ListenAddress(parsing: "udp:127.0.0.1:0")])
        target = SIPURI(user: "bob", host: "127.0.0.1", port: end.listening.first?.address.port)
        endpoint.onRequest = { [weak self] id, request, _ in
            guard let self else { return }
            self.requests.append(request)
            guard let id else { return }
            let method = request.method ?? .options
            var response = request.response(self.statuses[method] ?? 200, toTag: "peer")
            response.headers.append(.contact, "<\(self.uri)>")
            if request.method == .invite, let body = self.answerBody {
                response.headers.append(.contentType, "application/sdp")
                response.body = body
            }
            self.endpoint.respond(id, response)
        }
    }

    var uri: SIPURI { SIPURI(user: "peer", host: "127.0.0.1", port: endpoint.listening.first?.address.port) }

    static func sdp(_ direction: String = "sendrecv", host: String = "127.0.0.1", version: Int = 1) -> String {
        "v=0\r\no=- 1 \(version) IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 \(host)\r\nt=0 0\r\n"
            + "m=audio 30000 RTP/AVP 8\r\na=\(direction)\r\n"
    }

    func send(
        _ method: SIPMethod, body: String = "", type: String = "application/sdp", _ headers: [(HeaderName, String)] = []
    ) {
        sequence += 1
        var request = SIPMessage(method: method, uri: target)
        request.headers.append(.maxForwards, "70")
        request.headers.append(.from, "<\(uri)>;tag=peer")
        request.headers.append(.to, "<\(target)>" + (remoteTag.map { ";tag=\($0)" } ?? ""))
        request.headers.append(.callID, "raw")
        request.headers.append(.cseq, "\(sequence) \(method)")
        request.headers.append(.contact, "<\(uri)>")
        if !body.isEmpty { request.headers.append(.contentType, type) }
        request.body = Array(body.utf8)
        for (name, value) in headers { request.headers.set(name, value) }
        endpoint.send(request, to: .uri(target)) { [weak self] event in
            guard let self, case .response(let response, _) = event, let status = response.status, status != 100 else {
                return
            }
            if method == .invite, status < 300, let tag = response.to?.tag { self.remoteTag = tag }
            if self.answers.last?.cseq?.number != response.cseq?.number || self.answers.last?.status != status {
                self.answers.append(response)
            }
        }
    }

    func acknowledge(body: String = "") {
        guard let last = answers.last(where: { $0.method == .invite }), let number = last.cseq?.number else { return }
        var ack = SIPMessage(method: .ack, uri: target)
        ack.headers.append(.maxForwards, "70")
        ack.headers.append(.from, "<\(uri)>;tag=peer")
        ack.headers.append(.to, last.headers.first(.to) ?? "")
        ack.headers.append(.callID, "raw")
        ack.headers.append(.cseq, "\(number) ACK")
        if !body.isEmpty { ack.headers.append(.contentType, "application/sdp") }
        ack.body = Array(body.utf8)
        endpoint.sendACK(ack, to: .uri(target))
    }

    /// The `count`th answer with this status.
    func awaits(_ status: Int, count: Int = 1) async -> SIPMessage? {
        let deadline = MonotonicInstant.now + .seconds(5)
        while MonotonicInstant.now < deadline {
            let found = answers.filter { $0.status == status }
            if found.count >= count { return found[count - 1] }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return nil
    }

    /// A call that is up, offered by the peer with this description ("" for none).
    func connect(_ sdp: String = RawPeer.sdp()) async throws -> CallID {
        send(.invite, body: sdp)
        _ = await awaits(180)
        let call = try #require(calls.incoming.first)
        try agent.answer(call)
        _ = await awaits(200)
        acknowledge(body: sdp.isEmpty ? Self.sdp() : "")
        #expect(await calls.awaits("established"))
        return call
    }

    func close() {
        agent.endpoint.close()
        endpoint.close()
    }
}

@Suite("A user agent and a peer written by hand", .timeLimit(.minutes(1))) struct RawPeerTests {
    init() { EventLoop.shared.runInBackground() }

    @Test("A call that is answered as it is dialled is ended by BYE, too, however quickly")
    @DaemonActor func answeredAtOnce() async throws {
        let peer = try RawPeer()
        peer.answerBody = Array(RawPeer.sdp().utf8)
        for number in 1...20 {
            let call = CallID()
            try peer.agent.start(call, to: Handle(kind: .generic, value: peer.uri.description), account: nil)
            #expect(await peer.calls.awaits("established", count: number))
            peer.agent.end(call)
            let deadline = MonotonicInstant.now + .seconds(5)
            while peer.requests.count(where: { $0.method == .bye }) < number, MonotonicInstant.now < deadline {
                try await Task.sleep(for: .milliseconds(5))
            }
            try #require(peer.requests.count { $0.method == .bye } == number)
        }
        peer.close()
    }

    @Test("A REFER outside any call has nobody called")
    @DaemonActor func referOutside() async throws {
        let peer = try RawPeer()
        peer.send(.refer, [(.referTo, "<sip:carol@127.0.0.1>")])
        #expect(await peer.awaits(403) != nil)
        #expect(peer.calls.log.isEmpty)
        peer.close()
    }

    @Test("A REFER goes nowhere but where its address leads, and writes no header of ours")
    @DaemonActor func hostileReferTo() async throws {
        let peer = try RawPeer()
        let call = try await peer.connect()
        var new: CallID?
        peer.calls.onTransferRequest = { [agent = peer.agent] call in
            let id = CallID()
            new = id
            try? agent.followTransfer(call, as: id)
        }
        let place = "127.0.0.1:\(peer.uri.port ?? 0)"
        peer.send(
            .refer,
            [
                (.referTo, "<sip:carol:pw@\(place)?Route=%3Csip:evil%3E&From=%3Csip:x%40y%3E&body=boo>"),
                (.referredBy, "<sip:peer@h?X=y>;cid=\"1\""),
            ])
        #expect(await peer.awaits(202) != nil)
        let deadline = MonotonicInstant.now + .seconds(5)
        while !peer.requests.contains(where: { $0.method == .invite }), MonotonicInstant.now < deadline {
            try await Task.sleep(for: .milliseconds(5))
        }
        let invite = try #require(peer.requests.first { $0.method == .invite })
        #expect(invite.requestURI?.description == "sip:carol@\(place)")
        #expect(!invite.headers.contains(.route) && invite.from?.uri.user == "bob")
        #expect(invite.headers.first(.referredBy) == "<sip:peer@h>")
        #expect(!invite.headers.contains(.replaces))
        for id in [call, new].compactMap({ $0 }) { peer.agent.end(id) }
        peer.close()
    }

    @Test(
        "An INVITE that replaces nothing we have",
        arguments: [("raw", 400), ("raw;to-tag=a;from-tag=b", 481), ("other;to-tag=a;from-tag=peer", 481)])
    @DaemonActor func replacesNothing(value: String, status: Int) async throws {
        let peer = try RawPeer()
        peer.send(.invite, body: RawPeer.sdp(), [(.replaces, value), (.require, "replaces")])
        #expect(await peer.awaits(status) != nil)
        #expect(peer.calls.log.isEmpty)
        peer.close()
    }

    @Test(
        "Who may ask to be answered by itself is named; from all others it counts for nothing",
        arguments: [
            (["127.0.0.0/8"], "answer-after=3", AnswerMode.automatic(afterMilliseconds: 3_000)),
            ([], "answer-after=3", .manual),
            (["192.0.2.0/24"], "answer-after=3", .manual), (["lan"], "purpose=icon", .manual),
        ])
    @DaemonActor func answerMode(from: [String], parameter: String, mode: AnswerMode) async throws {
        let peer = try RawPeer(autoAnswerFrom: from)
        peer.send(.invite, body: RawPeer.sdp(), [(.callInfo, "<http://127.0.0.1/x>;\(parameter)")])
        #expect(await peer.awaits(180) != nil)
        #expect(peer.calls.offered.first?.answerMode == mode)
        #expect(peer.calls.offered.first?.isVouchedFor == (from == ["127.0.0.0/8"] || from == ["lan"]))
        peer.close()
    }

    @Test("Who would rather be refused than ring is, where it may not ask", arguments: [(["lan"], 180), ([], 403)])
    @DaemonActor func answerRequired(from: [String], status: Int) async throws {
        let peer = try RawPeer(autoAnswerFrom: from)
        peer.send(.invite, body: RawPeer.sdp(), [(.answerMode, "Auto;require")])
        #expect(await peer.awaits(status) != nil)
        #expect(peer.calls.offered.isEmpty == (status == 403))
        peer.close()
    }

    @Test("Who is no registrar of ours vouches for nobody")
    @DaemonActor func assertedByAnyone() async throws {
        let peer = try RawPeer()
        peer.send(.invite, body: RawPeer.sdp(), [(.pAssertedIdentity, "\"The Bank\" <sip:bank@bank.example>")])
        #expect(await peer.awaits(180) != nil)
        let call = try #require(peer.calls.offered.first)
        #expect(call.from.value == peer.uri.description)
        #expect(call.displayName == nil && call.assertedIdentity == nil && !call.isVouchedFor)
        peer.close()
    }

    @Test(
        "Outside a dialogue",
        arguments: [
            (SIPMethod.options, "", "", 200), (.message, "", "", 405), (.refer, "", "", 403), (.bye, "", "", 481),
            (.info, "", "", 481), (.prack, "", "", 481), (.invite, "hello", "text/plain", 415),
            (.invite, "v=1", "application/sdp", 400), (.invite, "m=nonsense", "application/sdp", 400),
        ] as [(SIPMethod, String, String, Int)])
    @DaemonActor func outside(method: SIPMethod, body: String, type: String, status: Int) async throws {
        let peer = try RawPeer()
        peer.send(method, body: body, type: type)
        let answer = await peer.awaits(status)
        #expect(answer != nil, "\(peer.answers.map(\.status))")
        if status == 405 || status == 200 { #expect(answer?.allow.contains(.update) == true) }
        #expect(peer.calls.log.isEmpty)
        peer.close()
    }

    @Test("OPTIONS within a dialogue is answered, and one of a dialogue that is over or never was is 481")
    @DaemonActor func optionsWithin() async throws {
        let peer = try RawPeer()
        _ = try await peer.connect()
        peer.send(.options)
        #expect(await peer.awaits(200, count: 2)?.allow.contains(.update) == true)
        peer.send(.options, [(.to, "<\(peer.target)>;tag=other")])
        #expect(await peer.awaits(481) != nil)
        peer.send(.bye)
        #expect(await peer.calls.awaits("ended remoteEnded"))
        peer.send(.options)
        #expect(await peer.awaits(481, count: 2) != nil)
        peer.close()
    }

    @Test(
        "A peer that says, asked by OPTIONS, that it has no such call is lost; with any other answer it is there",
        arguments: [(200, false), (405, false), (481, true)])
    @DaemonActor func enquiry(status: Int, isLost: Bool) async throws {
        let peer = try RawPeer()
        let call = try await peer.connect()
        peer.statuses[.options] = status
        // It can be asked again as soon as it has answered.
        let deadline = MonotonicInstant.now + .seconds(5)
        while peer.requests.count(where: { $0.method == .options }) < 2, MonotonicInstant.now < deadline {
            peer.agent.enquire(call)
            try await Task.sleep(for: .milliseconds(5))
        }
        let asked = peer.requests.filter { $0.method == .options }
        #expect(asked.count == 2)
        #expect(asked.allSatisfy { $0.callID == "raw" && $0.to?.tag == "peer" })
        if isLost { #expect(await peer.calls.awaits("peerLost")) }
        #expect(peer.calls.log.contains("peerLost") == isLost)
        peer.agent.end(call)
        #expect(await peer.calls.awaits("ended localEnded"))
        peer.close()
    }

    @Test("An extension we do not know is 420 with its name")
    @DaemonActor func extensions() async throws {
        let peer = try RawPeer()
        peer.send(.invite, body: RawPeer.sdp(), [(.require, "100rel, gruu")])
        #expect(await peer.awaits(420)?.headers.first(.unsupported) == "gruu")
        peer.close()
    }

    @Test("An offerless INVITE: our offer in the 200, their answer in the ACK")
    @DaemonActor func offerless() async throws {
        let peer = try RawPeer()
        _ = try await peer.connect("")
        #expect(peer.calls.log == ["incoming generic - direct", "media sendrecv", "established"])
        #expect(peer.calls.media.last?.codec == .pcma)
        peer.send(.bye)
        #expect(await peer.calls.awaits("ended remoteEnded"))
        peer.close()
    }

    @Test("An offerless re-INVITE while we are held asks for what we want, and its answer ends the hold")
    @DaemonActor func offerlessResume() async throws {
        let peer = try RawPeer()
        _ = try await peer.connect()
        peer.send(.invite, body: RawPeer.sdp("sendonly", version: 2))
        let held = await peer.awaits(200, count: 2)
        #expect(held.map { String(decoding: $0.body, as: UTF8.self).contains("a=recvonly") } == true)
        peer.acknowledge()
        #expect(await peer.calls.awaits("remoteHold true"))
        peer.send(.invite)
        let offer = await peer.awaits(200, count: 3)
        #expect(offer.map { String(decoding: $0.body, as: UTF8.self).contains("a=sendrecv") } == true)
        peer.acknowledge(body: RawPeer.sdp(version: 3))
        #expect(await peer.calls.awaits("remoteHold false"))
        #expect(peer.calls.media.last?.direction == .sendrecv)
        peer.close()
    }

    @Test("c=0.0.0.0 holds us, UPDATE resumes")
    @DaemonActor func oldHold() async throws {
        let peer = try RawPeer()
        _ = try await peer.connect()
        peer.send(.invite, body: RawPeer.sdp(host: "0.0.0.0", version: 2))
        #expect(await peer.awaits(200, count: 2) != nil)
        peer.acknowledge()
        #expect(await peer.calls.awaits("remoteHold true"))
        #expect(peer.calls.media.last?.direction.sends == false)
        peer.send(.update, body: RawPeer.sdp(version: 3))
        #expect(await peer.calls.awaits("remoteHold false"))
        peer.close()
    }

    @Test("While we hold, their offers are answered with the hold")
    @DaemonActor func heldAnswer() async throws {
        let peer = try RawPeer()
        let call = try await peer.connect()
        peer.agent.setHeld(call, true)
        for (index, (offered, answered)) in [
            ("sendrecv", "sendonly"), ("sendonly", "inactive"), ("inactive", "inactive"), ("recvonly", "sendonly"),
        ].enumerated() {
            peer.send(.update, body: RawPeer.sdp(offered, version: index + 2))
            let answer = await peer.awaits(200, count: index + 2)
            #expect(
                answer.map { String(decoding: $0.body, as: UTF8.self).contains("a=\(answered)\r\n") } == true,
                "\(offered)")
        }
        peer.close()
    }

    @Test("A bad re-offer is refused and the call goes on; a digit comes by INFO")
    @DaemonActor func badReoffer() async throws {
        let peer = try RawPeer()
        _ = try await peer.connect()
        peer.send(.invite, body: RawPeer.sdp(version: 2).replacing("RTP/AVP 8", with: "RTP/AVP 18"))
        #expect(await peer.awaits(488) != nil)
        peer.send(.invite, body: "v=broken")
        #expect(await peer.awaits(400) != nil)
        peer.send(.info, body: "Signal=5\r\nDuration=100\r\n", type: "application/dtmf-relay")
        #expect(await peer.calls.awaits("digit 5"))
        peer.close()
    }

    @Test("An answer to our re-offer that cannot be taken leaves the call as it was")
    @DaemonActor func badAnswer() async throws {
        let peer = try RawPeer()
        let call = try await peer.connect()
        peer.answerBody = Array(RawPeer.sdp(version: 2).replacing("30000", with: "0").utf8)
        peer.agent.renegotiate(call, attempt: 1)
        let deadline = MonotonicInstant.now + .seconds(5)
        while !peer.calls.log.contains(where: { $0.hasPrefix("settled 1 refused") }), MonotonicInstant.now < deadline {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(peer.calls.log.last?.hasPrefix("settled 1 refused(status: 488") == true)
        peer.answerBody = Array(RawPeer.sdp(version: 3).utf8)
        peer.agent.renegotiate(call, attempt: 2)
        #expect(await peer.calls.awaits("settled 2 accepted"))
        peer.close()
    }

    @Test("An INVITE of ours with all codecs fits into one datagram (RFC 3261 §18.1.1)")
    @DaemonActor func size() async throws {
        let peer = try RawPeer()
        peer.answerBody = Array(RawPeer.sdp().utf8)
        try peer.agent.start(
            CallID(), to: Handle(kind: .generic, value: peer.uri.description), account: nil)
        #expect(await peer.calls.awaits("established"))
        let invite = try #require(peer.requests.first { $0.method == .invite })
        #expect(invite.topVia?.transport == "UDP")
        #expect(invite.serialized().count <= 1_300)
        peer.close()
    }
}
