import Resampling
import Testing

@Suite("Delay-locked loop") struct DelayLockedLoopTests {
    /// A buffer between two clocks, and what the loop makes of it.
    struct Buffer {
        var loop = DelayLockedLoop(samples: 480)
        var fill = 0.0
        var noise = SplitMix(state: 7)
        /// Samples that the card's position jumps by.
        var coarseness = 1.0

        /// A turn. Returns the correction.
        mutating func turn(partsPerMillion: Double) -> Double {
            let unrest = Double(noise.next() % 1_000) / 1_000 * coarseness - coarseness / 2
            let correction = loop.correct(error: Int((fill + unrest).rounded()))
            fill += 480 * partsPerMillion / 1e6 - correction
            return correction
        }
    }

    /// Numbers that look random, the same in every run.
    struct SplitMix {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    @Test(
        "An hour of drift changes the delay by less than a millisecond", arguments: [500.0, -500, 137, -20, 2],
        [1.0, 96.0])
    func hour(partsPerMillion: Double, coarseness: Double) {
        var buffer = Buffer(coarseness: coarseness)
        var (least, most) = (Double.infinity, -Double.infinity)
        for turn in 0..<360_000 {
            _ = buffer.turn(partsPerMillion: partsPerMillion)
            // From the start on it is less than five.
            #expect(abs(buffer.fill) < 240)
            if turn > 3_000 { (least, most) = (min(least, buffer.fill), max(most, buffer.fill)) }
        }
        #expect(least > -48 && most < 48)
        #expect(abs(buffer.loop.partsPerMillion - partsPerMillion) < 3)
    }

    @Test("Once the drift is known, a card that reports its position in steps does not make the pitch waver")
    func calm() {
        var buffer = Buffer(coarseness: 96)
        for _ in 0..<6_000 { _ = buffer.turn(partsPerMillion: 200) }
        var (least, most) = (Double.infinity, -Double.infinity)
        for _ in 0..<30_000 {
            let correction = buffer.turn(partsPerMillion: 200)
            (least, most) = (min(least, correction), max(most, correction))
        }
        // 100 ppm are a sixth of a cent.
        #expect((most - least) / 480 * 1e6 < 100)
    }

    @Test("A buffer that is far from where it should be gets there, by a thousandth of the sound at most")
    func far() {
        var buffer = Buffer(fill: 400)
        var turns = 0
        while abs(buffer.fill) > 24, turns < 6_000 {
            #expect(abs(buffer.turn(partsPerMillion: 0)) <= 0.4801)
            turns += 1
        }
        #expect(turns > 800 && turns < 2_500)
        // And does not swing to the other side.
        for _ in 0..<6_000 {
            _ = buffer.turn(partsPerMillion: 0)
            #expect(buffer.fill > -60)
        }
        #expect(abs(buffer.fill) < 12)
    }

    @Test("What was learnt of the clocks outlives a restart, and serves at once")
    func restart() {
        var buffer = Buffer()
        for _ in 0..<6_000 { _ = buffer.turn(partsPerMillion: -300) }
        buffer.loop.restart()
        buffer.fill = 0
        for _ in 0..<1_000 {
            _ = buffer.turn(partsPerMillion: -300)
            #expect(abs(buffer.fill) < 10)
        }
    }
}
