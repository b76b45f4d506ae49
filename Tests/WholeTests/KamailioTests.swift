import ControlProtocol
import Testing

extension Whole {
    @Suite("Through a registrar", .serialized, .timeLimit(.minutes(2)), .enabled(if: Kamailio.program != nil))
    struct KamailioTests {
        @Test("Two accounts at a kamailio register, call by number, hold, resume, hang up")
        func call() throws {
            let registrar = try Kamailio()
            let secrets = try ScratchFolder()
            // The last key of the common settings belongs to [state]; an account comes after it.
            let alice = try Endpoint("alice", tone: 440, settings: registrar.account("101", folder: secrets))
            let bob = try Endpoint("bob", tone: 1_000, settings: registrar.account("102", folder: secrets))
            for endpoint in [alice, bob] {
                _ = try eventually("\(endpoint.name) is registered", within: 15) {
                    let accounts = try endpoint.control.request("daemon.status")["accounts"]?.array
                    return accounts?.first?["state"]?.string == "registered" ? true : nil
                }
            }
            try alice.control.request("call.start", ["handle": .string("102")])
            let incoming = try bob.control.event("call.incoming")
            #expect(incoming["call"]?["account"]?.string == "102")
            #expect(incoming["call"]?["handle"]?["value"]?.string?.contains("101") == true)
            try bob.act("call.answer")
            try bob.expectHeard(440)
            try alice.expectHeard(1_000)
            #expect(try bob.act("call.hold")["peerNotified"]?.bool == true)
            #expect(try bob.listen(seconds: 0.4).isDigitalSilence)
            try bob.act("call.resume")
            try alice.expectHeard(1_000)
            try alice.act("call.end")
            #expect(try bob.control.event("call.ended")["call"]?["endReason"]?.string == "remoteEnded")
        }
    }
}
