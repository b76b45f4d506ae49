import ControlProtocol
import Glibc
import Testing

extension Whole {
    @Suite("Two daemons at once", .serialized, .timeLimit(.minutes(2))) struct GlareTests {
        /// Both requests are on their way before either is answered.
        private func together(
            _ one: (Endpoint, String), _ other: (Endpoint, String)
        ) throws -> (one: JSONValue, other: JSONValue) {
            let requests = try [one, other].map { endpoint, method in
                let id = try endpoint.callID()
                return "{\"id\":\"race\",\"method\":\"\(method)\",\"params\":{\"id\":\"\(id)\"}}\n"
            }
            try one.0.control.sendRaw(requests[0])
            try other.0.control.sendRaw(requests[1])
            return (try one.0.control.answer(to: "race"), try other.0.control.answer(to: "race"))
        }

        @Test("Both hold at the same moment, and both resume at the same moment")
        func hold() throws {
            let pair = try CallPair()
            try pair.connect()
            let held = try together((pair.alice, "call.hold"), (pair.bob, "call.hold"))
            for answer in [held.one, held.other] {
                #expect(answer["result"]?["changed"]?.bool == true)
                #expect(answer["result"]?["call"]?["held"]?.bool == true)
            }
            for endpoint in [pair.alice, pair.bob] {
                _ = try eventually("\(endpoint.name) is held by the other") {
                    try endpoint.call()["remoteHeld"]?.bool == true ? true : nil
                }
                _ = try endpoint.listen(seconds: 0.2)
                #expect(try endpoint.listen(seconds: 0.3).isDigitalSilence)
            }
            let resumed = try together((pair.alice, "call.resume"), (pair.bob, "call.resume"))
            for answer in [resumed.one, resumed.other] { #expect(answer["result"]?["changed"]?.bool == true) }
            try pair.expectBothHeard()
        }

        @Test("One ends while the other holds, or both end: each request has one end, and nothing is left")
        func end() throws {
            for methods in [("call.hold", "call.end"), ("call.end", "call.end"), ("call.end", "call.hold")] {
                let pair = try CallPair()
                try pair.connect()
                let answers = try together((pair.alice, methods.0), (pair.bob, methods.1))
                for (method, answer) in [(methods.0, answers.one), (methods.1, answers.other)] {
                    let reason = answer["error"]?["data"]?["reason"]?.string
                    let isFine = answer["result"] != nil || ["cancelled", "unknownCall"].contains(reason)
                    #expect(isFine, "\(method): \(answer.text)")
                }
                for endpoint in [pair.alice, pair.bob] {
                    _ = try endpoint.control.event("call.ended")
                    #expect(try endpoint.control.request("call.list")["calls"]?.array?.isEmpty == true)
                }
            }
        }

        @Test("A caller gives up while the call is answered: both agree on the end")
        func cancel() throws {
            let alice = try Endpoint("alice", tone: 440)
            let bob = try Endpoint("bob", tone: 1_000)
            for _ in 1...8 {
                try alice.control.request("call.start", ["handle": .string(bob.uri)])
                _ = try bob.control.event("call.incoming")
                let answers = try together((alice, "call.end"), (bob, "call.answer"))
                #expect(answers.one["result"]?["call"]?["state"]?.string == "ended", "\(answers.one.text)")
                let reason = answers.other["error"]?["data"]?["reason"]?.string
                #expect(
                    answers.other["result"] != nil || ["cancelled", "unknownCall"].contains(reason),
                    "\(answers.other.text)")
                for endpoint in [alice, bob] {
                    _ = try endpoint.control.event("call.ended")
                    #expect(try endpoint.control.request("call.list")["calls"]?.array?.isEmpty == true)
                }
            }
        }
    }
}
