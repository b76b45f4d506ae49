import SIP

/// A session whose peer is the test itself: it reads what the session sends and writes the answers by hand.
final class ScriptedPeer {
    var session: InviteSession
    var now = SIPInstant(nanoseconds: 1_000_000_000)
    /// Everything the session asked for since it was last taken, in words.
    var words: [String] = []
    var requests: [(token: ClientToken, message: SIPMessage, hop: SIPURI)] = []
    var responses: [SIPMessage] = []
    var acknowledgements: [SIPMessage] = []
    private var nextServer = 100
    private var nextSequence = 10

    init(caller configuration: InviteSession.Configuration) {
        session = InviteSession(caller: configuration, callID: "c1", localTag: "me")
    }

    /// A callee with this INVITE, ringing.
    init?(callee invite: SIPMessage, ring offer: String? = nil) {
        guard
            let session = InviteSession(
                callee: Self.configuration(), invite: invite, token: ServerToken(rawValue: 1), localTag: "me")
        else { return nil }
        self.session = session
        act(.ring(offer: offer.map { Array($0.utf8) }))
    }

    static func configuration(
        authenticator: DigestAuthenticator? = nil, proxy: SIPURI? = nil
    ) -> InviteSession.Configuration {
        InviteSession.Configuration(
            local: address("me"), contact: address("me"), outboundProxy: proxy, authenticator: authenticator,
            random: { $0.upperBound })
    }

    static func invite(
        sdp: String? = "offer", sequence: Int = 1, _ headers: [(HeaderName, String)] = []
    ) -> SIPMessage {
        request(.invite, sequence: sequence, tag: nil, sdp: sdp, headers)
    }

    static func request(
        _ method: SIPMethod, sequence: Int, tag: String? = "me", sdp: String? = nil,
        _ headers: [(HeaderName, String)] = []
    ) -> SIPMessage {
        var request = SIPMessage(method: method, uri: uri("me"))
        request.headers.append(.via, "SIP/2.0/UDP peer;branch=z9hG4bK\(sequence)")
        request.headers.append(.from, "<sip:you@example.net>;tag=you")
        request.headers.append(.to, "<sip:me@example.net>" + (tag.map { ";tag=\($0)" } ?? ""))
        request.headers.append(.callID, "c1")
        request.headers.append(.cseq, "\(sequence) \(method)")
        request.headers.append(.contact, "<sip:you@peer>")
        if let sdp {
            request.headers.append(.contentType, "application/sdp")
            request.body = Array(sdp.utf8)
        }
        for (name, value) in headers { request.headers.set(name, value) }
        return request
    }

    func act(_ event: InviteSession.Event) {
        for effect in session.handle(event, at: now) {
            words.append(describe(effect))
            switch effect {
            case .send(let token, let message, let hop): requests.append((token, message, hop))
            case .respond(_, let message): responses.append(message)
            case .acknowledge(let message, _): acknowledgements.append(message)
            default: break
            }
        }
    }

    func take() -> [String] {
        defer { words = [] }
        return words
    }

    func call(_ target: SIPURI = uri("you")) { act(.start(target: target, offer: Array("offer".utf8))) }

    /// Answers a request of the session: the last one, or the last of a method.
    func answer(
        _ status: Int, tag: String? = "you", sdp: String? = nil, to method: SIPMethod? = nil,
        _ headers: [(HeaderName, String)] = []
    ) {
        guard let sent = requests.last(where: { method == nil || $0.message.method == method }) else { return }
        var response = sent.message.response(status, toTag: tag)
        response.headers.append(.contact, "<sip:you@\(tag ?? "peer")>")
        if let sdp {
            response.headers.append(.contentType, "application/sdp")
            response.body = Array(sdp.utf8)
        }
        for (name, value) in headers { response.headers.set(name, value) }
        act(.response(sent.token, response))
    }

    /// A request of the peer within the dialogue, with the next sequence number.
    func send(_ method: SIPMethod, sdp: String? = nil, _ headers: [(HeaderName, String)] = []) {
        nextSequence += 1
        send(Self.request(method, sequence: nextSequence, sdp: sdp, headers))
    }

    func send(_ request: SIPMessage) {
        nextServer += 1
        act(.request(ServerToken(rawValue: nextServer), request))
    }

    func acknowledge(_ sequence: Int = 1, sdp: String? = nil) {
        act(.acknowledged(Self.request(.ack, sequence: sequence, sdp: sdp)))
    }

    /// Lets time pass, firing timers when they are due.
    func wait(_ duration: Duration) {
        let end = now + duration
        while let deadline = session.deadline, deadline <= end {
            now = max(now, deadline)
            act(.timer)
        }
        now = end
    }

    var milliseconds: Int { Int(now.nanoseconds / 1_000_000) - 1_000 }
}
