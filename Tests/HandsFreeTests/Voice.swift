import Glibc

/// A voice without words: harmonics of a moving pitch and breath, through moving formants, in syllables, words and pauses.
struct Voice {
    private var random: Noise
    private let pitch: Double
    private let formants: Double

    /// - Parameters:
    ///   - pitch: the mean, in Hz.
    ///   - formants: how much higher than a man's they lie.
    init(seed: UInt64, pitch: Double = 120, formants: Double = 1) {
        random = Noise(seed: seed)
        self.pitch = pitch
        self.formants = formants
    }

    /// Speech at 48 kHz whose loud parts have this root mean square.
    mutating func speak(seconds: Double, level: Double = 3_000) -> [Float] {
        let count = Int(seconds * 48_000)
        var samples: [Float] = []
        samples.reserveCapacity(count + 48_000)
        var phase = 0.0
        while samples.count < count {
            for _ in 0..<2 + Int(random.next() * 4) { syllable(into: &samples, phase: &phase) }
            samples += [Float](repeating: 0, count: Int((0.05 + 0.3 * random.next()) * 48_000))
        }
        samples.removeLast(samples.count - count)
        var (energy, loud) = (0.0, 0)
        for start in stride(from: 0, to: count - 480, by: 480) {
            let power = samples[start..<start + 480].reduce(0.0) { $0 + Double($1) * Double($1) } / 480
            if power > 0.02 { (energy, loud) = (energy + power, loud + 1) }
        }
        let scale = Float(level / (energy / Double(max(loud, 1))).squareRoot())
        return samples.map { $0 * scale }
    }

    private mutating func syllable(into samples: inout [Float], phase: inout Double) {
        // A consonant: breath above 2.5 kHz.
        let breath = Int((0.02 + 0.08 * random.next()) * 48_000)
        let isVoiceless = random.next() < 0.6
        var (last, before) = (0.0, 0.0)
        for index in 0..<breath where isVoiceless {
            let white = random.gauss()
            let high = white - 1.6 * last + 0.65 * before
            (before, last) = (last, white)
            samples.append(Float(0.12 * high * sin(.pi * Double(index) / Double(breath))))
        }
        let length = Int((0.09 + 0.14 * random.next()) * 48_000)
        let vowels: [(Double, Double, Double)] = [
            (730, 1_090, 2_440), (270, 2_290, 3_010), (300, 870, 2_240), (530, 1_840, 2_480), (570, 840, 2_410),
        ]
        let from = vowels[Int(random.next() * 5) % 5]
        let to = vowels[Int(random.next() * 5) % 5]
        let start = pitch * (0.85 + 0.35 * random.next())
        let end = start * (0.8 + 0.3 * random.next())
        var state = [(Double, Double)](repeating: (0, 0), count: 3)
        for index in 0..<length {
            let way = Double(index) / Double(length)
            phase += (start + (end - start) * way) / 48_000
            var source = 0.3 * 0.02 * random.gauss()
            if phase >= 1 {
                phase -= 1
                source += 1
            }
            let centres = [
                from.0 + (to.0 - from.0) * way, from.1 + (to.1 - from.1) * way, from.2 + (to.2 - from.2) * way,
            ]
            var sound = 0.0
            for (number, centre) in centres.enumerated() {
                let width = 60.0 + 50 * Double(number)
                let radius = exp(-.pi * width / 48_000)
                let turn = 2 * radius * cos(2 * .pi * centre * formants / 48_000)
                let value = source + turn * state[number].0 - radius * radius * state[number].1
                state[number] = (value, state[number].0)
                sound += value * [1, 0.6, 0.35][number] * (1 - radius) * 14
            }
            samples.append(Float(sound * sin(.pi * min(1, way * 6, (1 - way) * 4) / 2)))
        }
    }
}

/// Random numbers that are the same every time.
struct Noise {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    /// 0..<1.
    mutating func next() -> Double {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Double(state >> 11) / 9_007_199_254_740_992
    }

    /// Of mean 0 and variance 1, nearly normal.
    mutating func gauss() -> Double {
        var sum = 0.0
        for _ in 0..<6 { sum += next() }
        return (sum - 3) * 1.414_213_56
    }

    /// White noise of this root mean square.
    mutating func samples(_ count: Int, rms: Double) -> [Float] { (0..<count).map { _ in Float(gauss() * rms) } }
}
