import Glibc
import Playout
import Testing

@Suite("Shortening sound") struct TimeScalingTests {
    private func sine(_ hertz: Double, peak: Double) -> [Int16] {
        (0..<1_440).map { Int16(peak * sin(2 * .pi * hertz * Double($0) / 48_000)) }
    }

    private func steepest(_ samples: some Sequence<Int16>) -> Int {
        var (steepest, last): (Int, Int?) = (0, nil)
        for sample in samples {
            steepest = max(steepest, abs(Int(sample) - (last ?? Int(sample))))
            last = Int(sample)
        }
        return steepest
    }

    @Test("A voiced sound loses whole periods and stays smooth", arguments: [100.0, 150, 220, 330])
    func voiced(hertz: Double) {
        var samples = sine(hertz, peak: 12_000)
        let before = steepest(samples)
        let removed = TimeScaling.shorten(&samples, samples.count, by: 960)
        #expect(removed >= 120 && removed <= 960)
        #expect(steepest(samples.prefix(samples.count - removed)) <= before * 3 / 2 + 50)
    }

    @Test("Noise is left as it is")
    func noise() {
        var dice = Dice(4)
        var samples = (0..<1_440).map { _ in Int16(dice.roll(20_000) - 10_000) }
        let before = samples
        #expect(TimeScaling.shorten(&samples, samples.count, by: 960) == 0)
        #expect(samples == before)
    }

    @Test("Far too much delay is cut anywhere")
    func forced() {
        var dice = Dice(5)
        var samples = (0..<1_440).map { _ in Int16(dice.roll(20_000) - 10_000) }
        #expect(TimeScaling.shorten(&samples, samples.count, by: 9_600) == 960)
    }

    @Test("Silence loses as much as is asked", arguments: [120, 480, 960])
    func quiet(limit: Int) {
        var samples = [Int16](repeating: 3, count: 1_440)
        #expect(TimeScaling.shorten(&samples, samples.count, by: limit) == limit)
    }

    @Test("What is too short or asks too little stays", arguments: [(100, 960), (1_440, 119), (0, 0)])
    func tooShort(count: Int, limit: Int) {
        var samples = [Int16](repeating: 0, count: 1_440)
        #expect(TimeScaling.shorten(&samples, count, by: limit) == 0)
    }
}
