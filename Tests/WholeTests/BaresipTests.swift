import ControlProtocol
import Testing

extension Whole {
    @Suite("A call with baresip", .serialized, .timeLimit(.minutes(2)), .enabled(if: Baresip.isInstalled))
    struct BaresipTests {
        static let codecs = [("opus", "opus/48000/2"), ("PCMA", "PCMA/8000/1"), ("G722", "G722/16000/1")]

        @Test("We call it, hear our own sound back, hold, resume, and hang up", arguments: codecs)
        func outgoing(name: String, codec: String) throws {
            let peer = try Baresip(codec: codec, answers: true)
            let alice = try Endpoint("alice", tone: 440)
            try alice.control.request("call.start", ["handle": .string(peer.uri)])
            _ = try eventually("it answers") { try alice.call()["state"]?.string == "connected" ? true : nil }
            #expect(try alice.call()["codec"]?.string == name)
            try Self.expectEcho(at: alice)

            #expect(try alice.act("call.hold")["peerNotified"]?.bool == true)
            #expect(try alice.listen(seconds: 0.5).isDigitalSilence)
            #expect(try alice.act("call.resume")["changed"]?.bool == true)
            try Self.expectEcho(at: alice)
            try alice.act("call.end")
            try peer.event("CALL_CLOSED")
        }

        @Test("It calls us, holds us, resumes, and hangs up", arguments: codecs)
        func incoming(name: String, codec: String) throws {
            let peer = try Baresip(codec: codec, answers: false)
            let alice = try Endpoint("alice", tone: 440)
            try peer.command("dial", alice.uri)
            _ = try alice.control.event("call.incoming")
            try alice.act("call.answer")
            try peer.event("CALL_ESTABLISHED")
            #expect(try alice.call()["codec"]?.string == name)
            try Self.expectEcho(at: alice)

            try peer.command("hold")
            _ = try alice.control.event("call.updated") { $0["call"]?["remoteHeld"]?.bool == true }
            _ = try alice.listen(seconds: 0.6)
            let packets = try alice.statistics()["sent"]?["packets"]?.integer
            _ = try alice.listen(seconds: 0.3)
            #expect(try alice.statistics()["sent"]?["packets"]?.integer == packets)
            try peer.command("resume")
            _ = try alice.control.event("call.updated") { $0["call"]?["remoteHeld"]?.bool == false }
            try Self.expectEcho(at: alice)
            try peer.command("hangup")
            #expect(try alice.control.event("call.ended")["call"]?["endReason"]?.string == "remoteEnded")
        }

        static func expectEcho(at endpoint: Endpoint) throws {
            _ = try eventually("\(endpoint.name) hears the echo", within: 8) {
                try endpoint.listen(seconds: 0.3).levelDbfs(of: 440) > CallPair.audible ? true : nil
            }
        }
    }
}
