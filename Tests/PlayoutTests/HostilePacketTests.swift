import Playout
import Testing

@Suite("A jitter buffer under attack") struct HostilePacketTests {
    @Test("always goes on, whatever comes, and finds the stream again", arguments: 0..<8)
    func random(seed: Int) {
        var dice = Dice(UInt64(seed))
        var simulation = Simulation(
            clockRate: seed % 2 == 0 ? 48_000 : 8_000, limits: JitterLimits(maximumMilliseconds: 200))
        var noise: [Simulation.Arrival] = []
        for index in 0..<20_000 {
            // Now wild, now nearly plausible.
            let isWild = dice.roll(3) == 0
            let sequence = UInt16(isWild ? dice.roll(65_536) : index % 65_536)
            let timestamp = UInt32(truncatingIfNeeded: isWild ? dice.roll(1 << 31) * 2 : index * 960 + dice.roll(5_000))
            var packet = PlayoutPacket(
                sequenceNumber: sequence, timestamp: timestamp, epoch: UInt32(dice.roll(50) == 0 ? 1 : 0), duration: 960
            )
            packet.endsTalk = dice.roll(4) == 0
            packet.hasRedundancy = seed % 4 < 2
            packet.duration = [960, 120, 5_760, 480][dice.roll(4)]
            noise.append(Simulation.Arrival(packet: packet, time: index * 400 + dice.roll(4_000)))
        }
        simulation.run(noise, until: 8_000_000)
        #expect(simulation.now >= 8_000_000)
        // Then a well-behaved stream is played again.
        simulation.run(
            stream(200, from: 300, timestamp: 12_345, unit: seed % 2 == 0 ? 1 : 6, start: 8_000_000, epoch: 9),
            until: 8_000_000 + 195 * 960)
        #expect(simulation.packetsPlayed.suffix(100).allSatisfy { (300..<500).contains($0) })
        #expect(simulation.packetsPlayed.filter { (300..<500).contains($0) }.count >= 180)
    }

    private static let wild: [Int] = [480_000, -480_000, 96_000, -96_000, 1 << 30, 1 << 31]

    @Test("plays a packet with a wild timestamp in its place, and all others", arguments: wild)
    func wildTimestamp(offset: Int) {
        var simulation = Simulation()
        var arrivals = stream(400)
        arrivals[200].packet.timestamp &+= UInt32(truncatingIfNeeded: offset)
        simulation.run(arrivals, until: 400 * 960 - 1_920)
        let played = simulation.packetsPlayed
        #expect(zip(played, played.dropFirst()).allSatisfy { $1 == $0 + 1 } && played.count >= 395)
        let counters = simulation.buffer.counters
        #expect(simulation.concealed == 0 && counters.paused == 0 && counters.flushed == 0 && counters.late == 0)
        #expect(counters.strays == 0 && counters.duplicates == 0 && counters.anchorings == 3)
    }

    @Test(
        "gives a forged packet with a wild timestamp at most the place of the one whose number it has", arguments: wild,
        [1, 2, 5, 9, 10, 60])
    func forgedPacket(offset: Int, ahead: Int) {
        var simulation = Simulation()
        let arrivals = stream(400)
        var forged = arrivals[200 + ahead]
        forged.packet.timestamp &+= UInt32(truncatingIfNeeded: offset)
        forged.time = arrivals[200].time + 400
        simulation.run(arrivals + [forged], until: 400 * 960 - 1_920)
        let played = simulation.packetsPlayed
        #expect(zip(played, played.dropFirst()).allSatisfy { $1 == $0 + 1 } && played.count >= 395)
        let counters = simulation.buffer.counters
        #expect(simulation.concealed == 0 && counters.paused == 0 && counters.flushed == 0)
        #expect(counters.duplicates + counters.late + counters.strays == 1)
    }

    @Test("refuses what is no packet")
    func refusals() {
        var buffer = JitterBuffer(clockRate: 8_000, turnSamples: 480)
        let payload = [UInt8](repeating: 0, count: 2_000)
        let packet = PlayoutPacket(sequenceNumber: 1, timestamp: 1, duration: 960)
        #expect(buffer.insert(packet, payload, 0, decoded: 0) == .offTimeline)
        #expect(buffer.insert(packet, payload, 1_401, decoded: 0) == .offTimeline)
        let empty = PlayoutPacket(sequenceNumber: 1, timestamp: 1, duration: 0)
        #expect(buffer.insert(empty, payload, 10, decoded: 0) == .offTimeline)
        #expect(buffer.counters.anchorings == 0)
    }
}
