import Testing

@testable import Playout

/// What a sender and the world may do to a stream, drawn at random: pauses, jumps of timestamps and of numbers, other sources,
/// and packets that make no sense.
private struct RandomChanges {
    private var dice: Dice
    private let garbagePerMille: Int
    private var era = 0
    private var timestamp = 0
    private var number: UInt16 = 0
    private var epoch: UInt32 = 0
    private var delay = 0

    init(_ seed: Int) {
        dice = Dice(UInt64(seed) &* 7_919)
        garbagePerMille = [0, 5, 50][dice.roll(3)]
    }

    mutating func change(_ arrival: Simulation.Arrival, index: Int) -> Simulation.Arrival {
        if index / 150 != era {
            era = index / 150
            turn()
        }
        var arrival = arrival
        arrival.time += delay
        arrival.packet.timestamp &+= UInt32(truncatingIfNeeded: timestamp)
        arrival.packet.sequenceNumber &+= number
        arrival.packet.epoch = epoch
        guard dice.roll(1_000) < garbagePerMille else { return arrival }
        switch dice.roll(5) {
        case 0: arrival.packet.timestamp = UInt32(dice.roll(1 << 30))
        case 1: arrival.packet.sequenceNumber = UInt16(dice.roll(1 << 16))
        case 2: arrival.packet.duration = 0
        case 3: arrival.packet.endsTalk = true
        default: arrival.payload[2] = 0
        }
        return arrival
    }

    private mutating func turn() {
        switch dice.roll(6) {
        case 0: timestamp += [240, 2_400, 9_600, 480_000, 1 << 30][dice.roll(5)]
        case 1: timestamp -= [240, 2_400, 9_600, 480_000, 1 << 30][dice.roll(5)]
        case 2: number &+= UInt16(dice.roll(1 << 16))
        case 3: epoch += 1
        case 4:
            let pause = [960, 9_600, 19_200, 96_000][dice.roll(4)]
            (timestamp, delay) = (timestamp + pause, delay + pause)
        default: return
        }
    }
}

@Suite("Whatever comes") struct AccountTests {
    @Test("each packet that came and each sample that was put out is in the counters once", arguments: 0..<96)
    func account(seed: Int) {
        var network = RandomNetwork(seed)
        var changes = RandomChanges(seed)
        let count = 60 * 48_000 / network.duration
        let arrivals = network.arrivals(count).enumerated().map { changes.change($1, index: $0) }
        var simulation = Simulation(turn: [240, 480, 512, 960][seed % 4])
        for tenth in 0..<10 {
            let span = (tenth * 288_000)..<(tenth + 1) * 288_000
            simulation.run(arrivals.filter { span.contains($0.time) }, until: span.upperBound)
            if seed % 3 == 0 { simulation.flush() }
        }
        let counters = simulation.buffer.counters
        let sound = counters.heard + counters.concealed + counters.paused + counters.silent
        let out = simulation.consumed + simulation.decoded + simulation.flushed
        #expect(sound + counters.putIn - counters.leftOut == out, "\(network), \(counters)")
        let ended = counters.played + counters.late + counters.duplicates + counters.strays + counters.flushed
        #expect(
            ended + simulation.undecodable + simulation.buffer.waiting.count == simulation.inserted,
            "\(network), \(counters)")
        #expect(simulation.inserted > 0 && counters.heard > 0)
    }
}
