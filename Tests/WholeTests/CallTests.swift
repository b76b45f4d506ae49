import ControlProtocol
import Glibc
import Testing

extension Whole {
    @Suite("Life of a call", .serialized, .timeLimit(.minutes(2))) struct CallTests {
        @Test("Ring-back is heard by who dials, and a refused call ends with its reason")
        func reject() throws {
            let pair = try CallPair()
            let (alice, bob) = (pair.alice, pair.bob)
            let started = try alice.control.request("call.start", ["handle": .string(bob.uri)])
            #expect(started["call"]?["direction"]?.string == "outgoing")
            let incoming = try bob.control.event("call.incoming")
            #expect(incoming["call"]?["state"]?.string == "incoming")
            _ = try eventually("alice hears it ring") {
                try alice.listen(seconds: 0.3).heardDbfs(of: 425) > -40 ? true : nil
            }
            #expect(try alice.call()["state"]?.string == "ringing")
            try bob.act("call.reject", ["reason": .string("busy")])
            #expect(try alice.control.event("call.ended")["call"]?["endReason"]?.string == "busy")
            #expect(try bob.control.event("call.ended")["call"]?["endReason"]?.string == "busy")
        }

        @Test("A caller who gives up leaves an unanswered call")
        func cancel() throws {
            let pair = try CallPair()
            try pair.alice.control.request("call.start", ["handle": .string(pair.bob.uri)])
            _ = try pair.bob.control.event("call.incoming")
            try pair.alice.act("call.end")
            #expect(try pair.bob.control.event("call.ended")["call"]?["endReason"]?.string == "unanswered")
            #expect(try pair.alice.control.event("call.ended")["call"]?["endReason"]?.string == "localEnded")
            #expect(try pair.bob.control.request("daemon.status")["missedCalls"]?.integer == 1)
            #expect(try pair.alice.control.request("daemon.status")["missedCalls"]?.integer == 0)
        }

        @Test(
            "Over IPv6 both hear each other, and hold is as exact",
            .enabled(if: readText("/proc/net/if_inet6").contains(" lo\n")))
        func ipv6() throws {
            let pair = try CallPair(host: "[::1]", srtp: "required")
            try pair.connect()
            try pair.holdAndResume()
            try pair.alice.act("call.end")
            #expect(try pair.bob.control.event("call.ended")["call"]?["endReason"]?.string == "remoteEnded")
        }

        @Test("What is shown of a direct caller can be called back")
        func callBack() throws {
            let pair = try CallPair()
            try pair.alice.control.request("call.start", ["handle": .string(pair.bob.uri)])
            let shown = try #require(
                try pair.bob.control.event("call.incoming")["call"]?["handle"]?["value"]?.string)
            #expect(shown.contains("127.0.0.1:\(pair.alice.port)"))
            try pair.alice.act("call.end")
            _ = try pair.bob.control.event("call.ended")
            try pair.bob.control.request("call.start", ["handle": .string(shown)])
            _ = try pair.alice.control.event("call.incoming")
        }

        @Test("A call that goes on gives back the memory that only its beginning needed")
        func givenBack() throws {
            let pair = try CallPair(srtp: "required")
            try pair.connect()
            let atFirst = try residentFileKilobytes(of: pair.bob)
            _ = try eventually("less than at first") {
                try residentFileKilobytes(of: pair.bob) < atFirst - 1_000 ? true : nil
            }
            try pair.bob.expectHeard(CallPair.aliceTone)
        }

        /// What is mapped of the program and its libraries, and resident (`RssFile`, proc_pid_status(5)).
        private func residentFileKilobytes(of endpoint: Endpoint) throws -> Int {
            let status = readText("/proc/\(endpoint.process.identifier)/status")
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
            return try #require(Int(line.split { $0 == " " || $0 == "\t" }[1]))
        }

        @Test("Answering a second call holds the first")
        func secondCall() throws {
            let pair = try CallPair()
            let carol = try Endpoint("carol", tone: 1_800)
            try pair.connect()
            let first = try pair.bob.callID()
            try carol.control.request("call.start", ["handle": .string(pair.bob.uri)])
            let second = try pair.bob.incomingCall(beside: first)
            // The first goes on while the second rings.
            #expect(try pair.alice.listen(seconds: 0.3).heardDbfs(of: CallPair.bobTone) > CallPair.audible)
            try pair.bob.act("call.answer", ["id": .string(second)])
            _ = try pair.alice.control.event("call.updated") { $0["call"]?["remoteHeld"]?.bool == true }
            try pair.bob.expectHeard(1_800)
            try carol.expectHeard(CallPair.bobTone)
            let sound = try pair.bob.listen(seconds: 0.5)
            #expect(sound.levelDbfs(of: CallPair.aliceTone) < -60)
            try pair.bob.act("call.end", ["id": .string(second)])
            try pair.bob.act("call.resume", ["id": .string(first)])
            try pair.bob.expectHeard(CallPair.aliceTone)
        }

        @Test("SIGTERM ends the calls with BYE, and the daemon orderly")
        func terminate() throws {
            let pair = try CallPair()
            try pair.connect()
            pair.alice.process.send(SIGTERM)
            #expect(try pair.bob.control.event("call.ended")["call"]?["endReason"]?.string == "remoteEnded")
            #expect(pair.alice.process.wait(seconds: 5) == 0)
        }

        @Test("Actions that cannot be done fail with their reason and change nothing")
        func failures() throws {
            let pair = try CallPair()
            let control = pair.alice.control
            let nobody: JSONObject = ["id": .string("00000000-0000-4000-8000-000000000000")]
            for method in ["answer", "end", "hold", "resume", "mute", "unmute", "earmuff", "unearmuff", "reject"] {
                #expect(try control.failure("call.\(method)", nobody) == "unknownCall")
            }
            #expect(try control.failure("call.start", ["handle": .string("sips:bob@127.0.0.1")]) == "invalidHandle")
            #expect(try control.failure("call.start", ["handle": .string("")]) == "invalidHandle")
            #expect(
                try control.failure("call.start", ["handle": .string("bob"), "account": .string("none")])
                    == "unknownAccount")
            #expect(try control.failure("transaction.request", ["actions": .array([])]) == "emptyTransaction")
            try control.request("call.start", ["handle": .string(pair.bob.uri)])
            _ = try pair.bob.control.event("call.incoming")
            #expect(try pair.bob.control.failure("call.hold", ["id": .string(try pair.bob.callID())]) == "invalidState")
            #expect(try control.answer("no.such")["error"]?["code"]?.integer == -32_601)
        }
    }
}
