import Glibc
import Testing

@testable import HandsFree

@Suite("Noise and level") struct NoiseAndLevelTests {
    /// Somebody speaks from 6 s to 10 s, in noise of this root mean square all the time.
    private static func inNoise(_ level: Double) -> (near: [Float], scene: EchoScene) {
        var near = [Float](repeating: 0, count: 12 * 48_000)
        for (index, sample) in EchoTests.near(seconds: 4, level: 2_320).enumerated() {
            near[6 * 48_000 + index] = sample
        }
        let silence = [Float](repeating: 0, count: near.count)
        return (near, EchoScene(far: silence, room: [0], near: near, noiseLevel: level))
    }

    /// By how much noise of so many dBFS is turned down: no further than it disturbs.
    @Test(
        "The room's noise is turned down where it disturbs, and speech is not",
        arguments: [(-45.0, 10.0..<12.5), (-60, 3..<6.5), (-70, -0.1..<0.1)])
    func noise(decibels: Double, fall: Range<Double>) {
        let (near, scene) = Self.inNoise(32_768 * pow(10, decibels / 20))
        var processor = HandsFree(period: 480)
        let sent = scene.run(&processor, withReference: false)
        let before = EchoScene.energy(scene.microphone, 3..<6)
        #expect(fall.contains(EchoScene.decibels(before / EchoScene.energy(sent, 3..<6))))
        #expect(EchoTests.share(of: near, in: sent, processor.latency, 6.2..<10) > -1.5)
    }

    @Test("Noise that begins while somebody speaks is found in the next pauses")
    func laterNoise() {
        var near = EchoTests.near(seconds: 8, level: 2_320)
        near += [Float](repeating: 0, count: 8 * 48_000)
        var scene = EchoScene(
            far: [Float](repeating: 0, count: near.count), room: [0], near: near, noiseLevel: 180)
        for index in 0..<5 * 48_000 { scene.noise[index] *= 0.01 }
        var processor = HandsFree(period: 480)
        let sent = scene.run(&processor, withReference: false)
        let before = EchoScene.energy(scene.microphone, 15..<16)
        #expect(EchoScene.decibels(before / EchoScene.energy(sent, 15..<16)) > 6)
    }

    /// Speech of `level`, never silent, with nothing but the quantisation beside it; what of what is sent is not speech, in dB.
    @Test("Who hardly pauses, in a quiet room, is sent as it is", arguments: [800.0, 4_000])
    func clean(level: Double) {
        let near = EchoTests.near(seconds: 10, level: level)
        let scene = EchoScene(far: [Float](repeating: 0, count: near.count), room: [0], near: near, noiseLevel: 4)
        var suppressor = Suppressor()
        let fall = Self.fallOfSpeech(&suppressor, scene.microphone)
        #expect(fall < 0.001)
    }

    /// How much of the energy of what was heard differs from what the suppressor makes of it.
    private static func fallOfSpeech(_ suppressor: inout Suppressor, _ heard: [Int16]) -> Double {
        let samples = heard.map(Float.init)
        var sent: [Float] = []
        var block = [Float](repeating: 0, count: Block.samples)
        for start in stride(from: 0, to: samples.count - Block.samples + 1, by: Block.samples) {
            let microphone = Array(samples[start..<start + Block.samples])
            suppressor.process(
                error: microphone, echo: block, expected: nil, late: nil, isOverdriven: false, raised: 1, into: &block)
            sent += block
        }
        let late = Suppressor.delay
        var (wrong, all) = (0.0, 0.0)
        for index in late..<sent.count {
            let (x, y) = (Double(samples[index - late]), Double(sent[index]))
            (wrong, all) = (wrong + (x - y) * (x - y), all + x * x)
        }
        return wrong / all
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
        for (level, begin) in [(1_900.0, 0), (2_900, 0), (500, 2_000)] {
            let near = EchoTests.near(seconds: 16, level: level)
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

@Suite("Low cut") struct LowCutTests {
    /// The gain at a frequency, in dB, once it has settled.
    private static func gain(_ frequency: Double) -> Double {
        var filter = LowCut()
        var samples = (0..<96_000).map { Float(1_000 * sin(2 * Double.pi * frequency * Double($0) / 48_000)) }
        filter.process(&samples, samples.count)
        return EchoScene.decibels(EchoScene.energy(samples, 1..<2) / (1_000 * 1_000 / 2 * 48_000))
    }

    @Test("takes what nobody hears, and leaves what somebody may")
    func response() {
        #expect(Self.gain(3) < -45)
        #expect(abs(Self.gain(12) + 3) < 0.1)
        #expect(abs(Self.gain(50)) < 0.05)
        #expect(abs(Self.gain(100)) < 0.01)
    }

    @Test("An offset is gone within 0.4 s")
    func offset() {
        var filter = LowCut()
        var samples = [Float](repeating: 5_000, count: 48_000)
        filter.process(&samples, samples.count)
        #expect(samples[19_200...].allSatisfy { abs($0) < 5 })
    }
}
