import ControlProtocol
import Glibc
import Testing

extension Whole {
    @Suite("Scenarios of sipp", .serialized, .timeLimit(.minutes(2)), .enabled(if: Sipp.isInstalled))
    struct SippTests {
        struct Challenge: Sendable, CustomTestStringConvertible {
            var offered: [String]
            var chosen: String
            var digits: Int
            var qualityOfProtection = ", qop=\"auth\""
            /// Found in the answer beside the algorithm.
            var expected = ""

            var testDescription: String { "\(offered.joined(separator: " and "))\(qualityOfProtection)" }
        }

        @Test(
            "We register with each digest, and with the strongest where several are offered",
            arguments: [
                Challenge(offered: ["MD5"], chosen: "MD5", digits: 32),
                Challenge(offered: ["MD5"], chosen: "MD5", digits: 32, qualityOfProtection: ""),
                Challenge(offered: ["SHA-256"], chosen: "SHA-256", digits: 64),
                Challenge(offered: ["SHA-512-256"], chosen: "SHA-512-256", digits: 64),
                Challenge(offered: ["MD5", "SHA-256"], chosen: "SHA-256", digits: 64),
                Challenge(
                    offered: ["SHA-256", "MD5"], chosen: "SHA-256", digits: 64,
                    qualityOfProtection: ", qop=\"auth-int,auth\"", expected: ".*qop=auth,"),
                Challenge(
                    offered: ["SHA-256"], chosen: "SHA-256", digits: 64, qualityOfProtection: ", qop=\"auth-int\"",
                    expected: ".*qop=auth-int,"),
            ])
        func registration(challenge: Challenge) throws {
            let lines = challenge.offered.enumerated().map { index, algorithm in
                "WWW-Authenticate: Digest realm=\"test\", nonce=\"n\(index)\", algorithm=\(algorithm)"
                    + challenge.qualityOfProtection
            }
            let registrar = try Sipp(
                "registrar",
                [
                    "algorithm": challenge.chosen, "digits": "\(challenge.digits)",
                    "challenges": lines.joined(separator: "\n      "),
                    "expected": "algorithm=\(challenge.chosen)\(challenge.expected)",
                ])
            let secrets = try ScratchFolder()
            try writeFile("\(secrets.path)/secret", Array("Circle of Life\n".utf8))
            let alice = try Endpoint(
                "alice", tone: nil,
                settings: """
                    [[account]]
                    name = "lab"
                    uri = "sip:mufasa@127.0.0.1:\(registrar.port)"
                    password_file = "\(secrets.path)/secret"
                    registrar = "sip:127.0.0.1:\(registrar.port)"
                    """)
            try registrar.finish()
            _ = try eventually("the account is registered") {
                let accounts = try alice.control.request("daemon.status")["accounts"]?.array
                return accounts?.first?["state"]?.string == "registered" ? true : nil
            }
        }

        @Test("An INVITE without offer is offered to, and the answer in its ACK is taken")
        func offerless() throws {
            let alice = try Endpoint("alice", tone: 440, settings: "[calls]\nanswer_after_ms = 0")
            let caller = try Sipp("offerless", ["user": "alice"], target: alice.port)
            _ = try eventually("the call is up") {
                let calls = try alice.control.request("call.list")["calls"]?.array
                return calls?.first?["state"]?.string == "connected" ? true : nil
            }
            #expect(try alice.call()["codec"]?.string == "PCMA")
            try caller.finish()
            #expect(try alice.control.event("call.ended")["call"]?["endReason"]?.string == "remoteEnded")
        }

        @Test("A repeated INVITE makes one call, and a lost ACK is asked for again")
        func retransmission() throws {
            let alice = try Endpoint("alice", tone: 440, settings: "[calls]\nanswer_after_ms = 1000")
            let caller = try Sipp("retransmission", ["user": "alice"], target: alice.port)
            _ = try eventually("the call is up") {
                let calls = try alice.control.request("call.list")["calls"]?.array ?? []
                if calls.count > 1 { throw SupportError("two calls of one INVITE") }
                return calls.first?["state"]?.string == "connected" ? true : nil
            }
            try alice.act("call.end")
            try caller.finish()
        }

        @Test("An intercom is answered by itself, after a warning, and muted where the settings say so")
        func intercom() throws {
            let alice = try Endpoint(
                "alice", tone: 440, autoAnswerFrom: "127.0.0.1", settings: "[calls]\nanswer_muted = true")
            let caller = try Sipp("intercom", ["user": "alice"], target: alice.port)
            _ = try alice.control.event("call.incoming")
            _ = try alice.control.event("audio.activated")
            #expect(try alice.listen(seconds: 0.4).heardDbfs(of: 1_000) > -35)
            try alice.expectConnected()
            #expect(try alice.call()["muted"]?.bool == true)
            try caller.finish()
        }

        @Test(
            "A re-INVITE that met another one is sent again, and one that meets ours gets 491",
            arguments: ["glare", "glare-other-way"])
        func glare(scenario: String) throws {
            let peer = try Sipp(scenario)
            let alice = try Endpoint("alice", tone: 440)
            try alice.control.request("call.start", ["handle": .string(peer.uri)])
            try alice.expectConnected()
            let held = try alice.act("call.hold")
            // A refused re-INVITE is sent again after 2.1 to 4 s (RFC 3261 §14.1); the hold waits for 4 s.
            #expect(held["peerNotified"]?.bool == true || (held["elapsedMs"]?.double ?? 0) > 3_900)
            #expect(try alice.call()["held"]?.bool == true)
            if held["peerNotified"]?.bool != true { usleep(1_000_000) }
            try alice.act("call.end")
            try peer.finish()
        }
    }
}
