import ControlProtocol
import Testing

extension Whole {
    @Suite("Several calls of one daemon", .serialized, .timeLimit(.minutes(2))) struct SeveralCallsTests {
        /// Carol calls bob, who is in a call with alice; returns once bob's telephone knows of it.
        private func carolCalls(_ pair: CallPair) throws -> Endpoint {
            let carol = try Endpoint("carol", tone: 1_800)
            try carol.control.request("call.start", ["handle": .string(pair.bob.uri)])
            return carol
        }

        @Test("The active call is ended and the new one answered, by one command")
        func endAndAnswer() throws {
            let pair = try CallPair()
            try pair.connect()
            let first = try pair.bob.callID()
            let carol = try carolCalls(pair)
            _ = try pair.bob.incomingCall(beside: first)
            #expect(try pair.bob.handset("answer", "--end").status == 0)
            #expect(try pair.alice.control.event("call.ended")["call"]?["endReason"]?.string == "remoteEnded")
            #expect(try pair.bob.callID() != first)
            try pair.bob.expectHeard(1_800)
            try carol.expectHeard(CallPair.bobTone)
        }

        @Test("One call more than maximum_calls hears busy, and the calls there are go on")
        func maximum() throws {
            let pair = try CallPair(settings: "[calls]\nmaximum_calls = 1")
            try pair.connect()
            let carol = try carolCalls(pair)
            #expect(try carol.control.event("call.ended")["call"]?["endReason"]?.string == "busy")
            try pair.expectBothHeard()
            let reason = try pair.bob.control.failure("call.start", ["handle": .string(carol.uri)])
            #expect(reason == "maximumCallsReached")
        }

        @Test("With auto_resume, whom we held for a call is heard again when that ends")
        func autoResume() throws {
            let pair = try CallPair(settings: "[calls]\nauto_resume = true")
            try pair.connect()
            let first = try pair.bob.callID()
            let carol = try carolCalls(pair)
            let second = try pair.bob.incomingCall(beside: first)
            try pair.bob.act("call.answer", ["id": .string(second)])
            _ = try pair.alice.control.event("call.updated") { $0["call"]?["remoteHeld"]?.bool == true }
            try carol.expectHeard(CallPair.bobTone)
            try carol.act("call.end")
            _ = try pair.bob.control.event("call.ended")
            try pair.expectBothHeard()
        }

        @Test("A transaction whose later action fails leaves the calls as they were")
        func undone() throws {
            let pair = try CallPair()
            try pair.connect()
            let id = JSONValue.string(try pair.alice.callID())
            // That nobody listens there is found when the call is started.
            let actions: JSONValue = .array([
                ["method": "call.mute", "params": ["id": id]], ["method": "call.hold", "params": ["id": id]],
                ["method": "call.start", "params": ["handle": "sip:nobody@127.0.0.1:1;transport=tcp"]],
            ])
            let reports = try pair.alice.control.request("transaction.request", ["actions": actions])["actions"]?.array
            #expect(reports?.map { $0["fulfilled"]?.bool } == [false, false, false])
            #expect(reports?.map { $0["undone"]?.bool } == [true, true, nil])
            #expect(reports?.prefix(2).map { $0["reason"]?.string } == ["cancelled", "cancelled"])
            #expect(reports?.last?["reason"]?.string != "cancelled", "\(reports?.last?.text ?? "")")
            #expect(try pair.alice.call()["held"]?.bool == false)
            #expect(try pair.alice.call()["muted"]?.bool == false)
            try pair.expectBothHeard()
        }

        @Test("A transaction with a start that cannot be holds nobody for it")
        func foreseen() throws {
            let pair = try CallPair()
            try pair.connect()
            let id = JSONValue.string(try pair.alice.callID())
            let actions: JSONValue = .array([
                ["method": "call.hold", "params": ["id": id]],
                ["method": "call.start", "params": ["handle": "sip:nobody@127.0.0.1", "account": "none"]],
            ])
            let reports = try pair.alice.control.request("transaction.request", ["actions": actions])["actions"]?.array
            #expect(reports?.map { $0["reason"]?.string } == ["cancelled", "unknownAccount"])
            #expect(reports?.map { $0["undone"]?.bool } == [nil, nil])
            #expect(try pair.alice.control.failure("call.start", ["handle": "sips:a@b"]) == "invalidHandle")
            // Its remote party was told of nothing.
            #expect(!pair.bob.control.events.contains { $0["changed"]?.array?.contains("remoteHeld") == true })
            try pair.expectBothHeard()
        }
    }
}
