import ControlProtocol
import Testing

extension Whole {
    @Suite("A network that goes bad", .serialized, .timeLimit(.minutes(3))) struct QualityTests {
        @Test("is told where the call sounds bad, and again when it no longer does")
        func quality() throws {
            let pair = try CallPair()
            let (alice, bob) = (pair.alice, pair.bob)
            let relay = try connect(pair)
            let id = try bob.callID()

            relay.lose(0.65)
            let poor = try bob.control.event("call.quality", seconds: 30)
            #expect(poor["poor"]?.bool == true)
            #expect(poor["call"]?["id"]?.string == id)
            let score = try #require(poor["mos"]?.double)
            #expect((1..<3.1).contains(score))
            // The other end hears as little, and each knows how the other hears it.
            _ = try alice.control.event("call.quality", seconds: 30) { $0["poor"]?.bool == true }
            let figures = try bob.statistics()
            #expect(try #require(figures["received"]?["lost"]?.integer) > 50)
            #expect(try #require(figures["remote"]?["mos"]?.double) < 3.6)
            // What is lost is sent again for as long as it is.
            #expect(try #require(figures["sent"]?["redundant"]?.integer) > 0)

            relay.lose(0)
            let better = try bob.control.event("call.quality", seconds: 60)
            #expect(better["poor"]?.bool == false)
            #expect(try #require(better["mos"]?.double) > 3.6)
            try pair.expectBothHeard()

            // Where nothing comes at all there is no loss to be counted, but what the peer says it has sent.
            relay.lose(1)
            let gone = try bob.control.event("call.quality", seconds: 40)
            #expect(gone["poor"]?.bool == true)
            relay.lose(0)
            _ = try bob.control.event("call.quality", seconds: 60) { $0["poor"]?.bool == false }
            try pair.expectBothHeard()

            try alice.act("call.end")
            _ = try bob.control.event("call.ended")
            let entry = try eventually("bob's history has the call") {
                try bob.control.request("history.list")["entries"]?.array?.first
            }
            #expect((1..<4.2).contains(try #require(entry["quality"]?["mos"]?.double)))
        }

        @Test("that doubles packets is heard once, and what came twice is counted", arguments: ["required", "off"])
        func doubled(srtp: String) throws {
            let pair = try CallPair(srtp: srtp)
            let relay = try connect(pair)
            let before = try pair.bob.statistics()
            #expect((before["security"]?.string == "none") == (srtp == "off"))
            let duplicates = { (figures: JSONValue) in figures["playout"]?["duplicates"]?.integer ?? -1 }
            let received = { (figures: JSONValue) in figures["received"]?["packets"]?.integer ?? -1 }
            #expect(duplicates(before) == 0)
            relay.double(true)
            for endpoint in [pair.alice, pair.bob] {
                _ = try eventually("\(endpoint.name) counts 50 duplicates") {
                    try duplicates(endpoint.statistics()) > 50 ? true : nil
                }
            }
            try pair.expectBothHeard()
            relay.double(false)
            let after = try pair.bob.statistics()
            // What SRTP refuses has not been received; what the buffer knows to have come has.
            let doubled = duplicates(after) * (srtp == "off" ? 2 : 1)
            #expect(abs(received(after) - received(before) - doubled) < 50)
            #expect(after["received"]?["invalid"]?.integer == 0)
            #expect(after["received"]?["outOfWindow"]?.integer == 0 && after["received"]?["dropped"]?.integer == 0)
            // In the clear a source proves itself by its second packet.
            let foreign = try #require(after["received"]?["foreign"]?.integer)
            #expect(srtp == "off" ? foreign > 0 : foreign == 0)
            #expect(after["playout"]?["strays"]?.integer == 0 && after["sent"]?["failed"]?.integer == 0)
        }

        /// Alice dials bob over a relay; both hear each other.
        private func connect(_ pair: CallPair) throws -> LossyRelay {
            let relay = try LossyRelay(between: pair.alice, and: pair.bob)
            try pair.alice.control.request("call.start", ["handle": .string("sip:bob@127.0.0.1:\(relay.port)")])
            _ = try pair.bob.control.event("call.incoming")
            try pair.bob.act("call.answer")
            try pair.alice.expectConnected()
            try pair.expectBothHeard()
            return relay
        }
    }
}
