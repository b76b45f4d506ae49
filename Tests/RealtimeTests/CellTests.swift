import Testing

@testable import Realtime

@Suite("Gate cell") struct GateCellTests {
    @Test("A word says what was asked and which request it was", arguments: [false, true], [false, true])
    func word(held: Bool, muted: Bool) {
        let cell = GateCell()
        let word = cell.request(held: held, muted: muted, earmuffed: !held)
        #expect(word.isHeld == held)
        #expect(word.isMuted == muted)
        #expect(word.isEarmuffed == !held)
        #expect(cell.loopEnd.load() == word)
        #expect(cell.settled != word)
        cell.loopEnd.settle(word)
        #expect(cell.settled == word)
    }

    @Test("The same gates asked for twice are two requests")
    func generations() {
        let cell = GateCell()
        let first = cell.request(held: true, muted: false, earmuffed: false)
        let second = cell.request(held: true, muted: false, earmuffed: false)
        #expect(first != second)
        #expect(second.generation == first.generation + 1)
    }

    @Test("The generation wraps without touching the gates")
    func wrap() {
        let word = GateWord(held: true, muted: false, earmuffed: true, generation: 1 << 29)
        #expect(word == GateWord(held: true, muted: false, earmuffed: true, generation: 0))
    }
}

@Suite("Level meter") struct LevelMeterTests {
    @Test("A full-scale square is 0 dBFS, half of it -6, silence and the first second have no level")
    func level() {
        let meter = LevelMeter()
        func second(of sample: Int16) {
            let block = [Int16](repeating: sample, count: 480)
            for _ in 0..<100 { block.withUnsafeBufferPointer { meter.add($0) } }
        }
        let before = meter.dbfs
        #expect(before == nil)
        second(of: -32_768)
        let full = meter.dbfs
        #expect(full == 0)
        second(of: 16_384)
        let half = meter.dbfs ?? 0
        #expect(abs(half + 6.02) < 0.01)
        meter.addSilence(48_000)
        let silent = meter.dbfs
        #expect(silent == nil)
    }
}

@Suite("Turn statistics") struct TurnStatisticsTests {
    @Test("The 99th percentile is at most an eighth too high, the longest turn exact")
    func quantile() {
        let statistics = TurnStatistics()
        let empty = statistics.quantileMicroseconds(0.99)
        #expect(empty == 0)
        for microseconds in 1...1_000 { statistics.add(nanoseconds: UInt64(microseconds) * 1_000) }
        let (turns, longest) = (statistics.turns, statistics.longestMicroseconds)
        #expect(turns == 1_000)
        #expect(longest == 1_000)
        let p99 = statistics.quantileMicroseconds(0.99)
        #expect((990...1_000).contains(p99))
        let median = statistics.quantileMicroseconds(0.5)
        #expect((500...563).contains(median))
    }

    @Test("Every duration falls into a class that ends at or above it")
    func classes() {
        var last = -1
        for microseconds in 0..<100_000 {
            let sizeClass = TurnStatistics.sizeClass(of: microseconds)
            #expect(sizeClass == last || sizeClass == last + 1)
            #expect(TurnStatistics.upperBound(of: sizeClass) >= microseconds)
            last = sizeClass
        }
        #expect(TurnStatistics.sizeClass(of: .max) == 175)
    }

    @Test("A stalled clock's turn is counted, not trapped on")
    func extreme() {
        let statistics = TurnStatistics()
        statistics.add(nanoseconds: .max)
        let turns = statistics.turns
        #expect(turns == 1)
    }
}
