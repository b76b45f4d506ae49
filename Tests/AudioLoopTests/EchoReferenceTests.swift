import Testing

@testable import AudioLoop

@Suite("What was played, on the microphone's clock") struct EchoReferenceTests {
    static let period = 480

    /// A loop's two ends: what is played is heard `lead` samples after the last that was read.
    private final class Ends {
        var reference = EchoReference(period: period)
        /// The microphone hears what the loudspeaker plays, at its true place.
        var heard: [Int16] = []
        var read: [Int16] = []
        var said = 0
        /// Samples of the microphone so far.
        var clock = 0
        /// Of the loudspeaker: where its next sample is heard.
        var end = 0.0

        func turn(lead: Double, measured: Int? = nil, count: Int = period, plays: Bool = true) {
            var block = [Int16](repeating: 0, count: period)
            reference.read(into: &block, period)
            read += block
            clock += period
            guard plays else { return }
            let sound = (said..<said + count).map { Signals.wave(440, at: $0, peak: 10_000) }
            said += count
            let place = clock + Int(lead.rounded())
            if heard.count < place + count {
                heard += [Int16](repeating: 0, count: place + count - heard.count)
            }
            for (index, sample) in sound.enumerated() { heard[place + index] = sample }
            sound.withUnsafeBufferPointer { reference.write($0, lead: measured ?? Int(lead.rounded())) }
        }

        func breakOff() { reference.breakOff() }
        var alignments: Int { reference.alignments }

        /// The samples before `count` ones at the end that are not where they are heard, give or take `most` steps of the level.
        func wrong(from start: Int, most: Int = 0) -> Int {
            let lead = 96
            return (start..<read.count - period).count { index in
                // A delay that grows leaves a hole of one sample now and then.
                index + lead < heard.count && heard[index + lead] != 0
                    && abs(Int(read[index]) - Int(heard[index + lead])) > most
            }
        }
    }

    @Test("is where its echo is, to the sample", arguments: [96, 480, 700, 1_337, 9_600])
    func constant(lead: Int) {
        let ends = Ends()
        for _ in 0..<100 { ends.turn(lead: Double(lead)) }
        #expect(ends.wrong(from: lead + 480) == 0)
        #expect(ends.alignments == 1)
    }

    @Test("is not moved by unrest of what the devices say")
    func unrest() {
        let ends = Ends()
        for turn in 0..<2_000 { ends.turn(lead: 700, measured: 700 + [-24, 24, 0, 12, -12][turn % 5]) }
        // The first turn was believed as it was, 24 samples early; that is found out slowly.
        #expect(ends.alignments == 1)
        #expect(ends.wrong(from: 1_500 * 480, most: 6 * 576) == 0)
    }

    @Test("is not moved by more or less lying ahead of the loudspeaker, however fast that changes", arguments: [6, -6])
    func fill(samples: Int) {
        let ends = Ends()
        for _ in 0..<50 { ends.turn(lead: 900) }
        for turn in 0..<60 { ends.turn(lead: Double(900 + turn * samples), count: Self.period + samples) }
        for _ in 0..<200 { ends.turn(lead: Double(900 + 60 * samples)) }
        #expect(ends.alignments == 1)
        #expect(ends.wrong(from: 900 + 480) == 0)
    }

    @Test("is laid out anew at once where sound was broken off")
    func brokenOff() {
        let ends = Ends()
        for _ in 0..<50 { ends.turn(lead: 700) }
        // The loudspeaker ran dry: what comes next is heard earlier.
        ends.turn(lead: 0, plays: false)
        ends.breakOff()
        for _ in 0..<50 { ends.turn(lead: 520) }
        #expect(ends.alignments == 2)
        #expect(ends.wrong(from: 55 * 480) == 0)
    }

    @Test("is laid out anew after a few turns where the delay has jumped and nobody has said so")
    func jumped() {
        let ends = Ends()
        for _ in 0..<50 { ends.turn(lead: 700) }
        for _ in 0..<50 { ends.turn(lead: 1_900) }
        #expect(ends.alignments == 2)
        #expect(ends.wrong(from: 60 * 480) == 0)
    }

    @Test("follows a delay that drifts as clocks do", arguments: [200.0, -200])
    func drift(partsPerMillion: Double) {
        let ends = Ends()
        for turn in 0..<3_000 { ends.turn(lead: 2_000 + Double(turn) * 480 * partsPerMillion / 1e6) }
        #expect(ends.alignments == 1)
        // 440 Hz of this peak change by 576 a sample at most: it is never off by six.
        #expect(ends.wrong(from: 1_500 * 480, most: 6 * 576) == 0)
    }
}
