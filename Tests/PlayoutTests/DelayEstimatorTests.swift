@testable import Playout
import Testing

@Suite("How long packets have to be waited for") struct DelayEstimatorTests {
    /// Feeds packets of 20 ms whose transits are `transits` later than some constant.
    private func estimator(_ transits: some Sequence<Int>, base: Int = -1 << 40) -> DelayEstimator {
        var estimator = DelayEstimator()
        feed(&estimator, transits, base: base)
        return estimator
    }

    private func feed(_ estimator: inout DelayEstimator, _ transits: some Sequence<Int>, base: Int = -1 << 40) {
        for transit in transits {
            estimator.add(transit: base + transit, duration: 960)
            estimator.advance(960)
        }
    }

    @Test("knows nothing before the first packet, and no spread after it")
    func beginning() {
        var estimator = DelayEstimator()
        #expect(estimator.spread == nil && estimator.target == nil && estimator.least == nil)
        estimator.add(transit: 5_000, duration: 960)
        #expect(estimator.spread == 0 && estimator.target == 5_000 && estimator.least == 5_000)
    }

    @Test("A quiet network needs nothing but its own jitter, to the sample", arguments: [0, 1, 47, 48, 300])
    func quiet(jitter: Int) {
        let estimator = estimator((0..<500).map { $0 % 3 == 0 ? jitter : 0 })
        #expect(estimator.spread == jitter)
    }

    @Test("Almost all packets of a jittery network are waited for", arguments: [960, 2_880, 5_760])
    func uniform(jitter: Int) {
        var dice = Dice(7)
        let estimator = estimator((0..<3_000).map { _ in dice.roll(jitter) })
        let spread = estimator.spread ?? 0
        #expect(spread >= jitter * 95 / 100 && spread <= jitter)
    }

    @Test("grows within one stall, and decays within seconds")
    func stall() {
        // 200 ms: ten packets come at once.
        let burst = (0..<10).map { 9_600 - $0 * 960 }
        var estimator = estimator(Array(repeating: 0, count: 200) + burst.prefix(1))
        #expect(estimator.spread == 9_600)
        feed(&estimator, burst.dropFirst())
        #expect(estimator.spread == 9_600)
        feed(&estimator, Array(repeating: 0, count: 90))
        #expect(estimator.spread == 9_600)
        // Three and a half seconds after it the most of it is given up; then what packets took of late has forgotten it, too.
        feed(&estimator, Array(repeating: 0, count: 85))
        #expect((estimator.spread ?? .max) <= 7_680)
        feed(&estimator, Array(repeating: 0, count: 800))
        #expect(estimator.spread == 0)
    }

    @Test("Stalls that recur are remembered from one to the next", arguments: [2, 4, 6, 10, 14])
    func recurring(seconds: Int) {
        let burst = (0..<5).map { 4_800 - $0 * 960 }
        let round = burst + Array(repeating: 0, count: seconds * 50 - 5)
        var estimator = estimator(Array(repeating: 0, count: 100) + round + burst)
        for index in 5..<(seconds * 50) {
            feed(&estimator, [0])
            #expect((estimator.spread ?? 0) >= 4_800, "packet \(index) after the second stall")
        }
    }

    @Test("Stalls farther apart are each the first, and forgotten within seconds", arguments: [16, 25])
    func rare(seconds: Int) {
        let burst = (0..<5).map { 4_800 - $0 * 960 }
        let round = burst + Array(repeating: 0, count: seconds * 50 - 5)
        var estimator = estimator(Array(repeating: 0, count: 100) + round + burst)
        #expect(estimator.spread == 4_800)
        feed(&estimator, Array(repeating: 0, count: 300))
        #expect(estimator.spread == 0)
    }

    @Test("Of long delays that end in an edge, those are let go by that come too late by little")
    func edge() {
        // Each delay up to 120 ms is as likely as any other.
        func waited(for jitter: Int) -> Int { estimator((0..<4_000).map { $0 * 977 % jitter }).spread ?? 0 }
        let long = waited(for: 5_760)
        // What exceeds 116.5 ms does so by 0.05 ms a packet; a bin is 1 ms.
        #expect(long >= 5_760 * 96 / 100 && long <= 5_760 * 98 / 100)
        // Where the wait is no burden, only one in a hundred is let go by.
        #expect(waited(for: 2_400) >= 2_400 * 98 / 100)
        // The same share far beyond the edge is waited for.
        let tail = estimator((0..<4_000).map { $0 % 40 == 7 ? 7_000 : $0 * 977 % 3_600 })
        #expect((tail.spread ?? 0) >= 6_900)
    }

    @Test(
        "A path that becomes longer or shorter for good changes the delay, not the spread", arguments: [2_400, -2_400])
    func step(change: Int) {
        var estimator = estimator(Array(repeating: 0, count: 300))
        feed(&estimator, Array(repeating: change, count: 700))
        #expect(estimator.spread == 0)
        #expect(estimator.target == -1 << 40 + change)
    }

    @Test("Clocks that drift apart are followed without a growing spread", arguments: [-500, 500])
    func drift(partsPerMillion: Int) {
        // An hour.
        var estimator = DelayEstimator()
        feed(&estimator, (0..<180_000).lazy.map { $0 * 960 * partsPerMillion / 1_000_000 })
        // Four seconds of drift are 2 ms.
        #expect((estimator.spread ?? .max) <= 144)
    }

    @Test("What was learnt outlives the timeline")
    func restart() {
        var dice = Dice(3)
        var estimator = estimator((0..<500).map { _ in dice.roll(2_400) })
        let before = estimator.spread ?? 0
        estimator.restart()
        #expect(estimator.target == nil)
        estimator.add(transit: 77, duration: 960)
        #expect(abs((estimator.spread ?? 0) - before) <= 96)
        // The first packet of the new one was a slow one: the fastest counts.
        feed(&estimator, [-1_000, 500, 20], base: 77)
        #expect(abs((estimator.target ?? 0) - (77 - 1_000 + before)) <= 192)
    }

    @Test(
        "Lost packets that the next ones repeat are waited for, where they are many",
        arguments: [(1_000, 0), (33, 960)])
    func recovery(every: Int, expected: Int) {
        var estimator = DelayEstimator()
        for index in 0..<3_000 {
            if index % every != every - 1 {
                estimator.add(transit: 0, duration: 960)
            } else {
                estimator.addRecovered(transit: 960)
            }
            estimator.advance(960)
        }
        let spread = estimator.spread ?? .max
        #expect(spread >= expected && spread <= expected + 48)
    }

    @Test("One early loss is no reason to wait")
    func earlyLoss() {
        var estimator = DelayEstimator()
        feed(&estimator, Array(repeating: 0, count: 10), base: 0)
        estimator.addRecovered(transit: 960)
        feed(&estimator, Array(repeating: 0, count: 10), base: 0)
        #expect(estimator.spread == 0)
    }

    @Test("Any transits are taken", arguments: 0..<4)
    func hostile(seed: Int) {
        var dice = Dice(UInt64(seed))
        var estimator = DelayEstimator()
        for _ in 0..<20_000 {
            let transit = (dice.roll(1 << 20) - 1 << 19) << dice.roll(20)
            if dice.roll(4) == 0 { estimator.addRecovered(transit: transit) }
            estimator.add(transit: transit, duration: dice.roll(5_760) + 1)
            estimator.advance(dice.roll(4_096))
            if dice.roll(500) == 0 { estimator.restart() }
            #expect((estimator.spread ?? 0) >= 0)
        }
    }
}

@Suite("A histogram that forgets") struct DelayHistogramTests {
    @Test("says what share of the packets takes longer")
    func shares() {
        var histogram = DelayHistogram()
        for delay in 0..<100 {
            histogram.add(delay * 48)
            histogram.count(forgetting: 0)
        }
        #expect(histogram.delay(exceededBy: 0) == 100 * 48)
        #expect(histogram.delay(exceededBy: 0.1001) == 90 * 48)
        #expect(histogram.delay(exceededBy: 0.5001) == 50 * 48)
        histogram.shift(by: 10)
        #expect(histogram.delay(exceededBy: 0.5001) == 60 * 48)
        histogram.shift(by: -10)
        #expect(histogram.delay(exceededBy: 0.5001) == 50 * 48)
    }

    @Test("lets more go by from a certain delay on, where what they exceed it by is little")
    func edge() {
        var histogram = DelayHistogram()
        for delay in 0..<100 {
            histogram.add(delay * 48)
            histogram.count(forgetting: 0)
        }
        func delay(beyond long: Int, lateness: Float) -> Int {
            histogram.delay(exceededBy: 0.01, beyond: long, orBy: 0.05, lateness: lateness)
        }
        // As by the share alone: one packet of a hundred.
        #expect(delay(beyond: 100 * 48, lateness: 48) == 99 * 48)
        #expect(delay(beyond: 0, lateness: 0) == 99 * 48)
        // Three packets exceed 97 bins, by one, two and three bins: six in a hundred packets.
        #expect(delay(beyond: 0, lateness: 0.061 * 48) == 97 * 48)
        // Five do 95.
        #expect(delay(beyond: 0, lateness: 48) == 95 * 48)
        #expect(delay(beyond: 97 * 48, lateness: 48) == 97 * 48)
    }

    @Test("What is shifted out of it stays at its end", arguments: [600, -600])
    func ends(shift: Int) {
        var histogram = DelayHistogram()
        histogram.add(4_800)
        histogram.count(forgetting: 0)
        histogram.shift(by: shift)
        #expect(histogram.delay(exceededBy: 0.5) == (shift > 0 ? 512 * 48 : 48))
    }

    @Test("forgets within its time, and stays exact for days")
    func forgets() {
        var histogram = DelayHistogram()
        for _ in 0..<1_000 {
            histogram.add(9_600)
            histogram.count(forgetting: 0.004)
        }
        #expect(histogram.delay(exceededBy: 0.01) == 9_648)
        // 250 packets to forget to 1/e, 1,150 to 1 %.
        for _ in 0..<1_100 {
            histogram.add(0)
            histogram.count(forgetting: 0.004)
        }
        #expect(histogram.delay(exceededBy: 0.01) == 9_648)
        for _ in 0..<100 {
            histogram.add(0)
            histogram.count(forgetting: 0.004)
        }
        #expect(histogram.delay(exceededBy: 0.01) == 48)
        for _ in 0..<1_000_000 {
            histogram.add(480)
            histogram.count(forgetting: 0.004)
        }
        #expect(histogram.delay(exceededBy: 0.01) == 528)
    }

    @Test("finds the delay that is cheapest")
    func cheapest() {
        var histogram = DelayHistogram()
        for index in 0..<1_000 {
            if index % 20 == 0 { histogram.add(960) }
            if index % 500 == 1 { histogram.add(4_800) }
            histogram.count(forgetting: 0)
        }
        // 5 % are worth 20 ms at 5 ms a per cent, 0.2 % are not worth 80 more.
        #expect(histogram.cheapest(from: 0, price: 240).delay == 1_008)
        #expect(histogram.cheapest(from: 0, price: 100).delay == 0)
        #expect(histogram.cheapest(from: 0, price: 30_000).delay == 4_848)
        #expect(histogram.cost(of: 1_008, from: 0, price: 240) < histogram.cost(of: 0, from: 0, price: 240))
    }
}
