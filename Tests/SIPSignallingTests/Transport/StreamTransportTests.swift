import EventLoop
import SIP
import Testing

@testable import SIPSignalling

@Suite("SIP over TCP", .timeLimit(.minutes(1))) struct StreamTransportTests {
    init() { EventLoop.shared.runInBackground() }

    @Test(
        "A request larger than 1300 octets goes over TCP, a small one over UDP",
        arguments: [(100, SIPTransportKind.udp), (1_400, .tcp)])
    @DaemonActor func large(body: Int, transport: SIPTransportKind) async throws {
        let server = try Self.bothTransports()
        let client = try Fixture.endpoint(["udp:127.0.0.1:0", "tcp:127.0.0.1:0"])
        defer { server.close() }
        defer { client.close() }
        let target = SIPTarget.hop(Fixture.hop(server, .udp))
        let outcome = await Fixture.outcome(client, try Fixture.request(.message, body: body), to: target)
        #expect(outcome.statuses == [200])
        #expect(outcome.source?.transport == transport)
        #expect(outcome.response?.topVia?.transport == (transport == .tcp ? "TCP" : "UDP"))
    }

    /// UDP and TCP on one port, as a SIP server has them.
    @DaemonActor static func bothTransports() throws -> SIPEndpoint {
        for _ in 0..<20 {
            let probe = try Fixture.endpoint(["udp:127.0.0.1:0"])
            let port = Fixture.hop(probe).address.port
            probe.close()
            if let both = try? Fixture.answering(200, ["udp:127.0.0.1:\(port)", "tcp:127.0.0.1:\(port)"]) {
                return both
            }
        }
        throw SIPTransportError.invalidListenAddress("no port is free for both")
    }

    @Test("Where TCP is refused a large request goes over UDP after all")
    @DaemonActor func refused() async throws {
        let server = try Fixture.answering()
        let client = try Fixture.endpoint()
        defer { server.close() }
        defer { client.close() }
        let target = SIPTarget.hop(Fixture.hop(server))
        let outcome = await Fixture.outcome(client, try Fixture.request(.message, body: 3_000), to: target)
        #expect(outcome.statuses == [200])
        #expect(outcome.source?.transport == .udp)
    }

    @Test("A second request uses the connection of the first, and the server's own comes back over it")
    @DaemonActor func reuse() async throws {
        let server = try Fixture.answering(200, ["tcp:127.0.0.1:0"])
        let client = try Fixture.answering(200, ["tcp:127.0.0.1:0"])
        defer { server.close() }
        defer { client.close() }
        var flows: [SIPSource] = []
        let answer = server.onRequest
        server.onRequest = {
            flows.append($2)
            answer?($0, $1, $2)
        }
        let target = SIPTarget.hop(Fixture.hop(server, .tcp))
        let first = await Fixture.outcome(client, try Fixture.request(.options), to: target)
        let second = await Fixture.outcome(client, try Fixture.request(.options), to: target)
        #expect(first.source == second.source)
        #expect(Set(flows).count == 1)
        let flow = try #require(flows.first)
        let back = await Fixture.outcome(server, try Fixture.request(.options), to: .flow(flow))
        #expect(back.statuses == [200])
        #expect(back.source == flow)
    }

    @Test("Nobody listens: the failure comes at once and names the place")
    @DaemonActor func nobody() async throws {
        let client = try Fixture.endpoint(["tcp:127.0.0.1:0"])
        let gone = try Fixture.endpoint(["tcp:127.0.0.1:0"])
        let hop = Fixture.hop(gone, .tcp)
        gone.close()
        defer { client.close() }
        let outcome = await Fixture.outcome(client, try Fixture.request(.options), to: .hop(hop))
        guard case .unreachable(let text) = outcome.failure else { return #expect(Bool(false), "\(outcome)") }
        #expect(text.contains("\(hop.address.port)"))
    }

    @Test("Messages are framed by Content-Length wherever the stream is cut, and keep-alives are answered")
    @DaemonActor func framing() async throws {
        let server = try Fixture.answering(200, ["tcp:127.0.0.1:0"])
        defer { server.close() }
        let peer = BareStream()
        let connection = try #require(StreamConnection(to: Fixture.hop(server, .tcp).address, id: 1, owner: peer))
        defer { connection.close("done") }
        var text: [UInt8] = []
        for branch in ["z9hG4bKa", "z9hG4bKb"] {
            var request = try Fixture.request(.message, body: 50)
            request.headers.prepend(.via, "SIP/2.0/TCP 127.0.0.1;branch=\(branch)")
            text += request.serialized()
        }
        for start in stride(from: 0, to: text.count, by: 97) {
            _ = connection.send(Array(text[start..<min(start + 97, text.count)]))
            await Fixture.wait(.milliseconds(2))
        }
        await Fixture.until { peer.messages.count == 2 }
        #expect(peer.messages.compactMap(\.status) == [200, 200])
        #expect(connection.state == .open)
    }

    @Test("A stranger's request ends its connection without a word; so does what is no SIP")
    @DaemonActor func stranger() async throws {
        for text in ["", "no SIP at all\r\n\r\n"] {
            let server = try Fixture.answering(200, ["tcp:127.0.0.1:0"])
            defer { server.close() }
            server.filter = { _, _ in false }
            let peer = BareStream()
            let connection = try #require(StreamConnection(to: Fixture.hop(server, .tcp).address, id: 1, owner: peer))
            var request = try Fixture.request(.options)
            request.headers.prepend(.via, "SIP/2.0/TCP 127.0.0.1;branch=z9hG4bKs")
            _ = connection.send(text.isEmpty ? request.serialized() : Array(text.utf8))
            await Fixture.until { peer.isClosed }
            #expect(peer.messages.isEmpty)
            #expect(peer.isClosed)
        }
    }

    @Test("A closed connection is told, and what waited on it fails")
    @DaemonActor func closed() async throws {
        let server = try Fixture.endpoint(["tcp:127.0.0.1:0"])
        let client = try Fixture.endpoint(["tcp:127.0.0.1:0"])
        defer { client.close() }
        server.onRequest = { [weak server] _, _, _ in server?.close() }
        var isTold = false
        client.onFlowClosed = { _ in isTold = true }
        let target = SIPTarget.hop(Fixture.hop(server, .tcp))
        let outcome = await Fixture.outcome(client, try Fixture.request(.options), to: target)
        guard case .unreachable = outcome.failure else { return #expect(Bool(false), "\(outcome)") }
        await Fixture.until { isTold }
        #expect(isTold)
    }
}

/// The peer's side of a connection.
@DaemonActor final class BareStream: StreamConnectionOwner {
    var messages: [SIPMessage] = []
    var isClosed = false
    func received(_ message: SIPMessage, on connection: StreamConnection) { messages.append(message) }
    func closed(_ connection: StreamConnection, reason: String) { isClosed = true }
}
