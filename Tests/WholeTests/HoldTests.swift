import ControlProtocol
import Testing

/// What runs whole programs, one test after the other: they share two cores with real time.
@Suite("Whole", .serialized) struct Whole {}

extension Whole {
    @Suite("A call between two daemons", .serialized, .timeLimit(.minutes(2))) struct HoldTests {
        @Test("Tones are heard, and hold silences both ways exactly", arguments: ["off", "required"])
        func hold(srtp: String) throws {
            let pair = try CallPair(srtp: srtp)
            let (alice, bob) = (pair.alice, pair.bob)
            try pair.connect()
            #expect(try alice.call()["codec"]?.string == "opus")
            #expect(try alice.call()["security"]?.string == (srtp == "off" ? "none" : "AES_CM_128_HMAC_SHA1_80"))

            try pair.holdAndResume()
            try alice.act("call.end")
            let ended = try bob.control.event("call.ended")
            #expect(ended["call"]?["endReason"]?.string == "remoteEnded")
            #expect(try bob.control.request("call.list")["calls"]?.array?.isEmpty == true)
        }

        @Test("Mute and earmuff silence one way each, and mute survives hold", arguments: Medium.available)
        func mute(medium: Medium) throws {
            let pair = try CallPair(on: medium)
            let (alice, bob) = (pair.alice, pair.bob)
            try pair.connect()
            #expect(try alice.act("call.mute")["changed"]?.bool == true)
            _ = try bob.listen(seconds: 0.4)
            #expect(try bob.listen(seconds: 0.3).levelDbfs(of: CallPair.aliceTone) < -70)
            #expect(try alice.listen(seconds: 0.3).heardDbfs(of: CallPair.bobTone) > CallPair.audible)

            try alice.act("call.hold")
            try alice.act("call.resume")
            try alice.expectHeard(CallPair.bobTone)
            #expect(try alice.call()["muted"]?.bool == true)
            #expect(try bob.listen(seconds: 0.3).levelDbfs(of: CallPair.aliceTone) < -70)
            try alice.act("call.unmute")
            try bob.expectHeard(CallPair.aliceTone)

            try alice.act("call.earmuff")
            #expect(try alice.listen(seconds: 0.3).isDigitalSilence)
            #expect(try bob.listen(seconds: 0.3).heardDbfs(of: CallPair.aliceTone) > CallPair.audible)
            try alice.act("call.unearmuff")
            try alice.expectHeard(CallPair.bobTone)
        }

        @Test("Both hold, and the call is back only when both have resumed", arguments: Medium.available)
        func doubleHold(medium: Medium) throws {
            let pair = try CallPair(on: medium)
            let (alice, bob) = (pair.alice, pair.bob)
            try pair.connect()
            try alice.act("call.hold")
            try bob.act("call.hold")
            #expect(try alice.call()["remoteHeld"]?.bool == true)
            #expect(try bob.call()["remoteHeld"]?.bool == true)
            try alice.act("call.resume")
            #expect(try alice.call()["held"]?.bool == false)
            #expect(try bob.call()["held"]?.bool == true)
            _ = try alice.listen(seconds: 0.3)
            #expect(try alice.listen(seconds: 0.3).isDigitalSilence)
            #expect(try bob.listen(seconds: 0.3).isDigitalSilence)
            try bob.act("call.resume")
            try alice.expectHeard(CallPair.bobTone)
            try bob.expectHeard(CallPair.aliceTone)
            #expect(try alice.call()["remoteHeld"]?.bool == false)
        }

        @Test("Holding one call and answering another is one transaction")
        func holdAndAnswer() throws {
            let pair = try CallPair()
            let carol = try Endpoint("carol", tone: 1_800)
            try pair.connect()
            let first = try pair.bob.callID()
            try carol.control.request("call.start", ["handle": .string(pair.bob.uri)])
            let second = try pair.bob.incomingCall(beside: first)
            func action(_ method: String, _ id: String) -> JSONValue {
                ["method": .string(method), "params": ["id": .string(id)]]
            }
            let actions = JSONValue.array([action("call.hold", first), action("call.answer", second)])
            let results = try pair.bob.control.request("transaction.request", ["actions": actions])["actions"]?.array
            #expect(results?.map { $0["fulfilled"]?.bool } == [true, true])
            _ = try pair.alice.control.event("call.updated") { $0["call"]?["remoteHeld"]?.bool == true }
            try pair.bob.expectHeard(1_800)
            try carol.expectHeard(CallPair.bobTone)
            // One that cannot be carried out leaves everything as it was.
            let wrong = JSONValue.array([action("call.resume", first), action("call.answer", second)])
            let report = try pair.bob.control.answer("transaction.request", ["actions": wrong])
            #expect(report["result"]?["actions"]?.array?.last?["fulfilled"]?.bool != true)
        }

        @Test("Digits arrive", arguments: ["off", "required"])
        func digits(srtp: String) throws {
            let pair = try CallPair(srtp: srtp)
            try pair.connect()
            try pair.alice.act("call.dtmf", ["digits": .string("1#D")])
            for digit in ["1", "#", "D"] {
                let event = try pair.bob.control.event("call.dtmf")
                #expect(event["digit"]?.string == digit)
                #expect(try #require(event["durationMs"]?.double) >= 40)
            }
            try pair.alice.act("call.dtmf", ["digits": .string("5"), "toneMs": .integer(400)])
            let slow = try pair.bob.control.event("call.dtmf")
            #expect(400..<460 ~= (try #require(slow["durationMs"]?.double)))
        }

        @Test("Every codec carries the tone both ways", arguments: ["opus", "G722", "PCMA", "PCMU"])
        func codecs(codec: String) throws {
            let pair = try CallPair(codecs: "[\"\(codec)\"]")
            try pair.connect()
            #expect(try pair.alice.call()["codec"]?.string == codec)
            #expect(try pair.bob.call()["codec"]?.string == codec)
        }
    }
}
