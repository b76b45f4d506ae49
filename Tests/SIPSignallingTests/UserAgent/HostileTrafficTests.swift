import CallModel
import EventLoop
import SIP
import Testing

@testable import SIPSignalling

@Suite("Hostile traffic at a running user agent", .serialized, .timeLimit(.minutes(3))) struct HostileTrafficTests {
    init() { EventLoop.shared.runInBackground() }

    @Test("Whatever datagrams come, the call that stands goes on, and another can be made", arguments: [1, 2])
    @DaemonActor func datagrams(seed: UInt64) async throws {
        let phones = try TwoTelephones(names: HostilePeer.names, t1: .milliseconds(50))
        defer { phones.close() }
        let standing = try await phones.connect()
        let socket = try DatagramSocket(try ListenAddress(parsing: "udp:127.0.0.1:0"), id: 1)
        defer { socket.close() }
        let peer = HostilePeer(seed: seed, port: socket.local.port)
        socket.onDatagram = { octets, _ in
            if let message = try? SIPMessage(parsing: octets) { peer.hear(message) }
        }
        for count in 1...1_500 {
            _ = socket.send(peer.next(over: .udp), to: phones.bobAddress)
            guard count.isMultiple(of: 20) else { continue }
            peer.disturb(phones.bob, sparing: standing.bob)
            await Fixture.wait(.milliseconds(2))
        }
        try await stillWorks(phones, standing)
    }

    @Test("Whatever comes over TCP, in whatever pieces, the call that stands goes on, and another can be made")
    @DaemonActor func segments() async throws {
        let phones = try TwoTelephones(.tcp, names: HostilePeer.names, t1: .milliseconds(50))
        defer { phones.close() }
        let standing = try await phones.connect()
        let peer = HostilePeer(seed: 4, port: 9)
        let listener = HostileStream(peer)
        // Some connections that begin a message and never end it.
        let idle = (0..<20).compactMap { StreamConnection(to: phones.bobAddress, id: $0, owner: listener) }
        for connection in idle { _ = connection.send(Array("INVITE sip:bob@bob.example SIP/2.0\r\nVia: ".utf8)) }
        var random = SeededOctets(state: 5)
        var connection: StreamConnection?
        for count in 1...800 {
            if connection.map({ $0.state == .closed }) ?? true {
                connection = StreamConnection(to: phones.bobAddress, id: UInt64(100 + count), owner: listener)
            }
            // Some leave in the middle of a message.
            if Int.random(in: 0..<50, using: &random) == 0 { connection?.close("enough") }
            let octets = peer.next(over: .tcp)
            let cut = Int.random(in: 0...octets.count, using: &random)
            _ = connection?.send(Array(octets[..<cut]))
            if Int.random(in: 0..<4, using: &random) == 0 { await Fixture.wait(.milliseconds(1)) }
            _ = connection?.send(Array(octets[cut...]))
            guard count.isMultiple(of: 10) else { continue }
            peer.disturb(phones.bob, sparing: standing.bob)
            await Fixture.wait(.milliseconds(2))
        }
        try await stillWorks(phones, standing)
        connection?.close("done")
        for connection in idle { connection.close("done") }
    }

    /// The call that stood before can be held and ended, and another one made.
    @DaemonActor private func stillWorks(
        _ phones: TwoTelephones, _ standing: (alice: CallID, bob: CallID)
    ) async throws {
        let calls = phones.bob.calls
        // Of calls that are over by now, too; the first is the one that stands.
        let incoming = phones.bobCalls.incoming.count
        #expect(incoming > 1, "nothing that was sent made a call: the test reaches nothing")
        #expect(phones.alice.calls[standing.alice]?.isOver == false)
        #expect(phones.bob.calls[standing.bob]?.isOver == false)
        // A flood within the bounds is waited for: transactions end, at the latest after 64 * T1.
        await Fixture.until { phones.bob.endpoint.table.count < 900 }
        phones.bobCalls.clear()
        phones.alice.setHeld(standing.alice, true)
        phones.alice.renegotiate(standing.alice, attempt: 1)
        #expect(await phones.aliceCalls.awaits("settled 1 accepted"))
        #expect(await phones.bobCalls.awaits("remoteHold true"))
        for id in calls.keys { phones.bob.end(id) }
        #expect(await phones.aliceCalls.awaits("ended remoteEnded"))
        for _ in 0..<40 where phones.bob.calls.count > 32 { await Fixture.wait(.seconds(1)) }
        #expect(phones.bob.calls.count <= 32)
        phones.aliceCalls.clear()
        phones.bobCalls.clear()
        let another = try await phones.connect()
        phones.alice.end(another.alice)
        #expect(await phones.bobCalls.awaits("ended remoteEnded"))
    }
}

/// The hostile peer's side of its connections.
@DaemonActor private final class HostileStream: StreamConnectionOwner {
    private let peer: HostilePeer
    init(_ peer: HostilePeer) { self.peer = peer }
    func received(_ message: SIPMessage, on connection: StreamConnection) { peer.hear(message) }
    func closed(_ connection: StreamConnection, reason: String) {}
}
