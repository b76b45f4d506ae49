import MediaDescription
import Quality
import Testing

@Suite("E-model (ITU-T G.107)") struct EModelTests {
    private func rating(delay: Double = 0, loss: Double = 0, burst: Double = 1, _ codec: Codec = .pcma) -> Double {
        EModel.rating(delay: delay, loss: loss, burstRatio: burst, codec: codec)
    }

    @Test("At its defaults the rating is 93.2, a score of 4.41")
    func defaults() {
        #expect(abs(rating() - 93.2) < 0.05)
        #expect(abs(EModel.meanOpinionScore(rating: rating()) - 4.41) < 0.01)
    }

    // Of the algorithm's own text: the categories of G.109 and Annex B.
    @Test("Ratings become scores", arguments: [(90, 4.34), (80, 4.03), (70, 3.60), (60, 3.10), (50, 2.58)])
    func scores(rating: Double, score: Double) {
        #expect(abs(EModel.meanOpinionScore(rating: rating) - score) < 0.01)
    }

    @Test("Scores stay within 1 and 4.5 and never fall as the rating rises")
    func monotonous() {
        var last = 0.0
        for tenth in -100...1_200 {
            let score = EModel.meanOpinionScore(rating: Double(tenth) / 10)
            #expect((1...4.5).contains(score) && score >= last)
            last = score
        }
    }

    // Ie,eff = 95 × Ppl / (Ppl / BurstR + 25.1), §7.7.
    @Test(
        "Loss costs what the codec's robustness says, and more in a row",
        arguments: [(0.01, 1.0, 3.64), (0.05, 1, 15.78), (0.1, 1, 27.07), (0.1, 2, 31.56), (1, 1, 75.94)])
    func loss(share: Double, burst: Double, cost: Double) {
        #expect(abs(rating() - rating(loss: share, burst: burst) - cost) < 0.02)
    }

    @Test("Delay costs little up to 150 ms, and much beyond", arguments: [(50, 0.0...2), (150, 2...6), (400, 20...40)])
    func delay(milliseconds: Double, cost: ClosedRange<Double>) {
        #expect(cost.contains(rating() - rating(delay: milliseconds)))
    }

    @Test("Whatever comes in, the rating is within 0 and 100", arguments: Codec.allCases)
    func bounded(codec: Codec) {
        let wild = [-1, 0, 1e-9, 0.5, 2, 100, 177, 1e9, .infinity, -.infinity, .nan]
        for delay in wild {
            for loss in wild {
                for burst in wild { #expect((0...100).contains(rating(delay: delay, loss: loss, burst: burst, codec))) }
            }
        }
    }
}
