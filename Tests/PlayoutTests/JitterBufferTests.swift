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
        #expect((78...80).contains(simulation.buffer.counters.reordered))
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
        #expect(simulation.buffer.counters.late == 0 && simulation.buffer.counters.reordered == 0)
        #expect(simulation.concealed == 0)
    }

    @Test("A lost packet is concealed for just its time, and counted")
    func loss() {
        var simulation = Simulation()
        simulation.run(stream(200) { $0 == 100 ? nil : 0 }, until: 200 * 960 - 1_920)
        #expect(simulation.concealed == 960)
        let counters = simulation.buffer.counters
        #expect(counters.lost == 1 && counters.concealed == 960)
        // It might have been late: it was bridged before the next one showed that it was not.
        #expect(counters.concealedLost == 0)
        #expect(simulation.packetsPlayed.contains(1_101))
    }

    @Test("Where the next has come, a lost packet is known to be lost, and the decoder conceals it")
    func knownLoss() {
        var simulation = Simulation(limits: JitterLimits(minimumMilliseconds: 60))
        simulation.run(stream(200) { (100..<102).contains($0) ? nil : 0 }, until: 200 * 960 - 4_800)
        #expect(simulation.played.contains(.concealed(1_920)))
        let counters = simulation.buffer.counters
        #expect(counters.lost == 2 && counters.concealed == 1_920 && counters.concealedLost == 1_920)
    }

    @Test("Of a long hole the beginning is concealed, however much is known to be missing, and the rest is silent")
    func longHole() {
        var simulation = Simulation(limits: JitterLimits(minimumMilliseconds: 200))
        simulation.run(stream(300) { (100..<109).contains($0) ? nil : 0 }, until: 300 * 960 - 12_000)
        let hole = simulation.played.firstIndex(of: .concealed(5_760))
        #expect(
            hole.map { Array(simulation.played[$0 - 1...$0 + 2]) }
                == [.packet(1_099), .concealed(5_760), .silence(2_880), .packet(1_109)])
    }

    @Test("A lost packet is recovered from the next where that has come")
    func redundancy() {
        var simulation = Simulation(limits: JitterLimits(minimumMilliseconds: 30))
        simulation.run(stream(200, hasRedundancy: true) { $0 == 100 ? nil : 0 }, until: 200 * 960 - 3_840)
        #expect(simulation.played.contains(.redundancy(960)))
        #expect(simulation.concealed == 0)
        #expect(simulation.buffer.counters.lost == 1 && simulation.buffer.counters.recovered == 1)
    }

    @Test("Where packets are lost again and again, the next one is waited for, and seldom when they are not")
    func waitsForRedundancy() {
        // From the sixth second on, every twentieth is lost.
        var simulation = Simulation()
        simulation.run(
            stream(2_000, hasRedundancy: true) { $0 > 300 && $0 % 20 == 7 ? nil : 0 }, until: 2_000 * 960 - 3_840)
        #expect((simulation.longestWait(1_200..<1_300) ?? .max) <= 720)
        let late = simulation.played.suffix(1_000)
        #expect(late.count { $0 == .redundancy(960) } >= 45)
        #expect(!late.contains { if case .bridged = $0 { true } else { false } })
        #expect((simulation.longestWait(2_800..<2_900) ?? .max) <= 960 + 960)
        // A single one is bridged.
        var single = Simulation()
        single.run(stream(2_000, hasRedundancy: true) { $0 == 800 ? nil : 0 }, until: 2_000 * 960 - 3_840)
        #expect((single.longestWait(1_700..<2_900) ?? .max) <= 720)
        #expect(single.buffer.counters.lost == 1)
    }

    @Test("What of a late packet is still in time is heard, and the decoder has all of it")
    func lateByALittle() {
        // One in two hundred is 9 ms late: too few to wait for.
        var simulation = Simulation()
        simulation.run(stream(2_000) { $0 % 200 == 150 && $0 > 400 ? 432 : 0 }, until: 2_000 * 960 - 3_840)
        #expect(simulation.played.contains(.rest(1_950)) || simulation.played.contains(.packet(1_950)))
        #expect(simulation.buffer.counters.lost == 0 && simulation.buffer.counters.late == 0)
        let played = simulation.packetsPlayed
        #expect(zip(played, played.dropFirst()).allSatisfy { $1 == $0 + 1 })
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

    @Test("A number that comes again with the sound that follows is no packet of before a jump: it is played")
    func repeatedNumber() {
        var simulation = Simulation()
        let again = stream(200, from: 1_199, timestamp: 50_000 + 200 * 960, start: 100 + 200 * 960)
        simulation.run(stream(200) + again, until: 400 * 960 - 1_920)
        #expect(simulation.packetsPlayed.count { $0 == 1_199 } == 2)
        let counters = simulation.buffer.counters
        #expect(counters.strays == 0 && counters.duplicates == 0 && counters.lost == 0 && counters.anchorings == 1)
        #expect(simulation.concealed == 0 && counters.paused == 0)
    }

    private static let jumps: [Int] = [
        480_000, -480_000, 24_000, 12_480, 12_000, 11_520, 9_600, 4_800, 2_900, -120, -960, -1_440, -4_800, -12_000,
        1 << 30, -(1 << 30), 1 << 31,
    ]

    /// Two hundred packets, and two hundred whose timestamps begin `jump` later than they should.
    private func jumping(
        by jump: Int, after pause: Int = 0, delay: (Int) -> Int? = { _ in 0 }
    ) -> [Simulation.Arrival] {
        let before = stream(200, delay: delay)
        let after = stream(
            200, from: 1_200, timestamp: 50_000 &+ UInt32(truncatingIfNeeded: 200 * 960 + pause + jump),
            start: 100 + 200 * 960 + pause, delay: { delay($0 + 200) })
        return before + after
    }

    @Test("Where timestamps jump and no number is missing, no sound is, and no delay is added", arguments: jumps)
    func timestampJump(jump: Int) {
        var simulation = Simulation()
        simulation.run(jumping(by: jump), until: 400 * 960 - 1_920)
        let played = simulation.packetsPlayed
        #expect(zip(played, played.dropFirst()).allSatisfy { $1 == $0 + 1 })
        #expect((simulation.longestWait(1_200..<1_390) ?? .max) <= 1_440)
        let counters = simulation.buffer.counters
        #expect(counters.anchorings == 2 && counters.flushed == 0 && counters.late == 0 && counters.strays == 0)
        #expect(simulation.concealed == 0 && counters.paused == 0)
    }

    /// One that jumps back by a packet has the time of the one that it overtook.
    @Test("A packet that is overtaken where timestamps jump is heard, too", arguments: jumps.filter { $0 != -960 })
    func overtakenAtJump(jump: Int) {
        var simulation = Simulation(limits: JitterLimits(minimumMilliseconds: 60))
        simulation.run(jumping(by: jump) { $0 == 199 ? 1_440 : 0 }, until: 400 * 960 - 4_800)
        let played = simulation.packetsPlayed
        #expect(zip(played, played.dropFirst()).allSatisfy { $1 == $0 + 1 })
        let counters = simulation.buffer.counters
        #expect(counters.flushed == 0 && counters.late == 0 && counters.strays == 0 && counters.lost == 0)
    }

    @Test(
        "A jump is followed within 200 ms whatever the network loses and delays there", arguments: jumps, [1, 4, 8, 12])
    func jumpInLoss(jump: Int, lost: Int) {
        var dice = Dice(UInt64(truncatingIfNeeded: jump) &+ UInt64(lost))
        var simulation = Simulation()
        let arrivals = jumping(by: jump) { (200..<200 + lost).contains($0) ? nil : dice.roll(1_440) }
        simulation.run(arrivals, until: 400 * 960 - 4_800)
        let first = simulation.packetsPlayed.first { $0 >= 1_200 + UInt16(lost) } ?? .max
        // Until then, 200 ms from when the first one of after the jump came.
        let since = (Int(first) - 1_200 - lost) * 960 + (simulation.waits[first] ?? 48_000)
        #expect(since <= 9_600 + 1_440 + 960)
        let played = simulation.packetsPlayed.filter { $0 >= first }
        #expect(zip(played, played.dropFirst()).allSatisfy { $1 > $0 } && played.count >= 175 - lost)
        // What is too little to be told from the network has been waited for, and is given up by and by.
        let waited = 0..<7_200 ~= jump ? jump : 0
        #expect((simulation.longestWait(1_380..<1_390) ?? .max) <= 1_440 + 1_440 + waited)
    }

    @Test("What comes after a pause, too, is heard within 200 ms, whatever its timestamps did", arguments: jumps)
    func jumpAfterPause(jump: Int) {
        var simulation = Simulation()
        simulation.run(jumping(by: jump, after: 19_200), until: 420 * 960 - 1_920)
        // 20 ms back after 400 ms of nothing are a packet that is late.
        let first = simulation.packetsPlayed.first { $0 >= 1_200 } ?? .max
        #expect(first == (jump == -960 ? 1_201 : 1_200))
        #expect((simulation.waits[first] ?? .max) <= 9_600)
        #expect((simulation.waits[1_390] ?? .max) <= 9_600)
    }

    @Test("A pause is no jump, on a network that swings by 100 ms, too", arguments: 0..<16)
    func pauseIsNoJump(seed: Int) {
        var dice = Dice(UInt64(seed))
        var simulation = Simulation()
        // Words of a second, and as much between them; comfort noise comes every 400 ms.
        var (arrivals, number): ([Simulation.Arrival], Int) = ([], 0)
        for second in 0..<30 {
            for index in second % 2 == 0 ? Array(0..<50) : [0, 20, 40] {
                let start = 100 + (second * 50 + index) * 960
                arrivals += stream(
                    1, from: 1_000 + UInt16(number), timestamp: UInt32(start), start: start,
                    delay: { _ in dice.roll(4_800) })
                arrivals[arrivals.count - 1].packet.endsTalk = second % 2 == 1
                number += 1
            }
        }
        simulation.run(arrivals, until: 30 * 48_000)
        #expect(simulation.buffer.counters.anchorings == 1)
    }

    @Test("However short the packets, the longest delay has room", arguments: [120, 240, 480, 960])
    func shortPackets(duration: Int) {
        var simulation = Simulation(limits: JitterLimits(minimumMilliseconds: 0, maximumMilliseconds: 450))
        let count = 20 * 48_000 / duration
        // What is sent in 420 ms of each second comes all at once after them.
        let stalls = stream(count, duration: duration) { max(420 * 48 - $0 * duration % 48_000, 0) }
        simulation.run(stalls, until: count * duration - 48_000)
        let counters = simulation.buffer.counters
        #expect(counters.anchorings == 1 && counters.flushed == 0)
        #expect((simulation.longestWait(UInt16(1_000 + count / 2)..<UInt16(1_000 + count * 9 / 10)) ?? 0) >= 400 * 48)
        #expect(counters.late <= count / 20)
    }
}
