import SIP
import Testing

@Suite("Hostile peers") struct HostilePeerTests {
    private static func mutate(_ octets: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var octets = octets
        for _ in 0..<Int.random(in: 0...4, using: &random) where !octets.isEmpty {
            let index = Int.random(in: 0..<octets.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: octets[index] = UInt8.random(in: 0...255, using: &random)
            case 1: octets.remove(at: index)
            case 2: octets.insert(contentsOf: Array("4294967295".utf8), at: index)
            case 3: octets.insert(contentsOf: octets.prefix(Int.random(in: 0...40, using: &random)), at: index)
            default: octets.removeSubrange(index..<min(octets.count, index + 20))
            }
        }
        return octets
    }

    private static let requests: [SIPMessage] = [
        ScriptedPeer.request(.invite, sequence: 11, sdp: "offer"), ScriptedPeer.request(.invite, sequence: 12),
        ScriptedPeer.request(.update, sequence: 13, sdp: "offer"), ScriptedPeer.request(.options, sequence: 14),
        ScriptedPeer.request(.prack, sequence: 15, [(.rack, "1 1 INVITE")]),
        ScriptedPeer.request(.info, sequence: 16, sdp: "Signal=5", [(.contentType, "application/dtmf-relay")]),
        ScriptedPeer.request(.ack, sequence: 1), ScriptedPeer.request(.cancel, sequence: 1, tag: nil),
        ScriptedPeer.request(.bye, sequence: 4_000_000),
    ]

    private static func response(_ request: SIPMessage, _ random: inout SeededGenerator) -> SIPMessage {
        let statuses = [100, 180, 183, 200, 202, 302, 401, 407, 408, 423, 481, 486, 491, 500, 503, 603, 699]
        var response = request.response(
            statuses.randomElement(using: &random) ?? 200, toTag: ["you", "x", "y"].randomElement(using: &random),
            recordsRoute: true)
        response.headers.append(.contact, "<sip:you@there;transport=tcp>;q=0.5;expires=30")
        response.headers.append(.recordRoute, "<sip:p;lr>")
        response.headers.append(.require, "100rel")
        response.headers.append(.rseq, "\(Int.random(in: 0...3, using: &random))")
        response.headers.append(.minExpires, "1800")
        response.headers.append(.wwwAuthenticate, #"Digest realm="r", nonce="n", qop="auth", algorithm=MD5-sess"#)
        if Bool.random(using: &random) { response.setBody("answer") }
        return response
    }

    private static func configuration() -> InviteSession.Configuration {
        ScriptedPeer.configuration(
            authenticator: DigestAuthenticator(
                credentials: DigestCredentials(username: "u", password: "p"), hash: { _, _ in "h" }, cnonce: { "c" }))
    }

    @Test("Whatever is sent to a session, it neither traps nor ends twice, and it finishes")
    func sessions() throws {
        for seed in 0..<400 as Range<UInt64> {
            var random = SeededGenerator(state: seed &* 7_919)
            let peer: ScriptedPeer
            if seed.isMultiple(of: 2) {
                peer = ScriptedPeer(caller: Self.configuration())
                peer.call()
            } else {
                let reliable: [(HeaderName, String)] = seed.isMultiple(of: 3) ? [(.require, "100rel")] : []
                peer = try #require(ScriptedPeer(callee: ScriptedPeer.invite(reliable)))
            }
            var ends = 0
            for _ in 0..<40 {
                Self.step(peer, &random)
                ends += peer.take().filter { $0.hasPrefix("ended") }.count
            }
            peer.act(.end)
            peer.wait(.seconds(700))
            for request in peer.requests { peer.act(.requestFailed(request.token, .timeout)) }
            peer.wait(.seconds(100))
            for request in peer.requests { peer.act(.requestFailed(request.token, .timeout)) }
            ends += peer.take().filter { $0.hasPrefix("ended") }.count
            #expect(ends == 1, "seed \(seed)")
            #expect(peer.session.isFinished, "seed \(seed)")
        }
    }

    private static func step(_ peer: ScriptedPeer, _ random: inout SeededGenerator) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3:
            guard let request = requests.randomElement(using: &random),
                let mutated = try? SIPMessage(parsing: mutate(request.serialized(), &random))
            else { return }
            if mutated.method == .ack { peer.act(.acknowledged(mutated)) } else { peer.send(mutated) }
        case 4...7:
            guard let sent = peer.requests.randomElement(using: &random) else { return }
            let whole = response(sent.message, &random)
            guard let mutated = try? SIPMessage(parsing: mutate(whole.serialized(), &random)) else { return }
            peer.act(.response(sent.token, mutated))
        case 8:
            let events: [InviteSession.Event] = [
                .accept([1]), .accept(nil), .renegotiate(attempt: 1), .localOffer([2]), .localAnswer([3]),
                .offerRefused(status: 488, reason: ""), .ring(offer: nil), .timer,
                .refer(ReferTarget(uri: uri("carol"))), .answerReferral(isAccepted: true),
                .tellReferrer(StatusFragment(status: 180)),
            ]
            if let event = events.randomElement(using: &random) { peer.act(event) }
        default: peer.wait(.milliseconds(Int.random(in: 0...3_000, using: &random)))
        }
    }

    @Test("Whatever a registrar answers, a registration neither traps nor falls silent")
    func registrations() {
        for seed in 0..<300 as Range<UInt64> {
            var random = SeededGenerator(state: seed &* 104_729)
            var now = SIPInstant(nanoseconds: 1)
            var registration = Registration(
                Registration.Configuration(
                    addressOfRecord: uri("me"), registrar: SIPURI(host: "r"), contact: uri("me", host: "192.0.2.1"),
                    authenticator: Self.configuration().authenticator, callID: "c", localTag: "t"))
            var sent: (token: ClientToken, message: SIPMessage)?
            func take(_ effects: [Registration.Effect]) {
                for case .send(let token, var message, _) in effects {
                    message.headers.prepend(.via, "SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1;rport=1;received=192.0.2.9")
                    sent = (token, message)
                }
            }
            take(registration.handle(.start, at: now))
            for _ in 0..<40 {
                if let current = sent, Int.random(in: 0..<4, using: &random) > 0 {
                    sent = nil
                    let whole = Self.response(current.message, &random).serialized()
                    if let mutated = try? SIPMessage(parsing: Self.mutate(whole, &random)), (mutated.status ?? 0) >= 200
                    {
                        take(registration.handle(.response(current.token, mutated), at: now))
                    } else {
                        take(registration.handle(.requestFailed(current.token, .timeout), at: now))
                    }
                } else if let deadline = registration.deadline {
                    now = max(now, deadline)
                    take(registration.handle(.timer, at: now))
                }
                #expect(sent != nil || registration.deadline != nil, "seed \(seed)")
            }
        }
    }

    @Test("Whatever a challenge looks like, reading it ends")
    func challenges() {
        let line = #"Digest realm="a\"b", nonce="n", qop="auth,auth-int", algorithm=SHA-256-sess, stale=true, opaque=o"#
        var random = SeededGenerator(state: 1)
        for _ in 0..<4_000 {
            let text = String(decoding: Self.mutate(Array(line.utf8), &random), as: UTF8.self)
            #expect(DigestChallenge.parse([text, text]).count <= 40)
        }
    }
}

extension SIPMessage {
    fileprivate mutating func setBody(_ text: String) {
        headers.set(.contentType, "application/sdp")
        body = Array(text.utf8)
    }
}
