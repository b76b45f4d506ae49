import CallModel
import ControlProtocol
import EventLoop
import Glibc
import Testing

@testable import HandsetDaemon

@Suite("Control server", .timeLimit(.minutes(1))) struct ControlServerTests {
    private let hold = """
        {"id":1,"method":"call.hold","params":{"id":"0b5e3c1c-5c1d-4a26-9d6a-6c9d9e6a4f01","token":"t1"}}
        """

    @Test("Requests are answered under their id, results and failures alike")
    func answers() async throws {
        let socket = try await ServedSocket()
        let client = try socket.client()
        let status = client.ask("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"daemon.status\"}")
        #expect(status?["id"] == "a")
        #expect(status?["jsonrpc"] == "2.0")
        #expect(await status?["result"]?["instance"]?.string == socket.server.instance)
        #expect(client.ask("{\"id\":2,\"method\":\"call.list\"}")?["result"]?["calls"] == .array([]))
        #expect(client.ask("{\"id\":3,\"method\":\"devices.list\"}")?["result"]?["devices"] == .array([]))
        #expect(client.ask("{\"id\":4,\"method\":\"stats.get\"}")?["result"]?["loop"] != nil)
        #expect(client.ask("{\"id\":5,\"method\":\"daemon.reload\"}")?["result"]?["applied"] != nil)
        let id = FakeBackend.call.id
        let missing = client.ask("{\"id\":6,\"method\":\"stats.get\",\"params\":{\"id\":\"\(id)\"}}")
        #expect(missing?["error"]?["data"]?["reason"] == "unknownCall")
        let refused = client.ask("{\"id\":7,\"method\":\"call.answer\",\"params\":{\"id\":\"\(id)\"}}")
        #expect(refused?["error"]?["data"]?["sipStatus"]?.integer == 488)
        #expect(refused?["error"]?["code"]?.integer == -32000)
        await socket.close()
    }

    @Test(
        "A bad line gets its error, and the connection lives",
        arguments: ["{", "[]", "\u{0}", "null", "{\"method\":1}", "{\"id\":1,\"method\":\"no.such\"}", "\u{FEFF}{}"])
    func hostileLines(line: String) async throws {
        let socket = try await ServedSocket()
        let client = try socket.client()
        #expect(client.ask(line)?["error"]?["code"]?.integer ?? 0 < -32599)
        #expect(client.ask("{\"id\":9,\"method\":\"call.list\"}")?["id"]?.integer == 9)
        await socket.close()
    }

    @Test("A line of a megabyte is skipped with one error")
    func longLine() async throws {
        let socket = try await ServedSocket()
        let client = try socket.client()
        client.send(raw: Array(repeating: UInt8(ascii: "x"), count: 1 << 20) + [UInt8(ascii: "\n")])
        #expect(client.nextJSON()?["error"]?["code"]?.integer == -32600)
        #expect(client.ask("{\"id\":9,\"method\":\"call.list\"}")?["id"]?.integer == 9)
        await socket.close()
    }

    @Test("A request without an id is carried out and not answered")
    func notifications() async throws {
        let socket = try await ServedSocket()
        let client = try socket.client()
        let id = FakeBackend.call.id
        client.send("{\"method\":\"call.mute\",\"params\":{\"id\":\"\(id)\"}}")
        client.send("{\"method\":\"no.such\"}")
        #expect(client.ask("{\"id\":1,\"method\":\"call.list\"}")?["id"]?.integer == 1)
        #expect(await socket.backend.performed == [.mute(id)])
        await socket.close()
    }

    @Test("A quick request overtakes a slow one; a client that has asked its last is still answered")
    func order() async throws {
        let socket = try await ServedSocket()
        let client = try socket.client()
        client.send(hold)
        #expect(client.ask("{\"id\":2,\"method\":\"call.list\"}")?["id"]?.integer == 2)
        client.finish()
        await socket.backend.release()
        #expect(client.nextJSON()?["id"]?.integer == 1)
        #expect(client.next() == nil)
        await socket.close()
    }

    @Test("The end of what a client sends ends its last line; one that was cut off is told so, and not carried out")
    func lastLine() async throws {
        let socket = try await ServedSocket()
        let client = try socket.client()
        client.send(raw: Array("{\"id\":1,\"method\":\"call.list\"}\n{\"id\":2,\"method\":\"call.list\"}".utf8))
        client.finish()
        #expect(client.nextJSON()?["id"]?.integer == 1)
        #expect(client.nextJSON()?["id"]?.integer == 2)
        #expect(client.next() == nil)
        let other = try socket.client()
        other.send(raw: Array("{\"id\":3,\"method\":\"call.mute\",\"params\":{\"id\":\"\(FakeBackend.call.id)\"".utf8))
        other.finish()
        #expect(other.nextJSON()?["error"] != nil)
        #expect(other.next() == nil)
        #expect(await socket.backend.performed.isEmpty)
        await socket.close()
    }

    @Test("Four hundred requests in one write are all answered, in order")
    func pipeline() async throws {
        let socket = try await ServedSocket()
        let client = try socket.client()
        let lines = (1...400).map { "{\"id\":\($0),\"method\":\"call.list\"}\n" }
        client.send(raw: Array(lines.joined().utf8))
        for id in 1...400 { #expect(client.nextJSON()?["id"]?.integer == id) }
        await socket.close()
    }

    @Test("More slow requests than may be under way wait for their turn")
    func inFlight() async throws {
        let socket = try await ServedSocket()
        let client = try socket.client()
        let id = FakeBackend.call.id
        let lines = (1...200).map { "{\"id\":\($0),\"method\":\"call.hold\",\"params\":{\"id\":\"\(id)\"}}\n" }
        client.send(raw: Array(lines.joined().utf8))
        var answered = 0
        for _ in 1...20 where answered < 200 {
            await socket.backend.release()
            client.wait(seconds: 0)
            while client.nextJSON() != nil { answered += 1 }
        }
        #expect(answered == 200)
        #expect(await socket.backend.performed.count == 200)
        await socket.close()
    }

    @Test("A token seen before is answered with the first result, also while that is under way")
    func tokens() async throws {
        let socket = try await ServedSocket()
        let (one, other) = (try socket.client(), try socket.client())
        one.send(hold)
        #expect(one.ask("{\"id\":5,\"method\":\"call.list\"}") != nil)
        other.send(hold.replacing("\"id\":1,", with: "\"id\":2,"))
        #expect(other.ask("{\"id\":5,\"method\":\"call.list\"}") != nil)
        await socket.backend.release()
        let first = one.nextJSON()
        let shared = other.nextJSON()
        let again = one.ask(hold.replacing("\"id\":1,", with: "\"id\":3,"))
        #expect(first?["result"] != nil)
        #expect(shared?["id"]?.integer == 2)
        #expect(again?["id"]?.integer == 3)
        #expect(shared?["result"] == first?["result"])
        #expect(again?["result"] == first?["result"])
        #expect(await socket.backend.performed.count == 1)
        await socket.close()
    }

    @Test("A token that comes with another request is an error that names it, and neither request is carried out again")
    func takenToken() async throws {
        let socket = try await ServedSocket()
        let client = try socket.client()
        let mute = hold.replacing("call.hold", with: "call.mute")
        #expect(client.ask(mute)?["result"] != nil)
        let other = client.ask(mute.replacing("call.mute", with: "call.earmuff"))
        #expect(other?["error"]?["code"]?.integer == -32600)
        #expect(other?["error"]?["message"]?.string?.contains("\"t1\"") == true)
        #expect(client.ask(mute)?["result"]?["elapsedMs"]?.double == 1)
        #expect(await socket.backend.performed.count == 1)
        await socket.close()
    }

    @Test("A client that lost its connection asks again with its token, and nothing is done twice")
    func tokenAfterReconnect() async throws {
        let socket = try await ServedSocket()
        do {
            let lost = try socket.client()
            lost.send(hold)
            #expect(lost.ask("{\"id\":5,\"method\":\"call.list\"}") != nil)
        }
        // Still under way.
        let second = try socket.client()
        second.send(hold)
        #expect(second.ask("{\"id\":5,\"method\":\"call.list\"}") != nil)
        await socket.backend.release()
        let answer = second.nextJSON()
        #expect(answer?["result"]?["elapsedMs"]?.double == 1)
        // Long over.
        let third = try socket.client()
        #expect(third.ask(hold)?["result"] == answer?["result"])
        #expect(await socket.backend.performed.count == 1)
        await socket.close()
    }

    @Test("Of too many clients the last is turned away, and the others are served")
    func manyClients() async throws {
        let socket = try await ServedSocket()
        let clients = try (0..<ControlServer.maximumClients).map { _ in try socket.client() }
        for client in clients { #expect(client.ask("{\"id\":1,\"method\":\"call.list\"}") != nil) }
        for last in [try socket.client(), try await Self.hasty(socket)] {
            #expect(last.nextJSON()?["error"]?["data"]?["reason"] == "notPermitted")
            #expect(last.next() == nil)
        }
        for client in clients { #expect(client.ask("{\"id\":2,\"method\":\"call.list\"}") != nil) }
        await socket.close()
    }

    /// A client that has asked before it is looked at: on the loop, which does nothing else meanwhile.
    @DaemonActor private static func hasty(_ socket: ServedSocket) throws -> sending LineClient {
        let client = try socket.client()
        client.send("{\"id\":1,\"method\":\"call.list\"}")
        return client
    }

    @Test(
        "The call of a probe that nobody waits for any more is ended, in time to ask again",
        arguments: [("", "", true), ("", ",\"detached\":true", false), (",\"token\":\"p\"", "", false)])
    func probeOfNobody(token: String, more: String, isEnded: Bool) async throws {
        let socket = try await ServedSocket()
        await socket.setPatience(.milliseconds(400))
        let id = FakeBackend.call.id
        let probe = "{\"id\":1,\"method\":\"probe.run\",\"params\":{\"handle\":\"a\",\"id\":\"\(id)\"\(more)\(token)}}"
        let other = try socket.client()
        do {
            let lost = try socket.client()
            lost.send(probe)
            #expect(lost.ask("{\"id\":2,\"method\":\"call.list\"}") != nil)
        }
        // With its token it is the same probe, which it waits for in the other's place.
        if !token.isEmpty { other.send(probe) }
        try await Task.sleep(for: .seconds(1))
        #expect(other.ask("{\"id\":3,\"method\":\"call.list\"}") != nil)
        #expect(await socket.backend.performed == (isEnded ? [.end(id)] : []))
        await socket.backend.release()
        if !token.isEmpty { #expect(other.nextJSON()?["id"]?.integer == 1) }
        await socket.close()
    }

    @Test("A client that goes away while its request is under way harms nobody")
    func vanished() async throws {
        let socket = try await ServedSocket()
        do {
            let client = try socket.client()
            client.send(hold)
            #expect(client.ask("{\"id\":2,\"method\":\"call.list\"}") != nil)
        }
        let other = try socket.client()
        #expect(other.ask("{\"id\":1,\"method\":\"call.list\"}") != nil)
        await socket.backend.release()
        #expect(other.ask("{\"id\":2,\"method\":\"call.list\"}") != nil)
        await socket.close()
    }
}
