import Playout
import Testing

@Suite("Adaptation of the delay") struct AdaptationTests {
    @Test("Jitter is learnt: after a second almost nothing comes too late", arguments: [480, 960, 1_920, 3_840])
    func learns(jitter: Int) {
        var simulation = Simulation()
        var dice = Dice(UInt64(jitter))
        simulation.run(stream(1_000) { _ in dice.roll(jitter) }, until: 1_000 * 960 - 9_600)
        let tail = simulation.packetsPlayed.filter { $0 >= 1_100 }
        #expect(tail.count >= 870)
        #expect(simulation.buffer.counters.concealed < 20 * 960)
        // And no more is held than the network needs.
        let waits = (1_600..<1_900).compactMap { simulation.waits[$0] }
        let mean = waits.reduce(0, +) / max(waits.count, 1)
        #expect(mean <= jitter + 960)
    }

    @Test("One delay of the network is allowed for during a few seconds only, by a talker who pauses")
    func decays() {
        var simulation = Simulation()
        simulation.isQuiet = true
        // Five packets come together.
        simulation.run(
            stream(800) { (200..<205).contains($0) ? 4_800 - ($0 - 200) * 960 : 0 }, until: 800 * 960 - 1_920)
        // Right after it, everything waits; six seconds later it does not.
        #expect((simulation.waits[1_260] ?? 0) >= 3_360)
        #expect(simulation.buffer.counters.late == 0)
        let waits = (1_600..<1_700).compactMap { simulation.waits[$0] }
        #expect((waits.max() ?? .max) <= 960)
    }

    @Test("What is too long waits for a pause: 5 s where it is far too long, else 10", arguments: [4_800, 2_880])
    func waitsForPause(stall: Int) {
        let isFar = stall == 4_800
        var simulation = Simulation()
        let talk = stream(1_200) { (200..<205).contains($0) ? max(stall - ($0 - 200) * 960, 0) : 0 }
        simulation.run(talk, until: 1_200 * 960 - 1_920)
        let first = simulation.cares.first?.time ?? 0
        let patience = isFar ? 240_000 : 480_000
        let waited = simulation.cares.filter { $0.time < first + patience - 96_000 }
        #expect(waited.count >= 50 && waited.allSatisfy { $0.care == .inPauses })
        let inWords = simulation.cares.first { $0.care != .inPauses }
        #expect(inWords?.care == (isFar ? .urgent : .unheard))
        #expect(abs((inWords?.time ?? 0) - first - patience) <= 96_480)
        #expect((simulation.waits[2_190] ?? .max) <= 960)
        // The first pause ends it at once.
        var pausing = Simulation()
        pausing.run(talk, until: first + 48_000)
        #expect(pausing.leftOut == 0)
        pausing.isQuiet = true
        pausing.run(talk.filter { $0.time > first + 48_000 }, until: first + 72_000)
        #expect(pausing.leftOut >= stall - 960 && pausing.cares.allSatisfy { $0.care == .inPauses })
    }

    @Test("One packet that comes after its follower is lost, and does not raise the delay")
    func oneReordered() {
        var simulation = Simulation()
        simulation.run(stream(400) { $0 == 200 ? 4_800 : 0 }, until: 400 * 960 - 1_920)
        #expect(simulation.buffer.counters.late == 1 && simulation.buffer.counters.lost == 1)
        #expect(simulation.concealed == 960)
        #expect((simulation.waits[1_260] ?? .max) <= 720)
    }

    @Test("A stall of the network is not replayed: what is later than the limit is given up")
    func stall() {
        var simulation = Simulation(limits: JitterLimits(maximumMilliseconds: 200))
        // For a second nothing comes, then everything at once.
        let stall = stream(400) { (200..<250).contains($0) ? (250 - $0) * 960 : 0 }
        simulation.run(stall, until: 400 * 960 - 1_920)
        #expect(simulation.buffer.counters.late >= 35)
        #expect(simulation.buffer.counters.anchorings == 1)
        #expect((simulation.waits[1_260] ?? .max) <= 200 * 48 + 960)
    }

    @Test("What a long stall held back is not replayed, at the beginning or after it", arguments: [0, 200])
    func heldBack(first: Int) {
        var simulation = Simulation()
        // For two seconds nothing comes, then everything at once.
        let held = stream(500) { (first..<first + 100).contains($0) ? (first + 100 - $0) * 960 : 0 }
        simulation.run(held, until: 500 * 960 - 1_920)
        let after = UInt16(1_000 + first + 100)
        // What is left can be caught up with unheard, and is within seconds.
        #expect((simulation.longestWait(after..<after + 50) ?? .max) <= 4_800 + 960)
        #expect((simulation.longestWait(after + 150..<after + 190) ?? .max) <= 960)
        let counters = simulation.buffer.counters
        #expect(counters.late >= 90 && counters.late <= 100)
        #expect(counters.anchorings == (first == 0 ? 1 : 2))
        let played = simulation.packetsPlayed
        #expect(zip(played, played.dropFirst()).allSatisfy { $1 > $0 })
        #expect(played.contains(after))
    }

    @Test("A path that has become longer for good is followed within a few packets")
    func longerPath() {
        var simulation = Simulation(limits: JitterLimits(maximumMilliseconds: 100))
        simulation.run(stream(400) { $0 >= 200 ? 24_000 : 0 }, until: 400 * 960 - 1_920)
        let played = simulation.packetsPlayed.filter { $0 >= 1_200 && $0 < 1_370 }
        #expect(played.count >= 160)
    }

    @Test("A sender whose clock drifts is followed", arguments: [-200, 200])
    func drift(partsPerMillion: Int) {
        var simulation = Simulation()
        // 100 s: 20 ms of drift.
        simulation.run(stream(5_000) { 2_400 + $0 * 960 * partsPerMillion / 1_000_000 }, until: 5_000 * 960 - 4_800)
        #expect(simulation.packetsPlayed.count >= 4_980)
        #expect(simulation.buffer.counters.concealed <= 3_840)
        let waits = (5_800..<5_900).compactMap { simulation.waits[$0] }
        #expect((waits.max() ?? .max) <= 1_440)
    }

    @Test("The least head start is kept")
    func minimum() {
        var simulation = Simulation(limits: JitterLimits(minimumMilliseconds: 60))
        simulation.run(stream(500), until: 480_000)
        let waits = (1_300..<1_400).compactMap { simulation.waits[$0] }
        #expect((waits.min() ?? 0) >= 60 * 48)
        #expect((waits.max() ?? .max) <= 80 * 48)
    }
}

@Suite("A sender that pauses") struct PauseTests {
    /// Packets 0..<50, then nothing for `pause`, then 50 more whose timestamps have run on and numbers have not.
    private func talk(pause: Int, endsTalk: Bool) -> [Simulation.Arrival] {
        var before = stream(50)
        if endsTalk { before[49].packet.endsTalk = true }
        let after = stream(
            50, from: 1_050, timestamp: 50_000 + UInt32(50 * 960 + pause), start: 100 + 50 * 960 + pause)
        return before + after
    }

    @Test("loses nothing", arguments: [960, 9_600, 19_200, 480_000], [true, false])
    func isNotLoss(pause: Int, endsTalk: Bool) {
        var simulation = Simulation()
        simulation.run(talk(pause: pause, endsTalk: endsTalk), until: 98 * 960 + pause)
        let counters = simulation.buffer.counters
        #expect(counters.lost == 0 && counters.late == 0)
        #expect(simulation.packetsPlayed.count >= 96)
        #expect(counters.concealed == 0)
        // After more than a second of nothing the stream begins anew.
        #expect(counters.anchorings == (pause > 48_000 ? 2 : 1))
    }

    @Test(
        "and whose timestamps did anything meanwhile is heard at once", arguments: [0, 3_000_000, -3_000_000, 1 << 31])
    func timestampsAfterPause(jump: Int) {
        var simulation = Simulation()
        let after = stream(
            50, from: 1_050, timestamp: 50_000 &+ UInt32(truncatingIfNeeded: 50 * 960 + jump),
            start: 100 + 50 * 960 + 480_000)
        simulation.run(stream(50) + after, until: 98 * 960 + 480_000)
        #expect(simulation.packetsPlayed.count >= 96)
        #expect((simulation.waits[1_090] ?? .max) <= 1_440)
    }

    @Test("lets a delay that is no longer needed end unheard")
    func shortensPause() {
        var simulation = Simulation()
        simulation.scales = false
        // A delay of the network at packet 20, five seconds of talk, a pause, and talk again.
        let before = stream(300) { (20..<25).contains($0) ? 4_800 - ($0 - 20) * 960 : 0 }
        let after = stream(
            100, from: 1_300, timestamp: 50_000 + 300 * 960 + 19_200, start: 100 + 300 * 960 + 19_200)
        simulation.run(before + after, until: 396 * 960 + 19_200)
        #expect((simulation.waits[1_290] ?? 0) >= 3_360)
        #expect((simulation.waits[1_310] ?? .max) <= 960)
        #expect(simulation.buffer.counters.lost == 0)
    }

    @Test("and says so is filled with comfort noise, not with concealment")
    func comfort() {
        var simulation = Simulation()
        simulation.run(talk(pause: 9_600, endsTalk: true), until: 105 * 960)
        #expect(simulation.concealed == 0)
        #expect(simulation.played.contains { if case .pause = $0 { true } else { false } })
    }
}
