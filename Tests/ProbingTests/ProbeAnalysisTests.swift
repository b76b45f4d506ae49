import Probing
import Testing

@Suite("A probe's measurement") struct ProbeAnalysisTests {
    private static let signal = ProbeSignal(seconds: 2, frequency: 1_000, level: -20)

    /// What was sent, with a second's rest before and after.
    private static let sent: [Int16] = {
        let rest = [Int16](repeating: 0, count: ProbeSignal.restSamples)
        return rest + signal.samples + rest
    }()

    private func later(_ samples: [Int16], by delay: Int) -> [Int16] {
        [Int16](repeating: 0, count: delay) + samples.dropLast(delay)
    }

    private func figures(_ heard: [Int16]) throws -> ProbeFigures {
        try #require(ProbeAnalysis(Self.signal, sent: Self.sent, heard: heard).figures)
    }

    /// The same noise each time: uniform, RMS of `rms`.
    private func noise(_ count: Int, rms: Double) -> [Double] {
        var state: UInt64 = 1
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (Double(state >> 11) / Double(1 << 53) * 2 - 1) * rms * 3.0.squareRoot()
        }
    }

    @Test("A delay is found to the sample, and a perfect echo is perfect", arguments: [0, 1, 4_321, 43_000])
    func delay(samples: Int) throws {
        let figures = try figures(later(Self.sent, by: samples))
        #expect(figures.delay == Double(samples) / 48)
        #expect(figures.leastDelay == figures.delay && figures.mostDelay == figures.delay)
        #expect(abs(figures.level + 20) < 0.05, "\(figures.level)")
        #expect(abs(figures.frequency - 1_000) < 0.001, "\(figures.frequency)")
        #expect(figures.signalToNoise > 60, "\(figures.signalToNoise)")
        #expect(figures.gaps == 0 && figures.noise == nil)
    }

    @Test(
        "What ends early is measured as far as it goes: what was not sent is no gap",
        arguments: [48_000, 70_000, 100_000])
    func early(count: Int) {
        let heard = later(Self.sent, by: 960)
        let sent = Array(Self.sent[..<count])
        let figures = ProbeAnalysis(Self.signal, sent: sent, heard: Array(heard[..<count])).figures
        #expect((figures == nil) == (count == 48_000), "nothing was sent by then")
        guard let found = figures else { return }
        #expect(found.delay == 20 && found.gaps == 0 && abs(found.level + 20) < 0.05, "\(found)")
    }

    @Test("Level and noise are what they are")
    func noisy() throws {
        let noise = noise(Self.sent.count, rms: 32.768)
        let heard = zip(later(Self.sent, by: 960), noise).map { Int16(Double($0) / 2 + $1) }
        let figures = try figures(heard)
        #expect(abs(figures.level + 26.02) < 0.1, "\(figures.level)")
        #expect(abs((figures.noise ?? 0) + 60) < 0.2, "\(String(describing: figures.noise))")
        // -26 dBFS against -60.
        #expect(abs(figures.signalToNoise - 34) < 0.3, "\(figures.signalToNoise)")
        #expect(figures.delay == 20)
    }

    @Test("Another clock is another frequency")
    func stretched() throws {
        // 300 ppm slower: each sample is a mean of its neighbours.
        let heard = Self.sent.indices.map { index -> Int16 in
            let place = Double(index) * 0.9997
            let (whole, part) = (Int(place), place - Double(Int(place)))
            let next = min(whole + 1, Self.sent.count - 1)
            return Int16(Double(Self.sent[whole]) * (1 - part) + Double(Self.sent[next]) * part)
        }
        let figures = try figures(heard)
        #expect(abs(figures.frequency - 999.7) < 0.02, "\(figures.frequency)")
        // It comes later and later: 0.3 ms a second.
        #expect(figures.mostDelay - figures.leastDelay > 0.2 && figures.mostDelay < 1.5)
    }

    @Test("Gaps are counted, and do not spoil the other figures")
    func gaps() throws {
        var heard = later(Self.sent, by: 480)
        // In the tone of each second: 20 ms, and 40 ms.
        for (start, length) in [(48_000 + 24_000, 960), (96_000 + 20_000, 1_920)] {
            for index in start..<start + length { heard[index] = 0 }
        }
        let figures = try figures(heard)
        #expect(figures.gaps == 2)
        #expect(abs(figures.gapMilliseconds - 60) <= 10 && abs(figures.longestGap - 40) <= 5)
        #expect(abs(figures.level + 20) < 0.1 && figures.delay == 10)
    }

    @Test("A second whose sweep was lost is measured all the same; a delay that changes is told")
    func lostSweep() throws {
        let first = later(Self.sent, by: 480)[..<96_000]
        let second = later(Self.sent, by: 1_440)[96_000...]
        let figures = try figures(Array(first + second))
        #expect(figures.leastDelay == 10 && figures.mostDelay == 30)
        var heard = later(Self.sent, by: 480)
        for index in 96_000..<(96_000 + 4_800) { heard[index] = 0 }
        let other = try self.figures(heard)
        #expect(other.delay == 10 && other.gaps == 0)
    }

    @Test("Where nothing comes back, or something else, there are no figures")
    func nothing() {
        let silence = [Int16](repeating: 0, count: Self.sent.count)
        let noise = noise(Self.sent.count, rms: 3_000).map { Int16($0) }
        for heard in [silence, noise, [], Array(silence.prefix(50_000))] {
            #expect(ProbeAnalysis(Self.signal, sent: Self.sent, heard: heard).figures == nil)
        }
        #expect(ProbeAnalysis(Self.signal, sent: silence, heard: Self.sent).figures == nil)
        #expect(ProbeAnalysis(Self.signal, sent: [], heard: []).figures == nil)
        #expect(ProbeAnalysis(Self.signal, sent: [1], heard: [1]).figures == nil)
    }

    @Test("What is sent has the level that was asked for, and begins and ends softly", arguments: [-60, -20, -6])
    func signal(level: Int) {
        let samples = ProbeSignal(seconds: 1, frequency: 440, level: level).samples
        #expect(samples.count == 48_000 && samples.first == 0 && samples.last == 0)
        let tone = samples[10_000..<40_000]
        let energy: Double = tone.reduce(0) { sum, sample in sum + Double(sample) * Double(sample) }
        let power = energy / Double(tone.count) / (32_768 * 32_768)
        let wanted = (0..<(-level)).reduce(1.0) { power, _ in power * 0.794328 }
        #expect(abs(power / wanted - 1) < 0.03)
    }

    @Test("What is out of range is the nearest that is not")
    func ranges() {
        let least = ProbeSignal(seconds: 0, frequency: 0, level: -100)
        let most = ProbeSignal(seconds: 1_000, frequency: 20_000, level: 0)
        #expect((least.seconds, least.frequency, least.level) == (1, 100, -60))
        #expect((most.seconds, most.frequency, most.level) == (60, 3_400, -6))
    }
}
