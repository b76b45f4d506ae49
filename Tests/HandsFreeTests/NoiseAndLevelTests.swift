import Testing

@testable import HandsFree

@Suite("Noise and level") struct NoiseAndLevelTests {
    @Test("The room's noise is turned down by 10 dB and more, and speech is not")
    func noise() {
        var near = [Float](repeating: 0, count: 12 * 48_000)
        for (index, sample) in EchoTests.near(seconds: 4, level: 2_320).enumerated() {
            near[6 * 48_000 + index] = sample
        }
        let scene = EchoScene(far: [Float](repeating: 0, count: near.count), room: [0], near: near, noiseLevel: 60)
        var processor = HandsFree(period: 480)
        let sent = scene.run(&processor, withReference: false)
        let before = EchoScene.energy(scene.microphone, 3..<6)
        #expect(EchoScene.decibels(before / EchoScene.energy(sent, 3..<6)) > 10)
        #expect(EchoTests.share(of: near, in: sent, processor.latency, 6.2..<10) > -1.5)
    }

    @Test("Soft and loud speakers come at one level", arguments: [300.0, 1_000, 2_320, 9_000])
    func level(_ level: Double) {
        let near = EchoTests.near(seconds: 16, level: level)
        let scene = EchoScene(far: [Float](repeating: 0, count: near.count), room: [0], near: near, noiseLevel: 2)
        var processor = HandsFree(period: 480)
        let sent = scene.run(&processor, withReference: false)
        let loud = Self.loudness(sent, 10..<16)
        // -23 dBFS in the loud parts, give or take 4.
        #expect(abs(EchoScene.decibels(loud / (2_320 * 2_320))) < 4)
    }

    @Test("Who speaks near to the level wanted is not turned at all, and others by one gain once it is found")
    func steadiness() {
        for (level, begin) in [(1_900.0, 0), (2_900, 0), (500, 2_000), (9_000, 2_000)] {
            let near = EchoTests.near(seconds: 24, level: level)
            var control = GainControl(most: 10)
            var gains: [Float] = []
            for start in stride(from: 0, to: near.count - Block.samples + 1, by: Block.samples) {
                var block = Array(near[start..<start + Block.samples])
                let energy = SpectralMath.energy(block, Block.samples)
                control.process(&block, voiceShare: energy > 240 * 900 ? 1 : 0, noise: 1)
                gains.append(control.gain)
            }
            let late = gains[begin...]
            #expect((late.max() ?? 0) == (late.min() ?? 1), "\(level)")
        }
    }

    /// The mean square of the loud parts.
    private static func loudness(_ samples: [Int16], _ seconds: Range<Int>) -> Double {
        let blocks = stride(from: seconds.lowerBound * 48_000, to: seconds.upperBound * 48_000, by: 480).map { start in
            samples[start..<start + 480].reduce(0.0) { $0 + Double($1) * Double($1) } / 480
        }
        let most = blocks.max() ?? 0
        let loud = blocks.filter { $0 > most / 50 }
        return loud.reduce(0, +) / Double(max(loud.count, 1))
    }

    @Test("Silence and noise alone are not brought up")
    func pause() {
        let scene = EchoScene(
            far: [Float](repeating: 0, count: 8 * 48_000), room: [0], near: nil, noiseLevel: 40)
        var processor = HandsFree(period: 480)
        let sent = scene.run(&processor, withReference: false)
        #expect(EchoScene.energy(sent, 1..<8) < EchoScene.energy(scene.microphone, 1..<8))
    }

    @Test("Nothing exceeds the ceiling, however loud it is shouted")
    func limiter() {
        var level = GainControl(most: 10)
        var most: Float = 0
        for block in 0..<400 {
            var samples = [Float](repeating: 0, count: Block.samples)
            let loud: Float = block % 40 < 20 ? 900 : 32_767
            for index in samples.indices { samples[index] = (index / 24) % 2 == 0 ? loud : -loud }
            level.process(&samples, voiceShare: 1, noise: 1)
            most = samples.reduce(most) { max($0, abs($1)) }
        }
        #expect(most <= 29_204)
    }

    @Test("Digital silence stays digital silence")
    func silence() {
        let scene = EchoScene(
            far: [Float](repeating: 0, count: 48_000), room: [0], near: nil, noiseLevel: 0)
        var processor = HandsFree(period: 480)
        #expect(scene.run(&processor).allSatisfy { $0 == 0 })
    }
}
