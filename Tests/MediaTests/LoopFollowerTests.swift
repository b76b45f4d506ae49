@testable import Media
import Testing

@Suite("Where the network thread runs") struct LoopFollowerTests {
    @Test("It follows the loop once that has stayed for a second, and again when it has moved")
    func follows() {
        var follower = LoopFollower()
        func steps(_ processor: Int32, _ count: Int) -> [Int32] {
            (0..<count).compactMap { _ in follower.take(processor) }
        }
        #expect(steps(1, LoopFollower.patience - 1).isEmpty)
        #expect(steps(1, 1) == [1])
        #expect(steps(1, 200).isEmpty)
        #expect(steps(0, LoopFollower.patience - 1).isEmpty)
        #expect(steps(1, 1).isEmpty)
        #expect(steps(0, LoopFollower.patience - 1).isEmpty)
        #expect(steps(0, 1) == [0])
    }

    @Test("A loop that goes to and fro, or does not say where it is, is not followed")
    func restless() {
        var follower = LoopFollower()
        #expect((0..<400).allSatisfy { follower.take([0, 1, -1][$0 % 3]) == nil })
    }

    @Test("Of two loops in two places neither is followed, and the one that is left is")
    func twoLoops() {
        var follower = LoopFollower()
        #expect((0..<400).allSatisfy { follower.take(Int32($0 % 2)) == nil })
        let steps = (0..<LoopFollower.patience).compactMap { _ in follower.take(1) }
        #expect(steps == [1])
    }
}
