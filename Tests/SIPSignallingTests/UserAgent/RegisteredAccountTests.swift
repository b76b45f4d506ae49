import CallModel
import CallSystem
import EventLoop
import MediaDescription
import SIP
import Testing

@testable import SIPSignalling

/// A registrar and proxy of one account on this machine: challenges, then takes; notes what came.
@DaemonActor private final class FakeRegistrar {
    let endpoint: SIPEndpoint
    var requests: [SIPMessage] = []
    var contact: SIPURI?
    var refusal: Int?
    /// Answers to what the registrar itself has sent.
    var answers: [Int] = []

    init() throws {
        endpoint = try SIPEndpoint(listen: [try ListenAddress(parsing: "udp:127.0.0.1:0")])
        endpoint.onRequest = { [weak self] id, request, _ in
            guard let self, let id else { return }
            self.take(request, id)
        }
    }

    var uri: SIPURI { SIPURI(host: "127.0.0.1", port: endpoint.listening.first?.address.port) }

    private func take(_ request: SIPMessage, _ id: ServerTransactionID) {
        requests.append(request)
        if let refusal { return endpoint.respond(id, request.response(refusal, toTag: "r")) }
        guard let credentials = request.headers.first(.authorization), credentials.contains("algorithm=SHA-256") else {
            var challenge = request.response(401, toTag: "r")
            challenge.headers.append(.wwwAuthenticate, #"Digest realm="r", nonce="n", algorithm=MD5, qop="auth""#)
            challenge.headers.append(.wwwAuthenticate, #"Digest realm="r", nonce="n", algorithm=SHA-256, qop="auth""#)
            return endpoint.respond(id, challenge)
        }
        var success = request.response(request.method == .invite ? 486 : 200, toTag: "r")
        if request.method == .register, let own = try? request.contacts.first {
            contact = own.uri
            success.headers.append(.contact, own.description)
        }
        endpoint.respond(id, success)
    }

    /// Calls the account at its Contact.
    func call(_ target: SIPURI?, _ headers: [(HeaderName, String)] = []) {
        guard let target else { return }
        var invite = SIPMessage(method: .invite, uri: target)
        invite.headers.append(.maxForwards, "70")
        invite.headers.append(.from, "\"Bob B.\" <sip:200@r.example>;tag=x")
        invite.headers.append(.to, "<sip:101@r.example>")
        invite.headers.append(.callID, Hashes.randomToken(8))
        invite.headers.append(.cseq, "1 INVITE")
        invite.headers.append(.contact, "<\(uri)>")
        for (name, value) in headers { invite.headers.append(name, value) }
        endpoint.send(invite, to: .uri(target)) { event in
            if case .response(let response, _) = event, let status = response.status { self.answers.append(status) }
        }
    }
}

@Suite("A registered account", .timeLimit(.minutes(1))) struct RegisteredAccountTests {
    init() { EventLoop.shared.runInBackground() }

    @DaemonActor private func telephone(_ registrar: FakeRegistrar) throws -> (SIPUserAgent, FakeCalls) {
        let endpoint = try SIPEndpoint(listen: [try ListenAddress(parsing: "udp:127.0.0.1:0")])
        let account = SIPAccountConfiguration(
            name: "office", uri: try SIPURI(parsing: "sip:101@r.example"), username: "101", password: "p",
            registrar: registrar.uri)
        // Nobody but the registrar may call.
        let agent = SIPUserAgent(
            SIPUserAgentConfiguration(accounts: [account], acceptFrom: try AddressSet([])), endpoint: endpoint)
        let calls = FakeCalls()
        agent.observer = calls
        agent.start()
        return (agent, calls)
    }

    @Test("It registers with the strongest digest, is called at its secret Contact, and unregisters")
    @DaemonActor func life() async throws {
        let registrar = try FakeRegistrar()
        let (agent, calls) = try telephone(registrar)
        #expect(await calls.awaits("account registered"))
        #expect(agent.accounts.first?.reachable == true)
        #expect((500...600).contains(agent.accounts.first?.expiresIn ?? 0))
        registrar.call(registrar.contact)
        #expect(await calls.awaits("incoming phoneNumber Bob B. office"))
        registrar.call(SIPURI(user: "nobody", host: "127.0.0.1", port: registrar.contact?.port))
        let deadline = MonotonicInstant.now + .seconds(5)
        while !registrar.answers.contains(404), MonotonicInstant.now < deadline {
            try await Task.sleep(for: .milliseconds(5))
        }
        await withCheckedContinuation { continuation in agent.shutDown { continuation.resume() } }
        #expect(registrar.answers.contains(180))
        #expect(registrar.answers.contains(480))
        #expect(registrar.answers.contains(404))
        #expect(registrar.requests.last?.expires == 0)
        #expect(agent.accounts.first?.state == .unregistered)
        registrar.endpoint.close()
    }

    @Test("Whom the registrar vouches for is who calls")
    @DaemonActor func assertedIdentity() async throws {
        let registrar = try FakeRegistrar()
        let (agent, calls) = try telephone(registrar)
        #expect(await calls.awaits("account registered"))
        registrar.call(registrar.contact, [(.pAssertedIdentity, "\"Carol\" <sip:+4930123@r.example>, <tel:+4930123>")])
        #expect(await calls.awaits("incoming phoneNumber Carol office"))
        let call = try #require(calls.offered.first)
        #expect(call.from == Handle(kind: .phoneNumber, value: "+4930123"))
        #expect(call.assertedIdentity == call.from && call.isVouchedFor)
        // A name that is missing there is taken from where the caller says it.
        registrar.call(registrar.contact, [(.pAssertedIdentity, "<tel:+4930124>")])
        #expect(await calls.awaits("incoming phoneNumber Bob B. office"))
        #expect(calls.offered.last?.from.value == "+4930124")
        // Nor has it to be asserted: what the registrar sends is as it says.
        registrar.call(registrar.contact)
        #expect(await calls.awaits("incoming phoneNumber Bob B. office", count: 2))
        #expect(calls.offered.last?.isVouchedFor == true && calls.offered.last?.assertedIdentity == nil)
        agent.endpoint.close()
        registrar.endpoint.close()
    }

    @Test("A call of the account goes to its registrar, with credentials")
    @DaemonActor func outgoing() async throws {
        let registrar = try FakeRegistrar()
        let (agent, calls) = try telephone(registrar)
        #expect { try agent.start(CallID(), to: Handle(kind: .phoneNumber, value: "200"), account: nil) } throws: {
            ($0 as? CallError)?.reason == .notRegistered
        }
        #expect { try agent.check(Handle(kind: .phoneNumber, value: "200"), account: nil) } throws: {
            ($0 as? CallError)?.reason == .notRegistered
        }
        #expect(await calls.awaits("account registered"))
        let name = try agent.start(CallID(), to: Handle(kind: .phoneNumber, value: "200"), account: nil)
        #expect(name == agent.accounts.first?.name)
        #expect(await calls.awaits("ended busy"))
        let invites = registrar.requests.filter { $0.method == .invite }
        #expect(invites.map { $0.requestURI?.description } == ["sip:200@r.example", "sip:200@r.example"])
        #expect(invites.map { $0.headers.contains(.authorization) } == [false, true])
        // Otherwise it would leave over TCP, which not every PBX takes (RFC 3261 §18.1.1).
        #expect(invites.allSatisfy { $0.serialized().count <= 1_300 }, "\(invites.map { $0.serialized().count })")
        #expect(invites.allSatisfy { $0.topVia?.transport == "UDP" })
        registrar.endpoint.close()
        agent.endpoint.close()
    }

    @Test("A registrar that refuses is told of")
    @DaemonActor func refused() async throws {
        let registrar = try FakeRegistrar()
        registrar.refusal = 403
        let (agent, calls) = try telephone(registrar)
        #expect(await calls.awaits("account failed"))
        #expect(agent.accounts.first?.lastError == "403 Forbidden")
        registrar.endpoint.close()
        agent.endpoint.close()
    }

    @Test("A new configuration keeps what is the same, unregisters what is gone, registers what is new")
    @DaemonActor func reconfigured() async throws {
        let registrar = try FakeRegistrar()
        let (agent, calls) = try telephone(registrar)
        #expect(await calls.awaits("account registered"))
        let kept = agent.agents.first
        agent.reconfigure(agent.configuration)
        #expect(agent.agents.first === kept)
        var changed = agent.configuration
        changed.accounts[0].name = "desk"
        agent.reconfigure(changed)
        #expect(await calls.awaits("account registered", count: 2))
        #expect(agent.accounts.map(\.name) == ["desk"])
        let deadline = MonotonicInstant.now + .seconds(5)
        while !registrar.requests.contains(where: { $0.expires == 0 }), MonotonicInstant.now < deadline {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(registrar.requests.contains { $0.expires == 0 })
        registrar.endpoint.close()
        agent.endpoint.close()
    }
}
