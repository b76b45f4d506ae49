import ControlProtocol
import Glibc
import Testing

extension Whole {
    @Suite("History and who may ring", .serialized, .timeLimit(.minutes(2))) struct HistoryTests {
        private func entries(_ control: ControlConnection, _ params: JSONObject = [:]) throws -> [JSONValue] {
            try #require(try control.request("history.list", params)["entries"]?.array)
        }

        @Test("Both ends have the call in their history, with what its sound was like, also after a restart")
        func call() throws {
            let pair = try CallPair()
            try pair.connect()
            try pair.alice.act("call.end")
            _ = try pair.bob.control.event("call.ended")
            _ = try pair.bob.control.event("history.changed")
            let entry = try #require(try entries(pair.bob.control).first)
            #expect(entry["direction"]?.string == "incoming" && entry["endReason"]?.string == "remoteEnded")
            #expect(try #require(entry["durationSeconds"]?.double) > 0.1)
            #expect(entry["codec"]?.string == "opus")
            #expect(try #require(entry["quality"]?["packetsReceived"]?.integer) > 5)
            #expect(try #require(entry["quality"]?["packetsSent"]?.integer) > 5)
            #expect(entry["missed"]?.bool == false)
            _ = try pair.alice.control.event("history.changed")
            #expect(try entries(pair.alice.control).map { $0["direction"]?.string } == ["outgoing"])
            pair.bob.process.stop()
            let again = try Restarted(pair.bob)
            #expect(try entries(again.control).map(\.text) == [entry.text])
            #expect(!again.process.output.contains("records.db"), "\(again.process.output)")
        }

        @Test("The end of the daemon is the end of its calls, in the history, too")
        func terminated() throws {
            let pair = try CallPair()
            try pair.connect()
            pair.alice.process.send(SIGTERM)
            #expect(pair.alice.process.wait(seconds: 5) == 0)
            let again = try Restarted(pair.alice)
            #expect(try entries(again.control).map { $0["endReason"]?.string } == ["localEnded"])
        }

        @Test("Whatever the moment of a kill, what had begun is in the history, once, and has an end")
        func killed() throws {
            let pair = try CallPair()
            var ids: [String] = []
            pair.bob.process.send(SIGKILL)
            _ = pair.bob.process.wait(seconds: 5)
            for run in 2..<8 {
                let bob = try Restarted(pair.bob, run: run)
                let known = try entries(bob.control)
                #expect(known.compactMap { $0["id"]?.string } == ids.reversed())
                for entry in known {
                    #expect(entry["endReason"]?.string == "failed")
                    #expect(entry["endText"]?.string == "the daemon was interrupted")
                }
                #expect(!bob.process.output.contains("damaged"), "\(bob.process.output)")
                try pair.alice.control.request("call.start", ["handle": .string(pair.bob.uri)])
                let id = try #require(try bob.control.event("call.incoming")["call"]?["id"]?.string)
                if run % 2 == 0 { try bob.control.request("call.answer", ["id": .string(id)]) }
                ids.append(id)
                // Between the event and the row there is a hand-over to another thread.
                usleep(useconds_t.random(in: 50_000...250_000))
                bob.kill()
                let call = try pair.alice.callID()
                _ = try pair.alice.control.request("call.end", ["id": .string(call)])
                _ = try pair.alice.control.event("call.ended") { $0["call"]?["id"]?.string == call }
            }
            let bob = try Restarted(pair.bob, run: 8)
            #expect(try entries(bob.control).count == 6)
            // Those that nobody had answered.
            #expect(try bob.control.request("daemon.status")["missedCalls"]?.integer == 3)
            #expect(try entries(bob.control, ["missed": .bool(true), "seen": .bool(true)]).count == 3)
            #expect(try bob.control.request("daemon.status")["missedCalls"]?.integer == 0)
        }

        @Test("A telephone that dies: its call ends at the other end, and has its length in both histories")
        func died() throws {
            let pair = try CallPair(settings: "[calls]\nmedia_timeout_s = 10")
            try pair.connect()
            // Longer than what is not known of a conversation that is cut off.
            usleep(6_000_000)
            pair.bob.process.send(SIGKILL)
            _ = pair.bob.process.wait(seconds: 5)
            let died = monotonicSeconds()
            let ended = try pair.alice.control.event("call.ended", seconds: 20)["call"]
            #expect(8..<15 ~= monotonicSeconds() - died)
            #expect(ended?["endReason"]?.string == "failed" && ended?["endText"]?.string == "no media for 10 s")
            _ = try pair.alice.control.event("history.changed")
            let entry = try #require(try entries(pair.alice.control).first)
            #expect(entry["endText"]?.string == "no media for 10 s")
            #expect(try #require(entry["durationSeconds"]?.double) > 16)
            let bob = try Restarted(pair.bob)
            let other = try #require(try entries(bob.control).first)
            #expect(other["endText"]?.string == "the daemon was interrupted")
            #expect(1..<10 ~= (try #require(other["durationSeconds"]?.double)))
        }

        @Test("A telephone that dies while it is held is asked in vain, and its call ends")
        func diedHeld() throws {
            let pair = try CallPair(settings: "[calls]\nmedia_timeout_s = 10")
            try pair.connect()
            try pair.alice.act("call.hold")
            pair.bob.process.send(SIGKILL)
            _ = pair.bob.process.wait(seconds: 5)
            let died = monotonicSeconds()
            let ended = try pair.alice.control.event("call.ended", seconds: 60)["call"]
            // Its machine refuses the question at once, and once more 32 s later.
            #expect(35..<55 ~= monotonicSeconds() - died)
            #expect(ended?["endReason"]?.string == "failed" && ended?["endText"]?.string == "no media for 10 s")
        }

        @Test("Held for longer than the time-out, a call goes on: the reports of the other side are enough")
        func heldForLong() throws {
            let pair = try CallPair(settings: "[calls]\nmedia_timeout_s = 10")
            try pair.connect()
            try pair.alice.act("call.hold")
            usleep(23_000_000)
            try pair.alice.act("call.resume")
            try pair.expectBothHeard()
        }

        @Test("A contact is answered by itself only where somebody vouches for the caller", arguments: [true, false])
        func autoAnswer(isVouchedFor: Bool) throws {
            let alice = try Endpoint("alice", tone: nil)
            let bob = try Endpoint("bob", tone: nil, autoAnswerFrom: isVouchedFor ? "127.0.0.0/8" : nil)
            let added = try bob.handset("contacts", "add", "Alice", alice.uri, "--auto-answer")
            #expect(added.status == 0, "\(added.errors)")
            try alice.control.request("call.start", ["handle": .string(bob.uri)])
            let incoming = try bob.control.event("call.incoming")["call"]
            #expect(incoming?["displayName"]?.string == "Alice")
            if isVouchedFor {
                try alice.expectConnected()
            } else {
                usleep(2_000_000)
                #expect(try bob.call()["state"]?.string == "incoming")
            }
        }

        @Test("A damaged file is put aside, said, and the daemon goes on")
        func damaged() throws {
            let bob = try Endpoint("bob", tone: nil)
            bob.process.send(SIGKILL)
            _ = bob.process.wait(seconds: 5)
            let folder = bob.configuration.split(separator: "/").dropLast().map { "/\($0)" }.joined()
            // With its log SQLite would make it whole again.
            unlink("\(folder)/records.db-wal")
            try writeFile("\(folder)/records.db", Array(repeating: 0x5A, count: 20_000))
            let again = try Restarted(bob)
            #expect(again.process.output.contains("records.db.damaged"))
            #expect(access("\(folder)/records.db.damaged", F_OK) == 0)
            let records = try again.control.request("daemon.status")["records"]
            #expect(records?["path"]?.string == "\(folder)/records.db" && records?["problem"] == .null)
            #expect(try again.control.request("block.add", ["handle": "1"])["saved"]?.bool == true)
        }

        @Test(
            "Who is blocked is told so, rings nowhere, and is in the history with the reason",
            arguments: [("declined", "declined"), ("busy", "busy"), ("silent", "")])
        func blocked(answer: String, told: String) throws {
            let settings = "[block]\nanswer = \"\(answer)\"\n[calls]\nring_timeout_s = 5"
            let alice = try Endpoint("alice", tone: nil)
            let bob = try Endpoint("bob", tone: nil, settings: settings)
            #expect(try bob.handset("block", "add", "alice").status == 0)
            try alice.control.request("call.start", ["handle": .string(bob.uri)])
            let ended = try bob.control.event("call.ended")
            #expect(ended["call"]?["endReason"]?.string == "blocked")
            if told.isEmpty {
                _ = try eventually("alice hears it ring") {
                    try alice.call()["state"]?.string == "ringing" ? true : nil
                }
                #expect(try bob.control.request("call.list")["calls"]?.array?.isEmpty == true)
                #expect(try alice.control.event("call.ended")["call"]?["endReason"]?.string == "unanswered")
            } else {
                #expect(try alice.control.event("call.ended")["call"]?["endReason"]?.string == told)
            }
            #expect(!bob.control.events.contains { $0["type"]?.string == "call.incoming" })
            _ = try eventually("it is recorded") {
                try entries(bob.control).map { $0["endReason"]?.string } == ["blocked"] ? true : nil
            }
            #expect(try bob.control.request("daemon.status")["missedCalls"]?.integer == 0)
            #expect(try bob.handset("block", "remove", "alice").status == 0)
            try alice.control.request("call.start", ["handle": .string(bob.uri)])
            _ = try bob.control.event("call.incoming")
        }

        @Test("Do-not-disturb, contacts, history and redial from the command line")
        func commands() throws {
            let alice = try Endpoint("alice", tone: nil)
            let bob = try Endpoint("bob", tone: nil)
            #expect(try bob.handset("dnd", "on").output.contains("on"))
            try alice.control.request("call.start", ["handle": .string(bob.uri)])
            #expect(try alice.control.event("call.ended")["call"]?["endReason"]?.string == "busy")
            _ = try bob.control.event("history.changed")
            #expect(try bob.handset("status").output.contains("missed calls"))
            #expect(try bob.control.request("daemon.status")["missedCalls"]?.integer == 1)
            #expect(
                try bob.handset("contacts", "add", "Alice Adams", "alice", "--through-dnd").output.contains("done"))
            #expect(try bob.handset("contacts", "list").output.contains("Alice Adams"))
            // An outgoing call fails for want of an answer, and is dialled again.
            #expect(try alice.handset("redial").status == 0)
            let call = try #require(try bob.control.event("call.incoming")["call"])
            #expect(call["displayName"]?.string == "Alice Adams")
            #expect(try bob.handset("reject").status == 0)
            _ = try bob.control.event("history.changed") { $0["missedCalls"]?.integer == 1 }
            let list = try bob.handset("history")
            #expect(list.output.contains("doNotDisturb") && list.output.contains("declined"))
            #expect(list.output.contains("missed *"))
            #expect(try bob.control.request("daemon.status")["missedCalls"]?.integer == 0)
            #expect(try bob.handset("history", "--missed", "--json").json?["entries"]?.array?.count == 1)
            #expect(try bob.handset("history", "--clear").status == 0)
            #expect(try bob.handset("history").output == "no calls\n")
        }

        @Test("A hundred thousand blocked callers are read again at a reload, and calls go on")
        func bulk() throws {
            let alice = try Endpoint("alice", tone: nil)
            let bob = try Endpoint("bob", tone: nil, settings: "[block]\nfiles = [\"spam.txt\"]")
            let folder = bob.configuration.split(separator: "/").dropLast().map { "/\($0)" }.joined()
            #expect(bob.process.output.contains("spam.txt: cannot be read"))
            let numbers = (0..<100_000).map { "+4930\(1_000_000 + $0)" }.joined(separator: "\n")
            try writeFile("\(folder)/spam.txt", Array((numbers + "\nalice\n").utf8))
            try alice.control.request("call.start", ["handle": .string(bob.uri)])
            _ = try bob.control.event("call.incoming")
            try bob.control.request("daemon.reload")
            _ = try eventually("the list is read") {
                let file = try bob.control.request("block.list")["files"]?.array?.first
                return file?["entries"]?.integer == 100_001 ? true : nil
            }
            #expect(try bob.call()["state"]?.string == "incoming")
            try bob.act("call.reject")
            _ = try alice.control.event("call.ended")
            try alice.control.request("call.start", ["handle": .string(bob.uri)])
            #expect(
                try bob.control.event("call.ended") { $0["call"]?["endReason"]?.string == "blocked" }["call"] != nil)
        }
    }
}
