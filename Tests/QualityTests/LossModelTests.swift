import Quality
import Testing

/// Losses in two states, as a seed gives them.
struct LossSource {
    var loss: Double
    /// Packets lost in a row on average; 1 / (1 - loss) is chance.
    var run: Double
    private var state: UInt64
    private var isBad = false

    init(loss: Double, run: Double? = nil, seed: UInt64 = 1) {
        self.loss = loss
        self.run = run ?? 1 / (1 - loss)
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    private mutating func random() -> Double {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Double(state >> 11) / Double(UInt64(1) << 53)
    }

    /// Whether each of the next packets comes.
    mutating func next(_ count: Int) -> [Bool] {
        (0..<count).map { _ in
            let leave = 1 / run
            isBad = isBad ? random() >= leave : random() < loss * leave / (1 - loss)
            return !isBad
        }
    }
}

extension [Bool] {
    var lost: Double { Double(count { !$0 }) / Double(count) }
}

@Suite("Loss in a row and by chance") struct LossModelTests {
    private func learn(_ source: LossSource, reports: Int = 12, withPattern: Bool = true) -> LossModel {
        var (source, model) = (source, LossModel())
        for _ in 0..<reports {
            let pattern = source.next(250)
            model.take(sent: 250, lost: pattern.lost, pattern: withPattern ? pattern : nil, burstDensity: nil)
        }
        return model
    }

    @Test(
        "Where the peer says which packets came, both figures are found", arguments: [(0.05, 3.0), (0.2, 4), (0.1, 6)])
    func pattern(loss: Double, run: Double) {
        let model = learn(LossSource(loss: loss, run: run), reports: 60)
        #expect(abs(model.repeated - (1 - 1 / run)) < 0.12)
        #expect((loss * 0.3...loss * 2.5).contains(model.loss))
    }

    @Test("Chance is told from bursts by the counts alone, over some reports")
    func scattered() {
        #expect(learn(LossSource(loss: 0.1), withPattern: false).repeated < 0.45)
        #expect(learn(LossSource(loss: 0.1, run: 6), withPattern: false).repeated > 0.5)
    }

    @Test("A dense burst of the peer's metrics counts")
    func density() {
        var model = LossModel()
        model.take(sent: 250, lost: 0.05, pattern: nil, burstDensity: 0.8)
        #expect(model.repeated > 0.6)
    }

    @Test(
        "What copies leave missing is what a long run of such losses leaves",
        arguments: [[1], [4], [2, 4], [1, 2, 3]])
    func copies(distances: [Int]) {
        var source = LossSource(loss: 0.2, run: 4, seed: 7)
        let pattern = source.next(400_000)
        var model = LossModel()
        for start in stride(from: 0, to: pattern.count, by: 4_000) {
            let part = Array(pattern[start..<start + 4_000])
            model.take(sent: 4_000, lost: 0.2, pattern: part, burstDensity: nil)
        }
        let missing = (0..<pattern.count - 4).count { index in
            !pattern[index] && distances.allSatisfy { !pattern[index + $0] }
        }
        #expect(abs(model.missing(withCopiesAt: distances) - Double(missing) / Double(pattern.count)) < 0.012)
    }

    @Test("Whatever is reported, the figures stay within 0 and 1")
    func bounded() {
        var model = LossModel()
        for (sent, lost) in [(0, 1.0), (-5, 1), (1, 7), (65_535, -3), (10, 1), (250, 1), (250, 1)] {
            model.take(sent: sent, lost: lost, pattern: sent == 10 ? [] : nil, burstDensity: 9)
            #expect((0...1).contains(model.loss) && (0...1).contains(model.repeated))
            #expect((0...1).contains(model.missing(withCopiesAt: [1, 5, 3, 0, -2])))
        }
    }
}
