import Playout
import Testing

@Suite("Jitter buffer") struct JitterBufferTests {
    @Test(
        "On a quiet network every packet is played once, in order, and nothing is made up",
        arguments: [0, 100, 240, 470])
    func quiet(phase: Int) {
        var simulation = Simulation()
        simulation.run(stream(500, start: phase), until: 500 * 960 - 1_920)
        let played = simulation.packetsPlayed
        #expect(played.first == 1_000)
        #expect(zip(played, played.dropFirst()).allSatisfy { $1 == $0 + 1 })
        #expect(played.count >= 495)
        #expect(simulation.concealed == 0)
        let counters = simulation.buffer.counters
        #expect(counters.late == 0 && counters.lost == 0 && counters.concealed == 0)
    }

    @Test("On a quiet network a packet waits for less than a turn and a half", arguments: [0, 100, 240, 470])
    func lowDelay(phase: Int) {
        var simulation = Simulation()
        simulation.run(stream(500, start: phase), until: 480_000)
        let waits = (1_400..<1_450).compactMap { simulation.waits[$0] }
        #expect(waits.count == 50)
        #expect((waits.max() ?? .max) <= 480 + 240)
    }

    @Test("Packets that the network mixes up are played in order")
    func reordering() {
        var simulation = Simulation()
        // Every fifth packet comes 30 ms late, after its follower.
        simulation.run(stream(400) { $0 % 5 == 4 ? 1_440 : 0 }, until: 380_000)
        let played = simulation.packetsPlayed
        #expect(zip(played, played.dropFirst()).allSatisfy { $1 > $0 })
        // Once the delay is learnt, nothing is missing.
        let later = played.filter { $0 > 1_050 }
        #expect(zip(later, later.dropFirst()).allSatisfy { $1 == $0 + 1 })
    }

    @Test("A packet that comes twice is played once", arguments: [0, 200, 960, 4_800])
    func duplicates(later: Int) {
        var simulation = Simulation()
        let once = stream(200)
        let again = once.map { Simulation.Arrival(packet: $0.packet, time: $0.time + later, payload: $0.payload) }
        simulation.run(once + again, until: 200 * 960 - 1_920)
        let played = simulation.packetsPlayed
        #expect(Set(played).count == played.count)
        #expect(simulation.buffer.counters.duplicates >= 190)
        #expect(simulation.buffer.counters.late == 0)
        #expect(simulation.concealed == 0)
    }

    @Test("A lost packet is concealed for just its time, and counted")
    func loss() {
        var simulation = Simulation()
        simulation.run(stream(200) { $0 == 100 ? nil : 0 }, until: 200 * 960 - 1_920)
        #expect(simulation.concealed == 960)
        #expect(simulation.buffer.counters.lost == 1)
        #expect(simulation.buffer.counters.concealed == 960)
        #expect(simulation.packetsPlayed.contains(1_101))
    }

    @Test("A lost packet is recovered from the next where that has come")
    func redundancy() {
        var simulation = Simulation(limits: JitterLimits(minimumMilliseconds: 30))
        simulation.hasRedundancy = true
        simulation.run(stream(200) { $0 == 100 ? nil : 0 }, until: 200 * 960 - 3_840)
        #expect(simulation.played.contains(.redundancy(960)))
        #expect(simulation.concealed == 0)
        #expect(simulation.buffer.counters.lost == 1)
    }

    @Test("Sequence numbers and timestamps wrap around unnoticed")
    func wrapping() {
        var simulation = Simulation()
        simulation.run(stream(400, from: 65_400, timestamp: .max - 100 * 960), until: 400 * 960 - 1_920)
        let played = simulation.packetsPlayed
        #expect(zip(played, played.dropFirst()).allSatisfy { $1 == $0 &+ 1 })
        #expect(played.count >= 395)
        #expect(simulation.buffer.counters.anchorings == 1)
    }

    @Test("A clock of 8 kHz keeps the same time")
    func narrowClock() {
        var simulation = Simulation(clockRate: 8_000)
        simulation.run(stream(300, unit: 6), until: 300 * 960 - 1_920)
        #expect(simulation.packetsPlayed.count >= 295)
        #expect(simulation.concealed == 0)
    }

    @Test("A new source is played at once", arguments: [12_676 as UInt16, 1_201, 64_000])
    func newSource(first: UInt16) {
        var simulation = Simulation()
        let before = stream(200)
        let after = stream(200, from: first, timestamp: 7, start: 100 + 200 * 960, epoch: 1)
        simulation.run(before + after, until: 400 * 960 - 1_920)
        #expect(simulation.buffer.counters.anchorings == 2)
        let fromAfter = simulation.played.suffix(190)
        #expect(fromAfter.contains(.packet(first &+ 150)))
        #expect(simulation.buffer.counters.late == 0)
    }

    @Test(
        "A jump of the timestamps is followed within a few packets",
        arguments: [480_000, -480_000, 24_000, 1 << 30, -(1 << 30), 1 << 31] as [Int])
    func timestampJump(jump: Int) {
        var simulation = Simulation()
        let before = stream(200)
        let after = stream(
            200, from: 1_200, timestamp: 50_000 &+ UInt32(truncatingIfNeeded: 200 * 960 + jump), start: 100 + 200 * 960)
        simulation.run(before + after, until: 400 * 960 - 1_920)
        let played = simulation.packetsPlayed.filter { $0 >= 1_200 }
        #expect(played.count >= 190)
        #expect((simulation.waits[1_390] ?? .max) <= 1_440)
    }
}
