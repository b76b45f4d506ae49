import MediaDescription
import Quality
import Testing

@Suite("Quality of a call") struct QualityMeterTests {
    /// Two seconds each of 100 packets, with this share of loss.
    private func run(_ meter: inout QualityMeter, _ shares: [Double]) -> [QualityMeter.Change?] {
        shares.map { share in
            seconds += 2
            due += 100
            missing += Int(share * 100)
            let figures = QualityMeter.Figures(due: due, missing: missing, delay: 60)
            return meter.take(figures, at: UInt64(seconds) * 1_000_000_000)
        }
    }
    /// Two seconds in which nothing comes, of so many packets.
    private func run(_ meter: inout QualityMeter, awaited packets: Int) -> QualityMeter.Change? {
        seconds += 2
        awaited += packets
        let figures = QualityMeter.Figures(due: due, missing: missing, awaited: awaited, delay: 60)
        return meter.take(figures, at: UInt64(seconds) * 1_000_000_000)
    }
    private let state = State()
    private final class State { var (seconds, due, missing, awaited) = (0, 0, 0, 0) }
    private var awaited: Int {
        get { state.awaited }
        nonmutating set { state.awaited = newValue }
    }
    private var seconds: Int {
        get { state.seconds }
        nonmutating set { state.seconds = newValue }
    }
    private var due: Int {
        get { state.due }
        nonmutating set { state.due = newValue }
    }
    private var missing: Int {
        get { state.missing }
        nonmutating set { state.missing = newValue }
    }

    @Test("Good sound is told of by nothing, and has a good score")
    func good() throws {
        var meter = QualityMeter(codec: .opus)
        #expect(meter.recent == nil && meter.mean == nil && meter.lowest == nil)
        #expect(run(&meter, [Double](repeating: 0, count: 50)).allSatisfy { $0 == nil })
        let recent = try #require(meter.recent)
        #expect((4.3...4.45).contains(recent))
        let mean = try #require(meter.mean)
        #expect(abs(mean - recent) < 0.001 && meter.lowest == recent)
    }

    @Test("It becomes poor once, and recovers once, however it wavers between the marks")
    func hysteresis() throws {
        var meter = QualityMeter(codec: .opus)
        _ = run(&meter, [0, 0, 0])
        let fall = run(&meter, [Double](repeating: 0.3, count: 10))
        #expect(fall.compactMap { $0 } == [.becamePoor])
        // Between 3.1 and 3.6 nothing is told.
        #expect(run(&meter, [Double](repeating: 0.1, count: 30)).allSatisfy { $0 == nil })
        let between = try #require(meter.recent)
        #expect((3.1...3.6).contains(between) && meter.isPoor)
        #expect(run(&meter, [Double](repeating: 0, count: 10)).compactMap { $0 } == [.recovered])
        let (lowest, mean) = (try #require(meter.lowest), try #require(meter.mean))
        #expect(lowest < 2.5)
        #expect((3...4).contains(mean))
    }

    @Test("However fast it changes, ten seconds are between two events")
    func rate() {
        var meter = QualityMeter(codec: .opus)
        let wild = (0..<300).map { $0 / 3 % 2 == 0 ? 0.0 : 0.9 }
        let told = run(&meter, [0] + wild).enumerated().filter { $0.element != nil }.map(\.offset)
        #expect(told.count > 5)
        #expect(zip(told, told.dropFirst()).allSatisfy { ($1 - $0) * 2 >= 10 })
    }

    @Test("While nothing comes that was sent, it is poor; and what is counted of it later does not count twice")
    func outage() throws {
        var meter = QualityMeter(codec: .opus)
        _ = run(&meter, [Double](repeating: 0, count: 10))
        // Ten seconds of a pause say nothing.
        for _ in 0..<5 { #expect(run(&meter, awaited: 0) == nil) }
        #expect(meter.recent.map { $0 > 4.3 } == true)
        // Ten seconds of an outage do.
        let told = (0..<5).map { _ in run(&meter, awaited: 100) }
        #expect(told.compactMap { $0 } == [.becamePoor])
        #expect(meter.recent.map { $0 < 2 } == true)
        let mean = try #require(meter.mean)
        // Of 1,400 packets 500 were missing.
        #expect((2.9...3.5).contains(mean))
        // What was missing is counted when the first packets come.
        due += 600
        missing += 500
        let back = meter.take(
            .init(due: due, missing: missing, awaited: awaited, delay: 60), at: UInt64(seconds) * 1_000_000_000)
        #expect(back == nil)
        #expect(meter.recent.map { $0 > 2.2 } == true)
        let after = try #require(meter.mean)
        #expect(after > mean)
        #expect(run(&meter, [Double](repeating: 0, count: 10)).compactMap { $0 } == [.recovered])
    }

    @Test("Too few packets, as in a pause, are counted with the next; counters that fall begin anew")
    func pauses() {
        var meter = QualityMeter(codec: .opus)
        _ = meter.take(.init(due: 0), at: 0)
        for step in 1...5 { _ = meter.take(.init(due: step * 4), at: UInt64(step)) }
        #expect(meter.recent == nil)
        _ = meter.take(.init(due: 30, missing: 30), at: 9)
        #expect(meter.recent.map { $0 < 2 } == true)
        let before = meter
        _ = meter.take(.init(due: 5, missing: 1), at: 10)
        #expect(meter.recent == before.recent && meter.mean == before.mean)
        _ = meter.take(.init(due: 105, missing: 1), at: 11)
        #expect(meter.recent.map { $0 > 2 } == true)
    }
}
