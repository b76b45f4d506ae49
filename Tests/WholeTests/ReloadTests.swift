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

        @Test("The answer comes when the lists are in force, and says what is wrong with them")
        func lists() throws {
            let alice = try Endpoint("alice", tone: nil)
            let bob = try Endpoint("bob", tone: nil)
            let folder = alice.configuration.dropLast("/handset.toml".count)
            let before = readText(alice.configuration)
            // So long that reading it takes a while.
            var numbers = (0..<400_000).map { "+49301\($0 + 100_000)\n" }.joined()
            numbers += "two words\nsip:bob@*\n"
            try writeFile("\(folder)/spam.txt", Array(numbers.utf8))
            let block = "[block]\nfiles = [\"spam.txt\", \"nowhere.txt\"]\nhandles = [\"@127.0.0.1\"]\n"
            try writeFile(alice.configuration, Array((before + block).utf8))
            let report = ReloadReport(json: try alice.control.request("daemon.reload"))
            #expect(report.applied == ["block"])
            #expect(report.problems.count == 3)
            #expect(report.problems.first?.hasPrefix("\(folder)/spam.txt: line 40000") == true, "\(report.problems)")
            #expect(report.problems.last == "\(folder)/nowhere.txt: cannot be read: there is no such file")
            // In force with the answer, not some time after it.
            let list = try alice.control.request("block.list")
            #expect(list["files"]?.array?.first?["entries"]?.integer ?? 0 >= 400_000)
            try bob.control.request("call.start", ["handle": .string(alice.uri)])
            #expect(try bob.control.event("call.ended")["call"]?["endReason"]?.string == "declined")
            // The command shows it.
            #expect(try alice.handset("reload").output.contains("nowhere.txt: cannot be read"))
        }

        private func waiting(at endpoint: Endpoint) throws -> [String] {
            ReloadReport(json: try endpoint.control.request("daemon.reload")).needRestart
        }
    }
}
