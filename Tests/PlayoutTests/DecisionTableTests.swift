import Playout
import Testing

/// What a buffer does next after two seconds of a quiet network: packets 1,000 to 1,099 have come, each in time, and have
/// been played to the last sample.
@Suite("Each decision of the jitter buffer") struct DecisionTableTests {
    private static func played(endsTalk: Bool = false) -> Simulation {
        var simulation = Simulation()
        var talk = stream(100)
        talk[99].packet.endsTalk = endsTalk
        simulation.run(talk, until: 100 * 960 + 480)
        return simulation
    }

    /// A packet of the same stream, whose sound begins `packets` packets after that of 1,000, and `samples` samples.
    private static func packet(_ packets: Int, samples: Int = 0, number: UInt16? = nil) -> PlayoutPacket {
        PlayoutPacket(
            sequenceNumber: number ?? 1_000 &+ UInt16(truncatingIfNeeded: packets),
            timestamp: 50_000 &+ UInt32(truncatingIfNeeded: packets * 960 + samples), duration: 960)
    }

    /// What is counted of packets.
    private static func counts(_ counters: PlayoutCounters) -> [Int] {
        [counters.late, counters.duplicates, counters.strays, counters.anchorings]
    }

    /// What comes, what becomes of the last of it, and what is counted: late, duplicates, strays, anchorings.
    private static let insertions: [(name: String, packets: [PlayoutPacket], last: Insertion, counts: [Int])] = [
        ("the next one", [packet(100)], .queued, [0, 0, 0, 0]),
        ("the one after the next", [packet(101)], .queued, [0, 0, 0, 0]),
        ("both, the wrong way round", [packet(101), packet(100)], .queued, [0, 0, 0, 0]),
        ("the next one twice", [packet(100), packet(100)], .duplicate, [0, 1, 0, 0]),
        ("the last one again", [packet(99)], .duplicate, [0, 1, 0, 0]),
        ("one of 0.8 s ago again", [packet(60)], .duplicate, [0, 1, 0, 0]),
        ("one of more than a second ago", [packet(40)], .late, [1, 0, 0, 0]),
        ("the next number, five seconds back", [packet(100, samples: -240_000)], .queued, [0, 0, 0, 1]),
        ("the next number, five seconds ahead", [packet(100, samples: 240_000)], .queued, [0, 0, 0, 1]),
        ("the next number, half a circle away", [packet(100, samples: 1 << 31)], .queued, [0, 0, 0, 1]),
        ("the next number, a tenth of a second ahead", [packet(100, samples: 4_800)], .queued, [0, 0, 0, 1]),
        ("the next number, less ahead", [packet(100, samples: 2_400)], .queued, [0, 0, 0, 0]),
        (
            "and the one after it, which jumps back", [packet(100, samples: 96_000), packet(101)], .queued,
            [0, 0, 0, 2]
        ),
        ("the ninth number after it, five seconds back", [packet(108, samples: -240_000)], .queued, [0, 0, 0, 1]),
        ("the tenth number after it, five seconds back", [packet(109, samples: -240_000)], .late, [1, 0, 0, 0]),
        ("the tenth number after it, five seconds ahead", [packet(109, samples: 240_000)], .offTimeline, [0, 0, 1, 0]),
        ("an old number five seconds ahead", [packet(60, samples: 240_000)], .offTimeline, [0, 0, 1, 0]),
        (
            "one of before a jump back", [packet(101, samples: -4_800), packet(100)], .queued, [0, 0, 0, 1]
        ),
        (
            "one of before a jump ahead", [packet(101, samples: 96_000), packet(100)], .queued, [0, 0, 0, 1]
        ),
        (
            "the next number, five seconds ahead, and then the next one", [packet(100, samples: 240_000), packet(100)],
            .duplicate, [0, 1, 0, 1]
        ),
        (
            "one of before it again", [packet(100, samples: 240_000), packet(98)], .duplicate, [0, 1, 0, 1]
        ),
        (
            "another number at the place of one that waits", [packet(100), packet(100, number: 7)], .duplicate,
            [0, 1, 0, 0]
        ),
        (
            "another source", [PlayoutPacket(sequenceNumber: 9, timestamp: 3, epoch: 1, duration: 960)], .anchored,
            [0, 0, 0, 1]
        ),
    ]

    @Test("What comes is taken, or refused and counted as what it is", arguments: insertions.indices)
    func insertion(row: Int) {
        let (name, packets, last, counts) = Self.insertions[row]
        var simulation = Self.played()
        let before = Self.counts(simulation.buffer.counters)
        var found: Insertion?
        for packet in packets { found = simulation.buffer.insert(packet, [1, 2, 8], 3, decoded: 0) }
        #expect(found == last, "\(name)")
        let after = Self.counts(simulation.buffer.counters)
        #expect(zip(after, before).map { $0 - $1 } == counts, "\(name)")
    }

    /// What has come and waits, and where the next 10 ms of sound come from; the slot stands for whichever it is.
    private static let decisions: [(name: String, waiting: [PlayoutPacket], endsTalk: Bool, next: [PlayoutDecision])] =
        [
            ("the next one", [packet(100)], false, [.packet(slot: 0, skip: 0)]),
            ("nothing", [], false, [.bridge(samples: 480), .bridge(samples: 480)]),
            ("nothing, in a pause", [], true, [.pause(samples: 480), .pause(samples: 480)]),
            (
                "the one after a lost one", [packet(101)], false,
                [.conceal(samples: 480, skip: 0), .conceal(samples: 480, skip: 0), .packet(slot: 0, skip: 0)]
            ),
            (
                "the one after a lost one, which it repeats", [repeating(101)], false,
                [.redundancy(slot: 0, samples: 960, skip: 0), .packet(slot: 0, skip: 0)]
            ),
            (
                "the one after two lost ones, the second of which it repeats", [repeating(102)], false,
                [
                    .conceal(samples: 480, skip: 0), .conceal(samples: 480, skip: 0),
                    .redundancy(slot: 0, samples: 960, skip: 0), .packet(slot: 0, skip: 0),
                ]
            ),
        ]

    private static func repeating(_ packets: Int) -> PlayoutPacket {
        var packet = packet(packets)
        packet.hasRedundancy = true
        return packet
    }

    /// With slot 0 for any.
    private func anySlot(_ decision: PlayoutDecision) -> PlayoutDecision {
        switch decision {
        case .packet(_, let skip): .packet(slot: 0, skip: skip)
        case .redundancy(_, let samples, let skip): .redundancy(slot: 0, samples: samples, skip: skip)
        case .conceal, .bridge, .pause, .silence: decision
        }
    }

    @Test("What waits decides where the next sound comes from", arguments: decisions.indices)
    func decision(row: Int) {
        let (name, waiting, endsTalk, next) = Self.decisions[row]
        var simulation = Self.played(endsTalk: endsTalk)
        for packet in waiting {
            let insertion = simulation.buffer.insert(packet, [1, 2, 8], 3, decoded: 0)
            #expect(insertion == .queued, "\(name)")
        }
        for expected in next {
            let decision = simulation.buffer.decide(needed: 480, decoded: 0)
            #expect(anySlot(decision) == expected, "\(name)")
            let made =
                switch decision {
                case .packet: 960
                case .redundancy(_, let samples, _), .conceal(let samples, _), .bridge(let samples),
                    .pause(let samples), .silence(let samples):
                    samples
                }
            simulation.buffer.carriedOut(decision, samples: made)
        }
    }

    @Test(
        "What an outage took is counted as lost, however long it was; a pause took nothing",
        arguments: [20, 45, 60, 250])
    func outage(packets: Int) {
        var simulation = Simulation()
        simulation.run(stream(600) { (100..<100 + packets).contains($0) ? nil : 0 }, until: 590 * 960)
        let counters = simulation.buffer.counters
        #expect(counters.lost == packets)
        #expect(counters.late == 0 && counters.anchorings == (packets > 50 ? 2 : 1))
        var pausing = Simulation()
        let talk = stream(100)
        let rest = stream(100, from: 1_100, timestamp: 50_000 + 240_000, start: 100 + 240_000)
        pausing.run(talk + rest, until: 340 * 960)
        #expect(pausing.buffer.counters.lost == 0)
    }

    @Test("So it is where packets of after it wait while the second ends that nothing came for", arguments: 45...65)
    func outageWithDelay(packets: Int) {
        let limits = JitterLimits(minimumMilliseconds: 200)
        var simulation = Simulation(limits: limits)
        simulation.run(stream(400) { (100..<100 + packets).contains($0) ? nil : 0 }, until: 380 * 960)
        #expect(simulation.buffer.counters.lost == packets)
        #expect(simulation.buffer.counters.late == 0 && simulation.packetsPlayed.contains(1_360))
        var pausing = Simulation(limits: limits)
        let after = (100 + packets) * 960
        let rest = stream(200, from: 1_100, timestamp: 50_000 + UInt32(after), start: 100 + after)
        pausing.run(stream(100) + rest, until: after + 180 * 960)
        #expect(pausing.buffer.counters.lost == 0)
        #expect(pausing.buffer.counters.late == 0 && pausing.packetsPlayed.contains(1_260))
    }

    @Test("Before anything has come there is silence, and after 120 ms of nothing there is silence again")
    func silence() {
        var new = JitterBuffer(clockRate: 48_000, turnSamples: 480)
        let first = new.decide(needed: 480, decoded: 0)
        #expect(first == .silence(samples: 480))
        var simulation = Self.played()
        for turn in 0..<20 {
            let decision = simulation.buffer.decide(needed: 480, decoded: 0)
            #expect(decision == (turn < 12 ? .bridge(samples: 480) : .silence(samples: 480)))
            simulation.buffer.carriedOut(decision, samples: 480)
        }
        let counters = simulation.buffer.counters
        #expect(counters.concealed == 5_760 && counters.concealedLost == 0)
    }

    @Test("Behind the last word of a sender who stops nothing is made up; half a second later it is again")
    func stop() {
        var stopped = Self.played()
        let before = stopped.buffer.counters
        stopped.buffer.senderStops()
        for _ in 0..<4 {
            let decision = stopped.buffer.decide(needed: 480, decoded: 0)
            #expect(decision == .silence(samples: 480))
            stopped.buffer.carriedOut(decision, samples: 480)
        }
        let counters = stopped.buffer.counters
        #expect(counters.concealed == before.concealed && counters.silent - before.silent == 1_920)
        var later = Self.played()
        later.buffer.senderStops()
        for turn in 0...50 {
            let decision = later.buffer.decide(needed: 480, decoded: 0)
            #expect(decision == (turn < 50 ? .silence(samples: 480) : .bridge(samples: 480)))
            later.buffer.advance(samples: 480, decoded: 0)
        }
    }
}
