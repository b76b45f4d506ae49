import EventLoop
import SIP
import Testing

@testable import SIPSignalling

@Suite("SIP endpoint on loopback", .timeLimit(.minutes(1))) struct SIPEndpointTests {
    init() { EventLoop.shared.runInBackground() }

    @Test("A request is answered", arguments: ["udp:127.0.0.1:0", "tcp:127.0.0.1:0", "udp:[::1]:0", "tcp:[::1]:0"])
    @DaemonActor func answered(listen: String) async throws {
        let server = try Fixture.answering(200, [listen])
        let client = try Fixture.endpoint([listen])
        defer { server.close() }
        defer { client.close() }
        let hop = Fixture.hop(server, try ListenAddress(parsing: listen).transport)
        let outcome = await Fixture.outcome(client, try Fixture.request(.options), to: .hop(hop))
        #expect(outcome.statuses == [200])
        #expect(outcome.sent.map(\.hop) == [hop])
        let via = try #require(outcome.response?.topVia)
        #expect(via.received == hop.address.host)
        #expect(via.rport != nil)
        #expect(via.branch?.hasPrefix(Via.magicCookie) == true)
    }

    @Test("Provisional answers, then the final one; the ACK of a refusal is absorbed, that of a 2xx delivered")
    @DaemonActor func invite() async throws {
        let server = try Fixture.endpoint()
        let client = try Fixture.endpoint()
        defer { server.close() }
        defer { client.close() }
        var acknowledgements = 0
        server.onRequest = { [weak server] id, request, _ in
            guard let id else {
                acknowledgements += 1
                return
            }
            server?.respond(id, request.response(180, toTag: "there"))
            let isFirst = request.headers.first(.subject) == nil
            server?.respond(id, request.response(isFirst ? 486 : 200, toTag: "there"))
        }
        let hop = Fixture.hop(server)
        #expect(await Fixture.outcome(client, try Fixture.request(.invite), to: .hop(hop)).statuses == [180, 486])
        await Fixture.wait(.milliseconds(100))
        #expect(acknowledgements == 0)
        var invite = try Fixture.request(.invite)
        invite.headers.append(.subject, "take it")
        #expect(await Fixture.outcome(client, invite, to: .hop(hop)).statuses == [180, 200])
        var ack = try Fixture.request(.ack)
        ack.headers.set(.callID, invite.callID ?? "")
        client.sendACK(ack, to: .hop(hop))
        await Fixture.until { acknowledgements == 1 }
        #expect(acknowledgements == 1)
    }

    @Test("An INVITE that nobody answers gets 100 after 200 ms, and CANCEL finds it")
    @DaemonActor func cancel() async throws {
        let server = try Fixture.endpoint()
        let client = try Fixture.endpoint()
        defer { server.close() }
        defer { client.close() }
        var reason: String?
        var waiting: (ServerTransactionID, SIPMessage)?
        server.onRequest = { [weak server] id, request, _ in
            guard let server, let id else { return }
            if request.method == .invite { waiting = (id, request) }
            guard request.method == .cancel else { return }
            reason = request.headers.first(.reason)
            #expect(server.invite(cancelledBy: request) == waiting?.0)
            server.respond(id, request.response(200, toTag: "there"))
            if let waiting { server.respond(waiting.0, waiting.1.response(487, toTag: "there")) }
        }
        let invite = try Fixture.request(.invite)
        let statuses = await withCheckedContinuation { (done: CheckedContinuation<[Int], Never>) in
            var statuses: [Int] = []
            let sent = Sent()
            sent.id = client.send(invite, to: .hop(Fixture.hop(server))) { event in
                switch event {
                // Before any provisional answer: the CANCEL waits for the 100.
                case .sent: if let id = sent.id { client.cancel(id, reason: "SIP;cause=200") }
                case .response(let response, _):
                    statuses.append(response.status ?? 0)
                    if response.status ?? 0 >= 200 { done.resume(returning: statuses) }
                case .failed(let failure):
                    Issue.record("\(failure)")
                    done.resume(returning: statuses)
                }
            }
        }
        #expect(statuses == [100, 487])
        #expect(reason == "SIP;cause=200")
    }

    @Test("A retransmitted request is answered again, and delivered once")
    @DaemonActor func retransmission() async throws {
        let server = try Fixture.answering()
        let peer = try BareSocket()
        defer { server.close() }
        defer { peer.socket.close() }
        var delivered = 0
        let answer = server.onRequest
        server.onRequest = {
            delivered += 1
            answer?($0, $1, $2)
        }
        var request = try Fixture.request(.options)
        request.headers.prepend(.via, "SIP/2.0/UDP 127.0.0.1:\(peer.socket.local.port);branch=z9hG4bKsame")
        let text = String(decoding: request.serialized(), as: UTF8.self)
        for count in 1...3 {
            peer.say(text, to: Fixture.hop(server))
            await Fixture.until { peer.heard.count == count }
        }
        #expect(delivered == 1)
        #expect(peer.heard.count == 3)
        #expect(Set(peer.heard).count == 1)
    }

    @Test(
        "Nobody who is not let in hears anything: not for requests, malformed ones, nor ACKs", arguments: [false, true])
    @DaemonActor func silence(letsIn: Bool) async throws {
        let server = try Fixture.answering()
        let peer = try BareSocket()
        defer { server.close() }
        defer { peer.socket.close() }
        var asked = 0
        server.filter = { _, source in
            asked += 1
            #expect(source.host == "127.0.0.1")
            return letsIn
        }
        var request = try Fixture.request(.options)
        request.headers.prepend(.via, "SIP/2.0/UDP 127.0.0.1:\(peer.socket.local.port);branch=z9hG4bKone;rport")
        let good = String(decoding: request.serialized(), as: UTF8.self)
        let noCallID = good.replacing("Call-ID", with: "X-Call-ID").replacing("bKone", with: "bKtwo")
        let version = good.replacing("SIP/2.0\r\n", with: "SIP/7.0\r\n").replacing("bKone", with: "bKthree")
        for text in [good, noCallID, version] { peer.say(text, to: Fixture.hop(server)) }
        await Fixture.until { asked == 3 }
        await Fixture.wait(.milliseconds(150))
        #expect(asked == 3)
        let statuses = peer.heard.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
        #expect(statuses.sorted() == (letsIn ? ["200", "400", "505"] : []))
    }

    @Test(
        "What is no SIP, or answers nothing of ours, leaves no trace",
        arguments: [
            "\r\n\r\n", "\u{0}\u{1}", "GET / HTTP/1.1\r\n\r\n",
            "SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP x;branch=z9hG4bKx\r\n\r\n",
        ])
    @DaemonActor func garbage(text: String) async throws {
        let server = try Fixture.answering()
        let peer = try BareSocket()
        defer { server.close() }
        defer { peer.socket.close() }
        peer.say(text, to: Fixture.hop(server))
        await Fixture.wait(.milliseconds(60))
        #expect(peer.heard.isEmpty)
        let client = try Fixture.endpoint()
        defer { client.close() }
        let outcome = await Fixture.outcome(client, try Fixture.request(.options), to: .hop(Fixture.hop(server)))
        #expect(outcome.statuses == [200])
    }

    @Test("Without rport the answer goes to the port of the Via, at the address it came from")
    @DaemonActor func noRport() async throws {
        let server = try Fixture.answering()
        let sender = try BareSocket()
        let listener = try BareSocket()
        defer { server.close() }
        defer { sender.socket.close() }
        defer { listener.socket.close() }
        var request = try Fixture.request(.options)
        request.headers.prepend(.via, "SIP/2.0/UDP 192.0.2.99:\(listener.socket.local.port);branch=z9hG4bKv")
        sender.say(String(decoding: request.serialized(), as: UTF8.self), to: Fixture.hop(server))
        await Fixture.until { !listener.heard.isEmpty }
        #expect(sender.heard.isEmpty)
        #expect(listener.heard.count == 1)
        #expect(listener.heard.first?.contains("received=127.0.0.1") == true)
    }

    @Test("A server that says 503 is followed by the next one of its name, so is one that is not there")
    @DaemonActor func failOver() async throws {
        let busy = try Fixture.answering(503)
        let good = try Fixture.answering(200)
        defer { busy.close() }
        defer { good.close() }
        func record(_ priority: UInt16, _ port: UInt16) -> SRVRecord {
            SRVRecord(priority: priority, weight: 0, port: port, target: "host.example")
        }
        let gone = try BareSocket()
        let gonePort = gone.socket.local.port
        gone.socket.close()
        let names = FakeNames(
            records: [
                "_sip._udp.pbx.example": [
                    record(1, gonePort), record(2, Fixture.hop(busy).address.port),
                    record(3, Fixture.hop(good).address.port),
                ]
            ], hosts: ["host.example": ["127.0.0.1"]])
        let client = try Fixture.endpoint(names: names)
        defer { client.close() }
        let target = SIPTarget.uri(try SIPURI(parsing: "sip:b@pbx.example"))
        let outcome = await Fixture.outcome(client, try Fixture.request(.options), to: target)
        #expect(outcome.statuses == [200])
        #expect(outcome.sent.count == 3)
        #expect(outcome.source?.hop == Fixture.hop(good))
    }

    @Test(
        "What cannot be resolved or reached fails with words", arguments: ["sip:b@nowhere.example", "sips:b@x.example"])
    @DaemonActor func unresolvable(uri: String) async throws {
        let client = try Fixture.endpoint()
        defer { client.close() }
        let outcome = await Fixture.outcome(
            client, try Fixture.request(.options), to: .uri(try SIPURI(parsing: uri)))
        guard case .unresolvable = outcome.failure else { return #expect(Bool(false), "\(outcome)") }
    }

    @Test("What is cancelled before it has left never leaves")
    @DaemonActor func cancelEarly() async throws {
        let silent = try BareSocket()
        let client = try Fixture.endpoint()
        defer { silent.socket.close() }
        defer { client.close() }
        let invite = try Fixture.request(.invite)
        let failure = await withCheckedContinuation { (done: CheckedContinuation<ClientTransactionFailure?, Never>) in
            let target = SIPTarget.hop(SIPHop(transport: .udp, address: silent.socket.local))
            let id = client.send(invite, to: target) { event in
                if case .failed(let failure) = event { done.resume(returning: failure) }
            }
            client.cancel(id)
        }
        #expect(failure == .cancelled)
        await Fixture.wait(.milliseconds(50))
        #expect(silent.heard.isEmpty)
    }

    @Test("A peer that is silent is a time-out after 64 * T1")
    @DaemonActor func timeOut() async throws {
        let silent = try BareSocket()
        let client = try Fixture.endpoint(t1: .milliseconds(20))
        defer { silent.socket.close() }
        defer { client.close() }
        let hop = SIPHop(transport: .udp, address: silent.socket.local)
        let outcome = await Fixture.outcome(client, try Fixture.request(.options), to: .hop(hop))
        guard case .timedOut = outcome.failure else { return #expect(Bool(false), "\(outcome)") }
        #expect(silent.heard.count >= 3)
        #expect(Set(silent.heard).count == 1)
    }
}
