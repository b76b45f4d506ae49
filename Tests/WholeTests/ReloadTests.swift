import ControlProtocol
import Testing

extension Whole {
    @Suite("Reading the configuration again", .serialized, .timeLimit(.minutes(1))) struct ReloadTests {
        @Test("What waits for a restart is told each time, until the file says what is in force again")
        func restart() throws {
            let alice = try Endpoint("alice", tone: nil)
            let inForce = readText(alice.configuration)
            #expect(try waiting(at: alice) == [])

            try writeFile(alice.configuration, Array(("control = { group = \"audio\" }\n" + inForce).utf8))
            #expect(try waiting(at: alice) == ["control"])
            #expect(try waiting(at: alice) == ["control"])

            try writeFile(alice.configuration, Array(inForce.utf8))
            #expect(try waiting(at: alice) == [])
        }

        private func waiting(at endpoint: Endpoint) throws -> [String] {
            ReloadReport(json: try endpoint.control.request("daemon.reload")).needRestart
        }
    }
}
