import SIP
import Testing

/// A registration and a registrar that answers as the test says.
private final class Registrar {
    var registration: Registration
    var now = SIPInstant(nanoseconds: 1_000_000_000)
    var sent: [SIPMessage] = []
    var changes = 0
    var hasUnregistered = false
    private var tokens: [ClientToken] = []

    init(password: String? = nil, random: @escaping @Sendable (ClosedRange<Int>) -> Int = { $0.lowerBound }) {
        var contact = SIPURI(user: "x1", host: "192.168.1.2", port: 5060)
        contact.parameters["transport"] = nil
        let authenticator = password.map {
            DigestAuthenticator(
                credentials: DigestCredentials(username: "101", password: $0), hash: { _, _ in "h" }, cnonce: { "c" })
        }
        registration = Registration(
            Registration.Configuration(
                addressOfRecord: SIPURI(user: "101", host: "pbx.example"), registrar: SIPURI(host: "pbx.example"),
                contact: contact, authenticator: authenticator, callID: "r1", localTag: "t", random: random))
    }

    func act(_ event: Registration.Event) {
        for effect in registration.handle(event, at: now) {
            switch effect {
            case .send(let token, var request, _):
                request.headers.prepend(.via, "SIP/2.0/UDP 192.168.1.2:5060;branch=z9hG4bK\(token.rawValue);rport")
                sent.append(request)
                tokens.append(token)
            case .changed: changes += 1
            case .unregistered: hasUnregistered = true
            }
        }
    }

    func answer(_ status: Int, via: String? = nil, _ headers: [(HeaderName, String)] = []) {
        guard let request = sent.last, let token = tokens.last else { return }
        var response = request.response(status, toTag: "srv")
        if let via {
            response.headers.set(.via, "SIP/2.0/UDP 192.168.1.2:5060;branch=z9hG4bK\(token.rawValue);\(via)")
        }
        for (name, value) in headers { response.headers.append(name, value) }
        act(.response(token, response))
    }

    func timeOut() {
        guard let token = tokens.last else { return }
        act(.requestFailed(token, .timeout))
    }

    /// Seconds until the machine wants to be woken.
    var wait: Double? {
        registration.deadline.map { Double($0.nanoseconds - now.nanoseconds) / 1e9 }
    }

    func wake() {
        if let deadline = registration.deadline { now = deadline }
        act(.timer)
    }
}

@Suite("Registration") struct RegistrationTests {
    @Test("A registration is refreshed before it lapses, with the same Call-ID and a rising CSeq")
    func refresh() {
        let registrar = Registrar()
        registrar.act(.start)
        #expect(registrar.registration.status.state == .registering)
        #expect(registrar.sent.first?.requestURI?.description == "sip:pbx.example")
        registrar.answer(200, [(.contact, "<sip:x1@192.168.1.2:5060>;expires=600")])
        #expect(registrar.registration.status.state == .registered)
        #expect(registrar.wait == 540)
        registrar.wake()
        #expect(registrar.sent.map { $0.cseq?.number } == [1, 2])
        #expect(Set(registrar.sent.map(\.callID)).count == 1)
        #expect(registrar.registration.status.state == .registered)
    }

    @Test(
        "Of several Contacts in the 200 ours counts, the shortest of ours, or the Expires header",
        arguments: [
            ("<sip:o@1.1.1.1>;expires=30, <sip:x1@192.168.1.2:5060>;expires=1000", 3600, 900.0),
            (
                "<sip:x1@192.168.1.2:5060>;expires=1000, <sip:x1@192.168.1.2:5060;transport=tcp>;expires=500", 3600,
                450.0
            ),
            ("<sip:x1@192.168.1.2:5060>", 200, 160.0), ("<sip:rewritten@10.0.0.1>;expires=100", 3600, 60.0),
            ("<sip:x1@192.168.1.2:5060>;expires=60", 3600, 30.0), ("<sip:x1@192.168.1.2:5060>;expires=0", 3600, 5.0),
            ("<sip:x1@192.168.1.2:5060>;expires=99999999999", 3600, 544_320.0),
        ])
    func contacts(contacts: String, expires: Int, wait: Double) {
        let registrar = Registrar()
        registrar.act(.start)
        registrar.answer(200, [(.contact, contacts), (.expires, "\(expires)")])
        #expect(registrar.wait == wait)
    }

    @Test("A challenge is answered once; a wrong password is a failure that is tried again later")
    func digest() {
        let registrar = Registrar(password: "p")
        registrar.act(.start)
        registrar.answer(401, [(.wwwAuthenticate, #"Digest realm="pbx", nonce="1", qop="auth""#)])
        #expect(registrar.sent.count == 2)
        #expect(registrar.sent.last?.headers.first(.authorization)?.contains("nc=00000001") == true)
        registrar.answer(401, [(.wwwAuthenticate, #"Digest realm="pbx", nonce="2", qop="auth""#)])
        #expect(registrar.sent.count == 2)
        #expect(registrar.registration.status.state == .failed)
        #expect(registrar.registration.status.isReachable)
        #expect(registrar.registration.status.lastError == "401 Unauthorized")
        #expect(registrar.wait == 30)
    }

    @Test("A refresh carries the nonce that is known, with its count raised")
    func nonceReuse() {
        let registrar = Registrar(password: "p")
        registrar.act(.start)
        registrar.answer(401, [(.wwwAuthenticate, #"Digest realm="pbx", nonce="1", qop="auth""#)])
        registrar.answer(200)
        registrar.wake()
        #expect(registrar.sent.last?.headers.first(.authorization)?.contains("nc=00000002") == true)
    }

    @Test("423 raises the time asked for to Min-Expires")
    func tooBrief() {
        let registrar = Registrar()
        registrar.act(.start)
        registrar.answer(423, [(.minExpires, "1800")])
        #expect(registrar.sent.last?.expires == 1_800)
        registrar.answer(423, [(.minExpires, "1800")])
        #expect(registrar.sent.count == 2)
        #expect(registrar.registration.status.state == .failed)
    }

    @Test("A redirected registration follows, but not in circles")
    func redirected() {
        let registrar = Registrar()
        registrar.act(.start)
        registrar.answer(302, [(.contact, "<sip:b.example>;q=0.1, <sip:a.example>;q=0.9")])
        #expect(registrar.sent.last?.requestURI?.host == "a.example")
        registrar.answer(302, [(.contact, "<sip:b.example>")])
        registrar.answer(302, [(.contact, "<sip:a.example>")])
        registrar.answer(302, [(.contact, "<sip:b.example>")])
        #expect(registrar.sent.count == 4)
        #expect(registrar.registration.status.state == .failed)
    }

    @Test("A registrar that is away is tried for ever, ever more rarely, up to half an hour")
    func backOff() {
        let registrar = Registrar(random: { $0.upperBound })
        registrar.act(.start)
        var waits: [Double] = []
        for _ in 0..<9 {
            registrar.timeOut()
            waits.append(registrar.wait ?? 0)
            registrar.wake()
        }
        #expect(waits == [60, 120, 240, 480, 960, 1_800, 1_800, 1_800, 1_800])
        #expect(registrar.registration.status.state == .registering)
        registrar.answer(200)
        #expect(registrar.registration.status.state == .registered)
        #expect(registrar.registration.status.lastError == nil)
    }

    @Test("Half to all of the time is waited, by chance")
    func jitter() {
        let least = Registrar(random: { $0.lowerBound })
        least.act(.start)
        least.timeOut()
        #expect(least.wait == 30)
    }

    @Test("Retry-After is kept to")
    func retryAfter() {
        let registrar = Registrar()
        registrar.act(.start)
        registrar.answer(503, [(.retryAfter, "300")])
        #expect(registrar.wait == 300)
    }

    @Test("A binding outlives an outage: registered, but not reachable, until it lapses")
    func outage() {
        let registrar = Registrar()
        registrar.act(.start)
        registrar.answer(200, [(.expires, "600")])
        registrar.wake()
        registrar.timeOut()
        #expect(registrar.registration.status.state == .registered)
        #expect(!registrar.registration.status.isReachable)
        while registrar.registration.status.state == .registered {
            registrar.wake()
            if registrar.registration.status.state == .registered { registrar.timeOut() }
        }
        #expect(registrar.now.nanoseconds == 601_000_000_000)
        #expect(registrar.registration.status.state == .failed || registrar.registration.status.state == .registering)
    }

    @Test("The address the registrar sees becomes the Contact, already with the answer to its challenge")
    func natDuringChallenge() {
        let registrar = Registrar(password: "p")
        registrar.act(.start)
        registrar.answer(
            401, via: "received=203.0.113.9;rport=40000",
            [(.wwwAuthenticate, #"Digest realm="pbx", nonce="1", qop="auth""#)])
        #expect(registrar.sent.last?.headers.all(.contact) == ["<sip:x1@203.0.113.9:40000>;expires=600"])
        registrar.answer(200, via: "received=203.0.113.9;rport=40000")
        #expect(registrar.sent.count == 2)
    }

    @Test("Without a challenge it registers anew and takes the old binding away")
    func natAfterwards() {
        let registrar = Registrar()
        registrar.act(.start)
        registrar.answer(200, via: "received=203.0.113.9;rport=40000")
        #expect(
            registrar.sent.last?.headers.all(.contact)
                == ["<sip:x1@203.0.113.9:40000>;expires=600", "<sip:x1@192.168.1.2:5060>;expires=0"])
        registrar.answer(200, via: "received=203.0.113.9;rport=40000")
        #expect(registrar.sent.count == 2)
    }

    @Test("A NAT that changes its mind with every message does not make us register without end")
    func restlessNAT() {
        let registrar = Registrar()
        registrar.act(.start)
        for port in 1...20 { registrar.answer(200, via: "received=203.0.113.9;rport=\(port)") }
        #expect(registrar.sent.count == 4)
    }

    @Test("A changed address of ours is registered at once")
    func moved() {
        let registrar = Registrar()
        registrar.act(.start)
        registrar.answer(200)
        registrar.act(.contactChanged(SIPURI(user: "x1", host: "192.168.7.7", port: 5060)))
        #expect(registrar.sent.last?.headers.all(.contact).first == "<sip:x1@192.168.7.7:5060>;expires=600")
    }

    @Test("Unregistering sends expires=0 and ends, whatever the registrar says", arguments: [200, 403, 0])
    func unregister(status: Int) {
        let registrar = Registrar()
        registrar.act(.start)
        registrar.answer(200)
        registrar.act(.unregister)
        #expect(registrar.sent.last?.headers.first(.contact)?.hasSuffix("expires=0") == true)
        if status == 0 { registrar.timeOut() } else { registrar.answer(status) }
        #expect(registrar.hasUnregistered)
        #expect(registrar.registration.deadline == nil)
        #expect(registrar.registration.status.state == .unregistered)
    }

    @Test("Unregistering what was never registered sends nothing")
    func neverRegistered() {
        let registrar = Registrar()
        registrar.act(.unregister)
        #expect(registrar.hasUnregistered)
        #expect(registrar.sent.isEmpty)
    }

    @Test("Changes are told, refreshes are not")
    func changes() {
        let registrar = Registrar()
        registrar.act(.start)
        registrar.answer(200)
        #expect(registrar.changes == 2)
        registrar.wake()
        registrar.answer(200)
        #expect(registrar.changes == 2)
    }
}
