@testable import Playout
import Testing

@Suite("The sender's clock against ours") struct DriftEstimatorTests {
    /// Packets of 20 ms over `seconds`, each late by up to `jitter` samples, in order or not.
    private func feed(
        _ estimator: inout DriftEstimator, partsPerMillion: Double, jitter: Int, seconds: Int, from start: Int = 0,
        keepsOrder: Bool = true, seed: UInt64 = 3
    ) {
        var dice = Dice(seed)
        var last = Int.min
        for packet in 0..<seconds * 50 {
            let sent = start + packet * 960
            var arrival = sent + (jitter > 0 ? dice.roll(jitter) : 0)
            if keepsOrder { arrival = max(arrival, last) }
            last = arrival
            estimator.add(transit: arrival - sent - Int(Double(sent - start) * partsPerMillion / 1e6))
            estimator.advance(960)
        }
    }

    @Test(
        "is found within seconds on a quiet network, and exactly after minutes",
        arguments: [-500.0, -100, -20, 20, 100, 500])
    func quiet(partsPerMillion: Double) {
        var estimator = DriftEstimator()
        feed(&estimator, partsPerMillion: partsPerMillion, jitter: 4, seconds: 8)
        // A drift that small takes longer to be told from a machine that wakes up late.
        #expect(abs(estimator.partsPerMillion - partsPerMillion) < 12 || abs(partsPerMillion) < 200)
        estimator.forget()
        feed(&estimator, partsPerMillion: partsPerMillion, jitter: 4, seconds: 300)
        #expect(abs(estimator.partsPerMillion - partsPerMillion) < 0.5)
    }

    @Test("is found in spite of jitter", arguments: [960, 2_880, 5_760], [true, false])
    func jitter(jitter: Int, keepsOrder: Bool) {
        var estimator = DriftEstimator()
        feed(&estimator, partsPerMillion: 100, jitter: jitter, seconds: 120, keepsOrder: keepsOrder)
        // Of jitter of 120 ms two minutes tell nothing yet.
        #expect(abs(estimator.partsPerMillion - 100) < 15 || jitter == 5_760 && estimator.partsPerMillion == 0)
        estimator.forget()
        feed(&estimator, partsPerMillion: 100, jitter: jitter, seconds: 600, keepsOrder: keepsOrder)
        #expect(abs(estimator.partsPerMillion - 100) < 3)
    }

    @Test("is none where there is none", arguments: [0, 48, 960, 5_760])
    func none(jitter: Int) {
        var estimator = DriftEstimator()
        var most = 0.0
        for second in 0..<600 {
            feed(
                &estimator, partsPerMillion: 0, jitter: jitter, seconds: 1, from: second * 48_000,
                seed: UInt64(second))
            most = max(most, abs(estimator.partsPerMillion))
        }
        // What chance makes of jitter for a moment moves the delay by less than it varies itself.
        #expect(most <= Double(jitter) / 48)
        #expect(abs(estimator.partsPerMillion) < 2)
    }

    @Test("is kept where the way becomes another one, and for the sender's next timeline, not for the next sender")
    func otherWay() {
        var estimator = DriftEstimator()
        feed(&estimator, partsPerMillion: 80, jitter: 48, seconds: 60)
        for packet in 0..<3_000 {
            estimator.add(transit: 9_600 - (48_000 * 60 + packet * 960) * 80 / 1_000_000)
            estimator.advance(960)
            #expect(abs(estimator.partsPerMillion - 80) < 20)
        }
        estimator.restart()
        #expect(abs(estimator.partsPerMillion - 80) < 5)
        estimator.forget()
        #expect(estimator.partsPerMillion == 0)
    }

    @Test("is not what no clock does")
    func absurd() {
        var estimator = DriftEstimator()
        feed(&estimator, partsPerMillion: 20_000, jitter: 0, seconds: 60)
        #expect(estimator.partsPerMillion == 0)
    }

    @Test("is not disturbed by pauses without packets")
    func pauses() {
        var estimator = DriftEstimator()
        for packet in 0..<15_000 {
            if packet / 200 % 2 == 0 { estimator.add(transit: -packet * 960 * 50 / 1_000_000) }
            estimator.advance(960)
        }
        #expect(abs(estimator.partsPerMillion - 50) < 2)
    }
}
