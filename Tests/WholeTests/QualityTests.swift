import ControlProtocol
import Testing

extension Whole {
    @Suite("A network that goes bad", .serialized, .timeLimit(.minutes(3))) struct QualityTests {
        @Test("is told where the call sounds bad, and again when it no longer does")
        func quality() throws {
            let pair = try CallPair()
            let (alice, bob) = (pair.alice, pair.bob)
            let relay = try LossyRelay(between: alice, and: bob)
            try alice.control.request("call.start", ["handle": .string("sip:bob@127.0.0.1:\(relay.port)")])
            _ = try bob.control.event("call.incoming")
            try bob.act("call.answer")
            try alice.expectConnected()
            try pair.expectBothHeard()
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
    }
}
