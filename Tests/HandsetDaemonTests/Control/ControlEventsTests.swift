import CallModel
import ControlProtocol
import EventLoop
import Testing

@testable import HandsetDaemon

@Suite("Control events", .timeLimit(.minutes(1))) struct ControlEventsTests {
    private func subscribe(_ client: LineClient, since: String = "null") -> JSONValue? {
        client.ask("{\"id\":1,\"method\":\"events.subscribe\",\"params\":{\"since\":\(since)}}")?["result"]
    }

    private func sequence(_ client: LineClient) -> Int? { client.nextJSON()?["params"]?["seq"]?.integer }

    @Test("Subscribers are told in order, others not at all")
    func live() async throws {
        let socket = try await ServedSocket()
        let (one, other, silent) = (try socket.client(), try socket.client(), try socket.client())
        for client in [one, other] {
            let result = subscribe(client)
            #expect(await result?["instance"]?.string == socket.server.instance)
            #expect(result?["seq"]?.integer == 0)
            #expect(result?["gap"]?.bool == false)
        }
        for _ in 1...3 { await socket.server.publish(.audioActivated) }
        for client in [one, other] {
            let first = client.nextJSON()
            #expect(first?["method"] == "event")
            #expect(first?["params"]?["type"] == "audio.activated")
            #expect(sequence(client) == 2)
            #expect(sequence(client) == 3)
        }
        #expect(silent.ask("{\"id\":7,\"method\":\"call.list\"}")?["id"]?.integer == 7)
        await socket.close()
    }

    @Test("What was missed is replayed, then the rest comes live")
    func replay() async throws {
        let socket = try await ServedSocket()
        for _ in 1...5 { await socket.server.publish(.audioActivated) }
        let client = try socket.client()
        let instance = await socket.server.instance
        let result = subscribe(client, since: "{\"instance\":\"\(instance)\",\"seq\":3}")
        #expect(result?["seq"]?.integer == 5)
        #expect(result?["gap"]?.bool == false)
        await socket.server.publish(.audioDeactivated)
        for expected in 4...6 { #expect(sequence(client) == expected) }
        await socket.close()
    }

    @Test("The last 1,024 are kept; who missed more, or knew another run of the daemon, is told of the gap")
    func gap() async throws {
        let socket = try await ServedSocket()
        let call = FakeBackend.call
        await Task { @DaemonActor in
            for _ in 1...1_100 { socket.server.publish(.callUpdated(call, changed: ["held"])) }
        }.value
        let instance = await socket.server.instance
        for since in ["{\"instance\":\"\(instance)\",\"seq\":1}", "{\"instance\":\"another\",\"seq\":1099}"] {
            let client = try socket.client()
            let result = subscribe(client, since: since)
            #expect(result?["gap"]?.bool == true)
            for expected in 77...1_100 { #expect(sequence(client) == expected) }
        }
        await socket.close()
    }

    @Test("A client that does not read is cut off, and no other notices")
    func stalled() async throws {
        let socket = try await ServedSocket()
        let (stalled, reading) = (try socket.client(), try socket.client())
        #expect(subscribe(stalled) != nil)
        #expect(subscribe(reading) != nil)
        let call = FakeBackend.call
        var expected = 0
        // Far more than a mebibyte and what the kernel buffers.
        for _ in 1...60 {
            await Task { @DaemonActor in
                for _ in 1...100 { socket.server.publish(.callUpdated(call, changed: ["held"])) }
            }.value
            for _ in 1...100 {
                expected += 1
                guard sequence(reading) == expected else {
                    Issue.record("event \(expected) did not come")
                    return
                }
            }
        }
        #expect(await socket.server.clients.count == 1)
        var received = 0
        while stalled.next() != nil { received += 1 }
        #expect(received < 6_000)
        #expect(reading.ask("{\"id\":7,\"method\":\"call.list\"}")?["id"]?.integer == 7)
        await socket.close()
    }

    @Test("A client that asks without reading is cut off")
    func asksWithoutReading() async throws {
        let socket = try await ServedSocket()
        let client = try socket.client()
        let lines = Array(String(repeating: "{\"id\":1,\"method\":\"daemon.status\"}\n", count: 1_000).utf8)
        var rounds = 0
        while rounds < 1_000, client.send(raw: lines) { rounds += 1 }
        #expect(rounds < 1_000)
        await socket.close()
    }
}
