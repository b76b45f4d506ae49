import Playout
import Testing

@Suite("For a long time") struct LongRunTests {
    /// Hours of talk on the virtual clock: a day, in a debug build of one sender only, or as many as HANDSET_LONG_RUN says.
    private static func hours(_ partsPerMillion: Int) -> Int {
        #if DEBUG
            return LongRun.hours ?? (partsPerMillion == 120 ? 24 : 1)
        #else
            return LongRun.hours ?? 24
        #endif
    }

    /// So late that timestamps begin anew in the first hour.
    private static let firstTimestamp: UInt32 = 4_200_000_000

    /// A day takes 20 s in a debug build.
    @Test(
        "the delay stays what the network needs, whatever the clocks do",
        .timeLimit(.minutes(max(5, (LongRun.hours ?? 0) / 4))), arguments: [-120, 0, 120])
    func hours(partsPerMillion: Int) {
        let hours = Self.hours(partsPerMillion)
        var simulation = Simulation()
        simulation.keepsRecord = false
        var dice = Dice(11)
        // An hour at a time, so that the arrivals fit in memory.
        let packets = 180_000
        for hour in 0..<hours {
            let first = hour * packets
            let start = 100 + first * 960 + drift(first, partsPerMillion)
            let arrivals = stream(
                packets, from: UInt16(truncatingIfNeeded: first),
                timestamp: Self.firstTimestamp &+ UInt32(truncatingIfNeeded: first * 960), start: start
            ) { index in
                drift(first + index, partsPerMillion) - drift(first, partsPerMillion) + dice.roll(960)
                    + (index % 40_000 == 39_999 ? 4_800 : 0)
            }
            // Into the first turn of the next hour, so that the last packets come.
            let end = first + packets
            simulation.run(arrivals, until: 580 + end * 960 + drift(end, partsPerMillion))
            #expect(simulation.buffer.counters.buffered < 2_400, "in hour \(hour)")
        }
        let counters = simulation.buffer.counters
        // The stalls apart, hardly anything was made up, and as much was put in as left out, but for the drift.
        #expect(counters.anchorings == 1)
        #expect(counters.lost + counters.late <= 10 * hours)
        #expect(counters.concealed < hours * 60 * 48_000)
        #expect(simulation.now > (hours * 3_600 - 1) * 48_000 + drift(hours * packets, partsPerMillion))
    }

    @Test(
        "A sender's clock that is as far off as any changes the delay by less than 5 ms in an hour, and no sound is cut",
        arguments: [-500, 500])
    func farOff(partsPerMillion: Int) {
        var simulation = Simulation()
        simulation.keepsRecord = false
        var dice = Dice(5)
        var known = simulation.buffer.counters
        var waits = (least: Int.max, most: 0)
        for second in 0..<3_600 {
            let (first, next) = (second * 50, second * 50 + 50)
            let start = 4_900 + first * 960 + drift(first, partsPerMillion)
            let arrivals = stream(
                50, from: UInt16(truncatingIfNeeded: first), timestamp: UInt32(truncatingIfNeeded: first * 960),
                start: start
            ) { drift(first + $0, partsPerMillion) - drift(first, partsPerMillion) + dice.roll(48) }
            simulation.run(arrivals, until: 4_900 + next * 960 + drift(next, partsPerMillion))
            // By then the clock is known.
            if second < 60 {
                known = simulation.buffer.counters
                simulation.paces = (.infinity, 0)
            } else {
                let waited = simulation.buffer.counters.waited
                waits = (min(waits.least, waited), max(waits.most, waited))
            }
        }
        #expect(waits.most - waits.least < 240, "\(waits)")
        let counters = simulation.buffer.counters
        #expect(counters.concealed == known.concealed && counters.merges == known.merges)
        #expect(counters.leftOut == known.leftOut && counters.putIn == known.putIn)
        #expect(counters.lost == known.lost && counters.late == known.late && counters.anchorings == 1)
        #expect(counters.played - known.played > 3_538 * 50)
        // The pitch is the sender's own to six tenths of a cent.
        let pace = 1 - Double(partsPerMillion) / 1e6
        #expect(simulation.paces.least > pace - 0.00035 && simulation.paces.most < pace + 0.00035)
    }

    /// Samples that the sender of a packet is late by.
    private func drift(_ packet: Int, _ partsPerMillion: Int) -> Int { packet * 960 * partsPerMillion / 1_000_000 }
}
