@testable import Playout
import Testing

/// A network drawn at random: how it delays, loses, repeats and mixes packets up.
struct RandomNetwork {
    var dice: Dice
    let duration: Int
    let hasRedundancy: Bool
    private let kind: Int
    let jitter: Int
    private let lossPerMille: Int
    private let burst: Int
    private let duplicatesPerMille: Int
    private let partsPerMillion: Int

    init(_ seed: Int) {
        dice = Dice(UInt64(seed) &* 977)
        duration = [480, 960, 1_920, 2_880][dice.roll(4)]
        hasRedundancy = dice.roll(2) == 0
        kind = dice.roll(4)
        jitter = [0, 480, 2_880, 5_760][dice.roll(4)]
        lossPerMille = [0, 0, 10, 100][dice.roll(4)]
        burst = [1, 1, 4][dice.roll(3)]
        duplicatesPerMille = dice.roll(3) == 0 ? 50 : 0
        partsPerMillion = [-500, 0, 0, 500][dice.roll(4)]
    }

    /// Whether stalls are longer than this, so that packets are given up and the timeline may be found anew.
    func stalls(longerThan limit: Int) -> Bool { kind == 1 && 8 * duration + jitter > limit }

    mutating func arrivals(_ count: Int) -> [Simulation.Arrival] {
        var lost = 0
        var queue = 0
        var result: [Simulation.Arrival] = []
        for (index, arrival) in stream(count, duration: duration, hasRedundancy: hasRedundancy).enumerated() {
            var arrival = arrival
            if lost == 0 && dice.roll(1_000) < lossPerMille { lost = dice.roll(2 * burst - 1) + 1 }
            lost = max(lost - 1, 0)
            if lost > 0 { continue }
            var delay = jitter > 0 ? dice.roll(jitter) : 0
            // Stalls, a queue, or packets that overtake one another.
            if kind == 1 && index % 150 >= 142 { delay += (150 - index % 150) * duration }
            arrival.time += delay + index * duration * partsPerMillion / 1_000_000
            if kind != 3 { arrival.time = max(arrival.time, queue) }
            queue = max(queue, arrival.time)
            result.append(arrival)
            if dice.roll(1_000) < duplicatesPerMille {
                arrival.time += dice.roll(4_800)
                result.append(arrival)
            }
        }
        return result
    }
}

@Suite("On any network") struct PlayoutPropertyTests {
    @Test(
        "no sound is lost or doubled but by decision, the delay keeps its bounds, and the loop is fed",
        arguments: 0..<64)
    func properties(seed: Int) {
        var network = RandomNetwork(seed)
        let count = 60 * 48_000 / network.duration
        var simulation = Simulation(
            turn: [240, 480, 512, 960][seed % 4], limits: JitterLimits(maximumMilliseconds: 300))
        simulation.run(network.arrivals(count), until: count * network.duration - 48_000)
        let counters = simulation.buffer.counters

        // Each packet is heard once, in order, and from some place to its end.
        let heard = simulation.heard
        #expect(zip(heard, heard.dropFirst()).allSatisfy { Int16(bitPattern: $1.packet &- $0.packet) > 0 })
        #expect(heard.allSatisfy { $0.from >= 0 && $0.from < $0.to && $0.to == network.duration })

        // What was put out is what was decided: nothing is left over.
        let packets = heard.reduce(0) { $0 + $1.to - $1.from }
        let madeUp = simulation.played.reduce(0) { sum, entry in
            switch entry {
            case .packet, .rest: sum
            case .redundancy(let samples), .concealed(let samples), .bridged(let samples), .pause(let samples),
                .silence(let samples):
                sum + samples
            }
        }
        #expect(packets + madeUp + simulation.putIn - simulation.leftOut == simulation.consumed + simulation.decoded)
        #expect(counters.putIn >= simulation.putIn && counters.leftOut >= simulation.leftOut)
        #expect(counters.played == heard.count)

        // And the counters have all of it: each sample that was put out, and each packet that came.
        let sound = counters.heard + counters.concealed + counters.paused + counters.silent
        let changed = counters.putIn - counters.leftOut
        #expect(sound + changed == simulation.consumed + simulation.decoded, "\(network), \(counters)")
        let ended = counters.played + counters.late + counters.duplicates + counters.strays + counters.flushed
        #expect(ended + simulation.buffer.waiting.count == simulation.inserted, "\(network), \(counters)")
        let recovered = simulation.played.reduce(0) { sum, entry in
            if case .redundancy(let samples) = entry { sum + samples } else { sum }
        }
        #expect(counters.heard == packets + recovered)
        #expect(counters.anchorings == 1 || network.stalls(longerThan: 300 * 48), "\(network) \(counters)")

        // No packet waits longer than the longest delay, a turn, a packet and the period that was put in last; and what it
        // was faster than those of the last seconds.
        let longest = 300 * 48 + 960 + network.duration + 960 + network.jitter
        let least = simulation.waits.values.min() ?? 0
        let most = simulation.waits.values.max() ?? 0
        #expect(least >= 0 && most <= longest, "\(network), \(counters)")
    }
}
