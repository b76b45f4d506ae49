import ControlProtocol
import Testing

extension Whole {
    @Suite("A call with baresip", .serialized, .timeLimit(.minutes(2)), .enabled(if: Baresip.isInstalled))
    struct BaresipTests {
        static let codecs = [("opus", "opus/48000/1"), ("PCMA", "PCMA/8000/1"), ("G722", "G722/16000/1")]

        @Test("We call it, hear each other, hold, resume, and hang up", arguments: codecs)
        func outgoing(name: String, codec: String) throws {
            let peer = try Baresip(codec: codec, answers: true, tone: 700)
            let alice = try Endpoint("alice", tone: 440)
            try alice.control.request("call.start", ["handle": .string(peer.uri)])
            try alice.expectConnected()
            #expect(try alice.call()["codec"]?.string == name)
            try peer.expectHeard(440)
            try alice.expectHeard(700)

            #expect(try alice.act("call.hold")["peerNotified"]?.bool == true)
            #expect(try alice.listen(seconds: 0.5).isDigitalSilence)
            _ = try peer.listen(seconds: 0.4)
            #expect(try peer.listen(seconds: 0.4).isDigitalSilence)
            #expect(try alice.act("call.resume")["changed"]?.bool == true)
            try peer.expectHeard(440)
            try alice.expectHeard(700)
            try alice.act("call.end")
            try peer.event("CALL_CLOSED")
        }

        @Test("It calls us, holds us, resumes, is held by us, and hangs up", arguments: codecs)
        func incoming(name: String, codec: String) throws {
            let peer = try Baresip(codec: codec, answers: false, tone: 700)
            let alice = try Endpoint("alice", tone: 440)
            try peer.command("dial", alice.uri)
            _ = try alice.control.event("call.incoming")
            try alice.act("call.answer")
            try peer.event("CALL_ESTABLISHED")
            #expect(try alice.call()["codec"]?.string == name)
            try peer.expectHeard(440)
            try alice.expectHeard(700)

            try peer.command("hold")
            _ = try alice.control.event("call.updated") { $0["call"]?["remoteHeld"]?.bool == true }
            _ = try peer.listen(seconds: 0.4)
            let packets = try alice.statistics()["sent"]?["packets"]?.integer
            #expect(try peer.listen(seconds: 0.4).isDigitalSilence)
            #expect(try alice.statistics()["sent"]?["packets"]?.integer == packets)
            try peer.command("resume")
            _ = try alice.control.event("call.updated") { $0["call"]?["remoteHeld"]?.bool == false }
            try peer.expectHeard(440)
            try alice.expectHeard(700)

            #expect(try alice.act("call.hold")["peerNotified"]?.bool == true)
            #expect(try alice.listen(seconds: 0.4).isDigitalSilence)
            try alice.act("call.resume")
            try alice.expectHeard(700)
            try peer.command("hangup")
            #expect(try alice.control.event("call.ended")["call"]?["endReason"]?.string == "remoteEnded")
        }

        @Test("It goes where we transfer it")
        func transferee() throws {
            let peer = try Baresip(codec: "PCMA/8000/1", answers: true, tone: 700)
            let carol = try Endpoint("carol", tone: 1_800, settings: "[calls]\nanswer_after_ms = 300")
            let alice = try Endpoint("alice", tone: 440)
            try alice.control.request("call.start", ["handle": .string(peer.uri)])
            try alice.expectConnected()
            try alice.expectHeard(700)
            #expect(try alice.act("call.transfer", ["handle": .string(carol.uri)])["changed"]?.bool == true)
            #expect(try alice.control.event("call.ended")["call"]?["endReason"]?.string == "transferred")
            try carol.expectHeard(700)
            try peer.expectHeard(1_800)
        }

        @Test("It waits while we answer another, then all are a conference: each hears all others and never itself")
        func conference() throws {
            let peer = try Baresip(codec: "PCMA/8000/1", answers: true, tone: 700)
            let alice = try Endpoint("alice", tone: 450)
            let carol = try Endpoint("carol", tone: 1_500)
            try alice.control.request("call.start", ["handle": .string(peer.uri)])
            try alice.expectConnected()
            try alice.expectHeard(700)
            let first = try alice.callID()
            try carol.control.request("call.start", ["handle": .string(alice.uri)])
            let second = try alice.incomingCall(beside: first)
            try alice.act("call.answer", ["id": .string(second)])
            try carol.expectHeard(450)
            try alice.expectHeard(1_500)
            #expect(try peer.listen(seconds: 0.4).isDigitalSilence)

            let ids = JSONValue.array([.string(first), .string(second)])
            #expect(try alice.control.request("group.merge", ["ids": ids])["changed"]?.bool == true)
            for tone in [450.0, 1_500] { try peer.expectHeard(tone) }
            for tone in [450.0, 700] { try carol.expectHeard(tone) }
            for tone in [700.0, 1_500] { try alice.expectHeard(tone) }
            #expect(try peer.listen(seconds: 0.4).levelDbfs(of: 700) < -50)
            #expect(try carol.listen(seconds: 0.4).levelDbfs(of: 1_500) < -50)

            #expect(try alice.act("call.hold", ["id": .string(second)])["peerNotified"]?.bool == true)
            _ = try peer.listen(seconds: 0.4)
            #expect(try peer.listen(seconds: 0.4).isDigitalSilence && carol.listen(seconds: 0.3).isDigitalSilence)
            #expect(try alice.listen(seconds: 0.3).isDigitalSilence)
            try alice.act("call.resume", ["id": .string(first)])
            for tone in [450.0, 1_500] { try peer.expectHeard(tone) }
            try peer.command("hangup")
            _ = try alice.control.event("call.ended")
            try carol.expectHeard(450)
            #expect(try alice.call()["group"] == .null && carol.listen(seconds: 0.4).levelDbfs(of: 700) < -60)
        }

        @Test("It is turned away where nobody wants to be disturbed, and when it is blocked; the history has both")
        func turnedAway() throws {
            let peer = try Baresip(codec: "PCMA/8000/1", answers: false, tone: 700)
            let alice = try Endpoint("alice", tone: nil)
            for (command, reason) in [(["dnd", "on"], "doNotDisturb"), (["block", "add", "baresip"], "blocked")] {
                #expect(try HandsetCommand(command, socket: alice.socket).finish().status == 0)
                try peer.command("dial", alice.uri)
                #expect(try alice.control.event("call.ended")["call"]?["endReason"]?.string == reason)
                try peer.event("CALL_CLOSED")
                _ = try alice.control.event("history.changed")
            }
            let entries = try alice.control.request("history.list")["entries"]?.array
            #expect(entries?.map { $0["endReason"]?.string } == ["blocked", "doNotDisturb"])
            #expect(entries?.map { $0["missed"]?.bool } == [false, true])
            #expect(try alice.control.request("daemon.status")["missedCalls"]?.integer == 1)
        }

        @Test("It transfers us")
        func transferor() throws {
            let peer = try Baresip(codec: "PCMA/8000/1", answers: false, tone: 700)
            let carol = try Endpoint("carol", tone: 1_800, settings: "[calls]\nanswer_after_ms = 300")
            let alice = try Endpoint("alice", tone: 440)
            try peer.command("dial", alice.uri)
            _ = try alice.control.event("call.incoming")
            try alice.act("call.answer")
            try peer.event("CALL_ESTABLISHED")
            try peer.command("transfer", carol.uri)
            try alice.expectHeard(1_800)
            try carol.expectHeard(440)
            // The old call ends as the referrer sees that we have the new one.
            #expect(try alice.control.event("call.ended")["call"]?["endReason"]?.string == "remoteEnded")
        }
    }
}
