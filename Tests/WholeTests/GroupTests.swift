import ControlProtocol
import Testing

extension Whole {
    @Suite("A conference of four daemons", .serialized, .timeLimit(.minutes(3))) struct GroupTests {
        private static let host = Conference.hostTone
        private static let (ann, ben, cat) = (
            Conference.guestTones[0], Conference.guestTones[1], Conference.guestTones[2]
        )

        @Test("Each hears all others and never itself; hold is silence every way; who leaves, leaves the rest")
        func conference() throws {
            let conference = try Conference()
            try conference.connect()
            let merged = try conference.merge()
            #expect(merged["changed"]?.bool == true)
            let group = try #require(merged["call"]?["group"]?.string)
            #expect(
                try conference.snapshots().allSatisfy { $0?["group"]?.string == group && $0?["held"]?.bool == false })
            #expect(
                try conference.snapshots().allSatisfy {
                    $0?["capabilities"]?["ungroup"]?.bool == true && $0?["capabilities"]?["group"]?.bool == false
                })
            let (host, ann, ben, cat) = (Self.host, Self.ann, Self.ben, Self.cat)
            try conference.expectHeard([[ann, ben, cat], [host, ben, cat], [host, ann, cat], [host, ann, ben]])

            // Any member holds them all: nothing is sent, nothing is heard.
            let held = try conference.host.act("call.hold", ["id": .string(conference.calls[1])])
            #expect(held["changed"]?.bool == true && held["peerNotified"]?.bool == true)
            #expect(try conference.host.listen(seconds: 0.5).isDigitalSilence)
            for guest in conference.guests {
                _ = try guest.control.event("call.updated") { $0["call"]?["remoteHeld"]?.bool == true }
                _ = try guest.listen(seconds: 0.4)
                #expect(try guest.listen(seconds: 0.4).isDigitalSilence)
            }
            let packets = try conference.sentPackets()
            _ = try conference.host.listen(seconds: 0.3)
            #expect(try conference.sentPackets() == packets)
            try conference.host.act("call.resume", ["id": .string(conference.calls[2])])
            try conference.expectHeard([[ann, ben, cat], [host, ben, cat], [host, ann, cat], [host, ann, ben]])

            // One is split out: the host talks with it alone.
            let split = try conference.host.control.request("group.split", ["id": .string(conference.calls[0])])
            #expect(split["call"]?["group"] == .null && split["call"]?["held"]?.bool == false)
            try conference.expectHeard([[ann], [host], [], []])
            // And joins again; one hangs up.
            try conference.merge()
            try conference.expectHeard([[ann, ben, cat], [host, ben, cat], [host, ann, cat], [host, ann, ben]])
            try conference.guests[1].act("call.end")
            _ = try conference.host.control.event("call.ended")
            try conference.expectHeard([[ann, cat], [host, cat], nil, [host, ann]])
            try conference.guests[0].act("call.end")
            _ = try conference.host.control.event("call.ended")
            try conference.expectHeard([[cat], nil, nil, [host]])
            #expect(try conference.snapshots()[2]?["group"] == .null)
        }

        @Test("Where they are to go on, the others hear each other while the group is held, and we are out of it")
        func keep() throws {
            let conference = try Conference(settings: "[calls]\ngroup_hold = \"keep\"")
            try conference.connect()
            try conference.merge()
            let (host, ann, ben, cat) = (Self.host, Self.ann, Self.ben, Self.cat)
            try conference.expectHeard([[ann, ben, cat], [host, ben, cat], [host, ann, cat], [host, ann, ben]])
            let held = try conference.host.act("call.hold", ["id": .string(conference.calls[0])])
            #expect(held["changed"]?.bool == true && held["peerNotified"]?.bool == false)
            #expect(try conference.host.listen(seconds: 0.5).isDigitalSilence)
            #expect(try conference.snapshots().allSatisfy { $0?["held"]?.bool == true })
            try conference.expectHeard([[], [ben, cat], [ann, cat], [ann, ben]])
            #expect(try conference.guests.allSatisfy { try $0.call()["remoteHeld"]?.bool == false })

            // Another call meanwhile, and back again.
            let other = try Endpoint("dan", tone: 2_000)
            try other.control.request("call.start", ["handle": .string(conference.host.uri)])
            let id = try #require(
                try conference.host.control.event("call.incoming")["call"]?["id"]?.string)
            try conference.host.act("call.answer", ["id": .string(id)])
            try conference.host.expectHeard(2_000)
            try conference.expectHeard([[], [ben, cat], [ann, cat], [ann, ben]])
            try conference.host.act("call.resume", ["id": .string(conference.calls[1])])
            try conference.expectHeard([[ann, ben, cat], [host, ben, cat], [host, ann, cat], [host, ann, ben]])
        }

        @Test("From the shell: merge, split, swap")
        func shell() throws {
            let conference = try Conference()
            try conference.connect()
            let host = conference.host
            #expect(try host.handset("merge").status == 0)
            let calls = try host.handset("calls").output
            #expect(calls.contains("group "))
            let split = try host.handset("split", conference.calls[0], "--json")
            #expect(split.status == 0 && split.json?["changed"]?.bool == true)
            #expect(try conference.snapshots().map { $0?["held"]?.bool } == [false, true, true])
            // The group is one call to swap with.
            #expect(try host.handset("swap").status == 0)
            #expect(try conference.snapshots().map { $0?["held"]?.bool } == [true, false, false])
            #expect(try host.handset("merge", conference.calls[0]).status == 0)
            #expect(try conference.snapshots().allSatisfy { $0?["held"]?.bool == false })
            let alone = try host.handset("split", "no-such-call")
            #expect(alone.status == 1 && alone.errors.contains("unknownCall"))
        }
    }
}

extension Conference {
    /// Packets that the host has sent, of each call.
    fileprivate func sentPackets() throws -> [Int?] {
        try host.control.request("stats.get")["calls"]?.array?.map { $0["sent"]?["packets"]?.integer } ?? []
    }
}
