import EventLoop
import SIP
import Testing

@testable import SIPSignalling

@Suite("Listening", .timeLimit(.minutes(1))) struct ListeningTests {
    init() { EventLoop.shared.runInBackground() }

    @Test("A port in use is refused, naming who holds it", arguments: ["udp", "tcp"])
    @DaemonActor func inUse(transport: String) throws {
        let first = try Fixture.endpoint(["\(transport):127.0.0.1:0"])
        defer { first.close() }
        let taken = try #require(first.listening.first)
        do throws(SIPTransportError) {
            _ = try SIPEndpoint(listen: [taken])
            Issue.record("bound twice")
        } catch {
            guard case .portInUse(taken, let holder) = error else { return #expect(Bool(false), "\(error)") }
            #expect(holder?.contains("(pid ") == true)
            #expect(error.description.contains(taken.description))
        }
    }

    @Test("A failed start leaves no socket behind")
    @DaemonActor func partial() throws {
        let held = try Fixture.endpoint(["tcp:127.0.0.1:0"])
        defer { held.close() }
        let probe = try Fixture.endpoint()
        let free = try #require(probe.listening.first)
        probe.close()
        let taken = try #require(held.listening.first)
        #expect(throws: SIPTransportError.self) { try SIPEndpoint(listen: [free, taken]) }
        let again = try SIPEndpoint(listen: [free])
        again.close()
    }

    @Test("An address that is not ours is refused with the system's reason")
    @DaemonActor func notOurs() throws {
        let address = try ListenAddress(parsing: "udp:192.0.2.1:5060")
        do throws(SIPTransportError) {
            _ = try SIPEndpoint(listen: [address])
            Issue.record("bound")
        } catch {
            guard case .failed(address, operation: "bind", _) = error else { return #expect(Bool(false), "\(error)") }
        }
    }

    @Test("Our address on the way to a peer, with the port we listen on")
    @DaemonActor func local() throws {
        let endpoint = try Fixture.endpoint(["udp:0.0.0.0:0", "tcp:0.0.0.0:0"])
        defer { endpoint.close() }
        for listen in endpoint.listening {
            let peer = SIPHop(
                transport: listen.transport, address: try #require(SocketAddress(host: "127.0.0.1", port: 9)))
            let local = try #require(endpoint.localAddress(reaching: peer))
            #expect(local.host == "127.0.0.1")
            #expect(local.port == listen.address.port)
        }
    }
}
