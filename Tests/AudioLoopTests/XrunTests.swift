import Testing

@testable import AudioLoop

@Suite("Why a card ran dry") struct XrunTimingTests {
    private static let millisecond: UInt64 = 1_000_000

    /// A turn of 10 ms that was due and began at 100 ms, and ended after 1 ms.
    private func timing(turnOf work: UInt64 = 1) -> XrunTiming {
        var timing = XrunTiming(period: 480)
        timing.begin(at: 100 * Self.millisecond, lateness: 0)
        timing.end(at: (100 + work) * Self.millisecond)
        return timing
    }

    @Test("The loop was woken late")
    func late() {
        let between = timing()
        #expect(between.delay(at: 125 * Self.millisecond) == 15 * Self.millisecond)
        #expect(between.cause(at: 125 * Self.millisecond, asleep: 0) == .lateWakeUp)
        var within = timing()
        within.begin(at: 125 * Self.millisecond, lateness: 15 * Self.millisecond)
        #expect(within.cause(at: 126 * Self.millisecond, asleep: 0) == .lateWakeUp)
        #expect(within.delay(at: 126 * Self.millisecond) == 16 * Self.millisecond)
    }

    @Test("A turn took long: this one, or the one before it")
    func long() {
        var within = timing()
        within.begin(at: 111 * Self.millisecond, lateness: Self.millisecond)
        #expect(within.cause(at: 125 * Self.millisecond, asleep: 0) == .longTurn)
        let after = timing(turnOf: 24)
        #expect(after.cause(at: 125 * Self.millisecond, asleep: 0) == .longTurn)
    }

    @Test("The machine was suspended, or the card stopped though the loop was in time")
    func others() {
        #expect(timing().cause(at: 125 * Self.millisecond, asleep: 3_000 * Self.millisecond) == .suspended)
        #expect(timing().cause(at: 105 * Self.millisecond, asleep: 0) == .card)
        #expect(XrunTiming(period: 480).cause(at: 105 * Self.millisecond, asleep: 0) == .card)
    }

    @Test("What the loop notes is what others read")
    func cells() {
        let cells = XrunCells()
        #expect(cells.last == nil)
        for cause in XrunCause.allCases {
            cells.store(cause, at: 7, late: 12_500_000, ahead: 240, isPlayback: true)
            #expect(
                cells.last
                    == Xrun(cause: cause, time: 7, lateMilliseconds: 12.5, aheadMilliseconds: 5, isPlayback: true))
        }
    }
}
