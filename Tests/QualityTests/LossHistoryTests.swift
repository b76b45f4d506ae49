@testable import Quality
import Testing

@Suite("What ways of sending would have left of a loss") struct LossHistoryTests {
    private func history(_ pattern: [Bool]) -> LossHistory {
        var history = LossHistory()
        for start in stride(from: 0, to: pattern.count, by: 125) {
            history.take(Array(pattern[start..<min(start + 125, pattern.count)]))
        }
        return history
    }

    private let nothing = Residue(missing: 0, mended: 0)

    /// Two packets in a row, every twenty: no chance is in it.
    private let pairs = (0..<1_000).map { $0 % 20 > 1 }

    @Test(
        "is counted packet by packet",
        arguments: [
            ([], false, 0.1, 0.0), ([], true, 0.05, 0.05), ([1], false, 0.05, 0), ([1], true, 0, 0.05),
            ([2], false, 0, 0),
            ([20], false, 0.1, 0), ([1, 20], false, 0.05, 0), ([1, 2], false, 0, 0),
        ] as [([Int], Bool, Double, Double)])
    func counted(distances: [Int], corrected: Bool, missing: Double, mended: Double) throws {
        let residue = try #require(
            history(pairs).residue(distances: distances, corrected: corrected, expected: nothing))
        // Among some packets more, of which nothing was expected.
        let share = 1_000.0 / 1_500
        #expect(abs(residue.missing - missing * share) < 0.004)
        #expect(abs(residue.mended - mended * share) < 0.004)
    }

    @Test("is what it is of late, where that is worse")
    func worseOfLate() throws {
        let quiet = [Bool](repeating: true, count: 750)
        let whole = try #require(
            history(quiet + pairs.prefix(250)).residue(distances: [], corrected: false, expected: nothing))
        #expect(abs(whole.missing - 25.0 / 750) < 0.004)
        let past = try #require(
            history(pairs.prefix(250) + quiet).residue(distances: [], corrected: false, expected: nothing))
        #expect(abs(past.missing - 25.0 / 1_500) < 0.004)
    }

    @Test("is held against what was expected: one pair of losses is no habit")
    func expected() throws {
        var onePair = [Bool](repeating: true, count: 250)
        for index in [20, 80, 81, 150, 200] { onePair[index] = false }
        let expected = Residue(missing: 0.0004, mended: 0)
        let residue = try #require(history(onePair).residue(distances: [1], corrected: false, expected: expected))
        #expect(residue.missing > expected.missing && residue.missing < 0.0017)
    }

    @Test("is not told by one lost packet, nor before there are some")
    func tooFew() {
        #expect(
            history((0..<1_000).map { $0 != 500 }).residue(distances: [], corrected: false, expected: nothing) == nil)
        #expect(
            history((0..<100).map { $0 % 10 != 5 }).residue(distances: [], corrected: false, expected: nothing) == nil)
        #expect(LossHistory().residue(distances: [1], corrected: true, expected: nothing) == nil)
    }

    @Test("costs more where more is missing, and little where it is mended")
    func impairment() {
        let shares = stride(from: 0.0, through: 1, by: 0.05)
        let costs = shares.map { Residue(missing: $0, mended: 0).impairment }
        #expect(zip(costs, costs.dropFirst()).allSatisfy { $0 < $1 })
        #expect(costs.first == 0 && costs.allSatisfy { $0 < 7 })
        #expect(Residue(missing: 0, mended: 0.1).impairment < Residue(missing: 0.01, mended: 0).impairment)
    }
}
