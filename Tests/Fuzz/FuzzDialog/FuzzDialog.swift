import SIP

/// A peer that answers, asks and keeps silent as it likes: the input is what it and our user do, in which order. Whatever
/// that is, a call ends once and leaves nothing behind.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var script = Script(bytes: Array(UnsafeBufferPointer(start: start, count: count))[...])
    guard let first = script.byte(), var call = Call(first) else { return 0 }
    var steps = 0
    while steps < 64, let step = script.byte() {
        steps += 1
        switch step % 5 {
        case 0: call.ask(&script)
        case 1: call.answer(&script)
        case 2: call.act(Call.events[script.choice(Call.events.count)])
        case 3: call.wait(.milliseconds(script.number() * 64))
        default: call.send(script.octets())
        }
    }
    call.act(.end)
    // Longer than any timer; then the transactions of what is under way come to their end.
    for _ in 0..<4 {
        call.wait(.seconds(700))
        for (token, _) in call.requests { call.act(.requestFailed(token, .timeout)) }
    }
    precondition(call.ends == 1, "a call that ends \(call.ends) times")
    precondition(call.session.isFinished, "a call that leaves something behind")
    return 0
}

private struct Script {
    var bytes: ArraySlice<UInt8>

    mutating func byte() -> UInt8? { bytes.popFirst() }
    mutating func number() -> Int { Int(byte() ?? 0) }
    mutating func choice(_ count: Int) -> Int { number() % count }

    mutating func octets() -> [UInt8] {
        let length = number() << 8 | number()
        defer { bytes = bytes.dropFirst(length) }
        return Array(bytes.prefix(length))
    }
}

private struct Call {
    var session: InviteSession
    var now = SIPInstant(nanoseconds: 1_000_000_000)
    var requests: [(token: ClientToken, message: SIPMessage)] = []
    var ends = 0
    private var lastServer = 1

    static let methods: [SIPMethod] = [
        .invite, .update, .bye, .cancel, .prack, .info, .options, .refer, .notify, .ack, .message,
    ]
    static let statuses = [
        100, 180, 183, 200, 202, 302, 401, 407, 408, 422, 423, 481, 486, 487, 491, 500, 503, 603, 699,
    ]
    static let tags = ["you", "x", "y", nil]
    static let events: [InviteSession.Event] = [
        .accept([1]), .accept(nil), .ring(offer: nil), .ring(offer: [2]), .reject(status: 486, reason: "Busy Here"),
        .renegotiate(attempt: 1), .renegotiate(attempt: 2), .localOffer([3]), .localAnswer([4]),
        .offerRefused(status: 488, reason: ""), .refer(ReferTarget(uri: SIPURI(user: "carol", host: "h"))),
        .answerReferral(isAccepted: true), .answerReferral(isAccepted: false),
        .tellReferrer(StatusFragment(status: 180)),
        .tellReferrer(StatusFragment(status: 200)), .abandon(status: 500, text: ""), .timer, .end,
    ]
    /// What requests and responses may have besides, each where its bit is set.
    static let extras: [(HeaderName, String)] = [
        (.require, "100rel"), (.rseq, "1"), (.rack, "1 1 INVITE"), (.recordRoute, "<sip:p;lr>"),
        (.referTo, "<sip:dave@h?Replaces=c2%3Bto-tag%3Da%3Bfrom-tag%3Db>"), (.event, "refer"), (.retryAfter, "2"),
        (.wwwAuthenticate, #"Digest realm="r", nonce="n", qop="auth""#),
    ]

    /// We call where `first` is even; otherwise we are called, with an INVITE as its bits say.
    init?(_ first: UInt8) {
        let us = NameAddress(uri: SIPURI(user: "me", host: "192.0.2.1"))
        let configuration = InviteSession.Configuration(
            local: us, contact: us,
            authenticator: DigestAuthenticator(
                credentials: DigestCredentials(username: "u", password: "p"), hash: { _, _ in "h" }, cnonce: { "c" }),
            random: { $0.upperBound })
        if first % 2 == 0 {
            session = InviteSession(caller: configuration, callID: "c1", localTag: "me")
            act(.start(target: SIPURI(user: "you", host: "192.0.2.2"), offer: [5]))
        } else {
            var invite = Self.request(.invite, sequence: 1, tag: nil)
            if first & 2 != 0 { invite.headers.append(.require, "100rel") }
            if first & 4 != 0 { Self.describe(&invite) }
            let made = InviteSession(
                callee: configuration, invite: invite, token: ServerToken(rawValue: 1), localTag: "me")
            guard let made else { return nil }
            session = made
            act(.ring(offer: session.ringNeedsOffer ? [6] : nil))
        }
    }

    private static func describe(_ message: inout SIPMessage) {
        message.headers.set(.contentType, "application/sdp")
        message.body = [7]
    }

    private static func request(_ method: SIPMethod, sequence: Int, tag: String?) -> SIPMessage {
        var request = SIPMessage(method: method, uri: SIPURI(user: "me", host: "192.0.2.1"))
        request.headers.append(.via, "SIP/2.0/UDP peer;branch=z9hG4bK\(sequence)")
        request.headers.append(.from, "<sip:you@example.net>;tag=you")
        request.headers.append(.to, "<sip:me@example.net>" + (tag.map { ";tag=\($0)" } ?? ""))
        request.headers.append(.callID, "c1")
        request.headers.append(.cseq, "\(sequence) \(method)")
        request.headers.append(.contact, "<sip:you@192.0.2.2>")
        return request
    }

    private static func add(_ bits: Int, to message: inout SIPMessage) {
        for (index, (name, value)) in extras.enumerated() where bits >> index & 1 == 1 {
            message.headers.append(name, value)
        }
    }

    mutating func act(_ event: InviteSession.Event) {
        for effect in session.handle(event, at: now) {
            switch effect {
            case .send(let token, let message, _):
                precondition(!session.isFinished, "a request of a call that is over")
                requests.append((token, message))
            case .ended: ends += 1
            default: break
            }
        }
    }

    mutating func wait(_ duration: Duration) {
        let end = now + duration
        var timers = 0
        while let deadline = session.deadline, deadline <= end {
            now = max(now, deadline)
            act(.timer)
            timers += 1
            precondition(timers < 10_000, "a timer that stays due")
        }
        now = end
    }

    /// A request of the peer.
    mutating func ask(_ script: inout Script) {
        let method = Self.methods[script.choice(Self.methods.count)]
        let (sequence, bits, flags) = (script.number(), script.number(), script.number())
        var request = Self.request(method, sequence: sequence, tag: flags & 1 == 0 ? "me" : nil)
        if flags & 2 != 0 { Self.describe(&request) }
        if flags & 4 != 0 { request.headers.set(.from, "<sip:you@example.net>;tag=x") }
        Self.add(bits, to: &request)
        deliver(request)
    }

    /// A response to something that we sent.
    mutating func answer(_ script: inout Script) {
        guard !requests.isEmpty else { return }
        let sent = requests[requests.count - 1 - script.choice(requests.count)]
        let (status, tag) = (Self.statuses[script.choice(Self.statuses.count)], Self.tags[script.choice(4)])
        var response = sent.message.response(status, toTag: tag, recordsRoute: true)
        let (bits, flags) = (script.number(), script.number())
        if flags & 1 == 0 { response.headers.append(.contact, "<sip:you@\(tag ?? "peer")>;q=0.5") }
        if flags & 2 != 0 { Self.describe(&response) }
        Self.add(bits, to: &response)
        act(.response(sent.token, response))
    }

    /// Whatever parses.
    mutating func send(_ octets: [UInt8]) {
        guard let message = try? SIPMessage(parsing: octets) else { return }
        if message.isRequest {
            deliver(message)
        } else if let sent = requests.last {
            act(.response(sent.token, message))
        }
    }

    private mutating func deliver(_ request: SIPMessage) {
        if request.method == .ack { return act(.acknowledged(request)) }
        lastServer += 1
        act(.request(ServerToken(rawValue: lastServer), request))
    }
}
