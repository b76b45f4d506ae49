import ControlProtocol
import Testing

extension Whole {
    @Suite("Transfers", .serialized, .timeLimit(.minutes(3))) struct TransferTests {
        static let carolTone = 1_800.0
        static let answering = "[calls]\nanswer_after_ms = 300"

        /// Bob and carol hear each other, and each has one call.
        private func expectTogether(_ bob: Endpoint, _ carol: Endpoint) throws {
            try bob.expectHeard(Self.carolTone)
            try carol.expectHeard(CallPair.bobTone)
            #expect(try bob.listen(seconds: 0.5).levelDbfs(of: CallPair.aliceTone) < -60)
            #expect(try carol.listen(seconds: 0.5).levelDbfs(of: CallPair.aliceTone) < -60)
            for endpoint in [bob, carol] {
                let call = try eventually("\(endpoint.name) has one call") { try? endpoint.call() }
                #expect(call["held"]?.bool == false && call["remoteHeld"]?.bool == false)
            }
        }

        @Test("Blind: the two others hear each other, and we are out of it")
        func blind() throws {
            let pair = try CallPair()
            let carol = try Endpoint("carol", tone: Self.carolTone, settings: Self.answering)
            try pair.connect()
            #expect(try pair.alice.call()["capabilities"]?["transfer"]?.bool == true)
            let result = try pair.alice.act("call.transfer", ["handle": .string(carol.uri)])
            #expect(result["changed"]?.bool == true)
            _ = try pair.alice.control.event("call.transferProgress") { $0["sipStatus"]?.integer == 180 }
            #expect(try pair.alice.control.event("call.ended")["call"]?["endReason"]?.string == "transferred")
            #expect(try pair.bob.control.event("call.ended")["call"]?["endReason"]?.string == "remoteEnded")
            try expectTogether(pair.bob, carol)
            #expect(try pair.alice.control.request("call.list")["calls"]?.array?.isEmpty == true)
        }

        @Test("A target that refuses: the call is ours again, held, and can be resumed")
        func refused() throws {
            let pair = try CallPair()
            let carol = try Endpoint("carol", tone: Self.carolTone)
            try pair.connect()
            // The command says it as the daemon does.
            let transfer = try HandsetCommand(["transfer", carol.uri], socket: pair.alice.socket)
            let id = try #require(try carol.control.event("call.incoming")["call"]?["id"]?.string)
            #expect(try pair.alice.call()["capabilities"]?["transfer"]?.bool == false)
            try carol.act("call.reject", ["id": .string(id), "reason": .string("busy")])
            let outcome = try transfer.finish()
            #expect(outcome.status == 1 && outcome.errors.contains("busy"))
            #expect(try pair.alice.call()["held"]?.bool == true)
            try pair.alice.act("call.resume")
            try pair.expectBothHeard()
        }

        @Test("Attended: who waited on hold goes on with whom we have asked")
        func attended() throws {
            let pair = try CallPair()
            let carol = try Endpoint("carol", tone: Self.carolTone, settings: Self.answering)
            try pair.connect()
            let first = try pair.alice.callID()
            try pair.alice.control.request("call.start", ["handle": .string(carol.uri)])
            try carol.expectHeard(CallPair.aliceTone)
            let outcome = try pair.alice.handset("transfer", "--attended")
            #expect(outcome.status == 0, "\(outcome.errors)")
            _ = try pair.alice.control.event("call.ended") { $0["call"]?["id"]?.string == first }
            _ = try eventually("alice has no call") {
                try pair.alice.control.request("call.list")["calls"]?.array?.isEmpty == true ? true : nil
            }
            #expect(try carol.control.event("call.ended")["call"]?["endReason"]?.string == "transferred")
            try expectTogether(pair.bob, carol)
        }

        @Test("Taken back before the target answers: its telephone stops, both hear each other, and can be transferred")
        func takenBack() throws {
            let pair = try CallPair()
            let carol = try Endpoint("carol", tone: Self.carolTone)
            try pair.connect()
            let first = try pair.alice.callID()
            let transfer = try HandsetCommand(["transfer", carol.uri], socket: pair.alice.socket)
            _ = try carol.control.event("call.incoming")
            _ = try pair.alice.control.event("call.transferProgress") { $0["sipStatus"]?.integer == 180 }
            #expect(try pair.alice.act("call.resume")["changed"]?.bool == true)
            let outcome = try transfer.finish()
            #expect(outcome.status == 1 && outcome.errors.contains("resumed meanwhile"), "\(outcome.errors)")
            #expect(try carol.control.event("call.ended")["call"]?["endReason"]?.string == "unanswered")
            try pair.expectBothHeard()
            #expect(try pair.bob.call()["held"]?.bool == false && pair.alice.call()["remoteHeld"]?.bool == false)

            // The way of a person who has thought better of it: first asks carol.
            try pair.alice.control.request("call.start", ["handle": .string(carol.uri)])
            let asked = try #require(try carol.control.event("call.incoming")["call"]?["id"]?.string)
            try carol.act("call.answer", ["id": .string(asked)])
            try carol.expectHeard(CallPair.aliceTone)
            let attended = try pair.alice.handset("transfer", "--attended")
            #expect(attended.status == 0, "\(attended.errors)")
            _ = try pair.alice.control.event("call.ended") { $0["call"]?["id"]?.string == first }
            try expectTogether(pair.bob, carol)
        }

        @Test("Who does not want to be transferred is not, and is heard again after a resume")
        func notAllowed() throws {
            let pair = try CallPair(settings: "[calls]\nallow_transfer = false")
            try pair.connect()
            let failure = try pair.alice.failure(of: "call.transfer", ["handle": .string("sip:x@127.0.0.1")])
            #expect(failure["reason"]?.string == "declined" && failure["sipStatus"]?.integer == 603)
            #expect(try pair.alice.call()["held"]?.bool == true)
            try pair.alice.act("call.resume")
            try pair.expectBothHeard()
        }

        @Test(
            "sipp takes our REFER, and its NOTIFYs decide", .enabled(if: Sipp.isInstalled),
            arguments: ["200 OK", "486 Busy Here"])
        func notified(status: String) throws {
            let peer = try Sipp("transferee", ["status": status])
            let alice = try Endpoint("alice", tone: 440)
            try alice.control.request("call.start", ["handle": .string(peer.uri)])
            try alice.expectConnected()
            if status.hasPrefix("200") {
                #expect(
                    try alice.act("call.transfer", ["handle": .string("sip:carol@127.0.0.1")])["changed"]?.bool == true)
            } else {
                let failure = try alice.failure(of: "call.transfer", ["handle": .string("sip:carol@127.0.0.1")])
                #expect(failure["reason"]?.string == "busy" && failure["sipStatus"]?.integer == 486)
                #expect(try alice.call()["held"]?.bool == true)
                try alice.act("call.end")
            }
            try peer.finish()
        }

        @Test(
            "sipp refuses our REFER, or takes it, tells nothing and leaves", .enabled(if: Sipp.isInstalled),
            arguments: [("405 Method Not Allowed", "notSupported"), ("603 Decline", "declined"), ("202 Accepted", nil)])
        func answered(status: String, reason: String?) throws {
            let peer = try Sipp(reason == nil ? "transferee-leaving" : "transferee-refusing", ["status": status])
            let alice = try Endpoint("alice", tone: 440)
            try alice.control.request("call.start", ["handle": .string(peer.uri)])
            try alice.expectConnected()
            let target: JSONObject = ["handle": .string("sip:carol@127.0.0.1")]
            if let reason {
                #expect(try alice.failure(of: "call.transfer", target)["reason"]?.string == reason)
                #expect(try alice.call()["capabilities"]?["transfer"]?.bool == (reason != "notSupported"))
                try alice.act("call.end")
            } else {
                #expect(try alice.act("call.transfer", target)["changed"]?.bool == true)
            }
            try peer.finish()
        }

        @Test("sipp transfers us, and is told of each step", .enabled(if: Sipp.isInstalled))
        func transferor() throws {
            let carol = try Endpoint("carol", tone: Self.carolTone, settings: Self.answering)
            let alice = try Endpoint("alice", tone: CallPair.aliceTone, settings: "[calls]\nanswer_after_ms = 0")
            let peer = try Sipp("transferor", ["user": "alice", "target": carol.uri], target: alice.port)
            _ = try alice.control.event("call.incoming")
            try alice.expectConnected()
            try alice.act("call.hold")
            try peer.finish()
            try alice.expectHeard(Self.carolTone)
            try carol.expectHeard(CallPair.aliceTone)
        }

        @Test("sipp replaces a call of ours by an INVITE, muted as it was", .enabled(if: Sipp.isInstalled))
        func replaced() throws {
            let alice = try Endpoint("alice", tone: 440, settings: "[calls]\nanswer_after_ms = 0")
            let peer = try Sipp("replaces", ["user": "alice"], target: alice.port)
            _ = try alice.control.event("call.incoming")
            try alice.expectConnected()
            let first = try alice.callID()
            try alice.act("call.mute")
            let ended = try alice.control.event("call.ended")
            #expect(ended["call"]?["id"]?.string == first)
            #expect(ended["call"]?["endReason"]?.string == "transferred")
            #expect(try alice.call()["muted"]?.bool == true)
            try peer.finish()
        }
    }
}

extension Endpoint {
    /// The `data` of the error with which an action about its only call fails.
    fileprivate func failure(of method: String, _ more: JSONObject) throws -> JSONValue {
        var parameters = more
        parameters["id"] = .string(try callID())
        let answer = try control.answer(method, parameters)
        guard let data = answer["error"]?["data"] else { throw SupportError("\(method) did not fail: \(answer.text)") }
        return data
    }
}
