import Glibc
import Playout
import Testing

/// Sounds to test with, and what is heard of them.
enum Sounds {
    static func sine(_ hertz: Double, _ count: Int = 1_680, peak: Double = 12_000) -> [Int16] {
        (0..<count).map { Int16(peak * sin(2 * .pi * hertz * Double($0) / 48_000)) }
    }

    /// A voice: pulses at `hertz`, through two formants.
    static func voice(_ hertz: Double, _ count: Int, peak: Double = 12_000) -> [Int16] {
        var samples = [Double](repeating: 0, count: count)
        for (formant, strength) in [(620.0, 1.0), (1_180, 0.6)] {
            var start = 0.0
            while Int(start) < count {
                for index in Int(start)..<min(Int(start) + 1_000, count) {
                    let time = (Double(index) - start) / 48_000
                    samples[index] += strength * exp(-time * 220) * sin(2 * .pi * formant * time)
                }
                start += 48_000 / hertz
            }
        }
        let loudest = samples.map(abs).max() ?? 1
        return samples.map { Int16($0 / loudest * peak) }
    }

    static func noise(_ count: Int, seed: UInt64 = 4, peak: Int = 10_000) -> [Int16] {
        var dice = Dice(seed)
        return (0..<count).map { _ in Int16(dice.roll(2 * peak) - peak) }
    }

    /// The largest step from one sample to the next.
    static func steepest(_ samples: some Sequence<Int16>) -> Int {
        var (steepest, last): (Int, Int?) = (0, nil)
        for sample in samples {
            steepest = max(steepest, abs(Int(sample) - (last ?? Int(sample))))
            last = Int(sample)
        }
        return steepest
    }

    static func rms(_ samples: some Collection<Int16>) -> Double {
        sqrt(samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(samples.count, 1)))
    }
}

@Suite("Time scaling") struct TimeScalerTests {
    private let scaler = TimeScaler()

    @Test("A voiced sound loses whole periods and stays smooth", arguments: [100.0, 150, 220, 330])
    func shortensSine(hertz: Double) {
        var samples = Sounds.sine(hertz)
        let before = Sounds.steepest(samples)
        let removed = scaler.shorten(&samples, samples.count, by: 960)
        let periods = Double(removed) / 48_000 * hertz
        #expect(removed >= 120 && removed <= 960)
        #expect(abs(periods - periods.rounded()) < 0.03)
        #expect(Sounds.steepest(samples.prefix(samples.count - removed)) <= before * 11 / 10 + 20)
    }

    @Test("A voice is the same after it, a period earlier", arguments: [90.0, 130, 210])
    func shortensVoice(hertz: Double) {
        let voice = Sounds.voice(hertz, 1_680)
        var samples = voice
        let removed = scaler.shorten(&samples, samples.count, by: 960)
        let error = (0..<1_680 - removed - 48).map { Int16(clamping: Int(samples[$0]) - Int(voice[$0])) }
        #expect(removed > 0)
        #expect(Sounds.rms(error) < Sounds.rms(voice) / 4)
        // What lies behind the cross-fade is untouched, bit for bit.
        let overlap = min(removed, 1_680 - removed)
        #expect(Array(samples[overlap..<1_680 - removed]) == Array(voice[overlap + removed..<1_680]))
    }

    @Test("A voiced sound gains whole periods and stays smooth", arguments: [100.0, 150, 220, 330], [240, 480, 960])
    func lengthens(hertz: Double, wish: Int) {
        var samples = Sounds.sine(hertz) + [Int16](repeating: 0, count: 960)
        let before = Sounds.steepest(samples.prefix(1_680))
        let added = scaler.lengthen(&samples, 1_680, by: wish)
        let periods = Double(added) / 48_000 * hertz
        #expect(added >= 120 && added <= 960)
        #expect(abs(periods - periods.rounded()) < 0.03)
        #expect(Sounds.steepest(samples.prefix(1_680 + added)) <= before * 11 / 10 + 20)
        #expect(abs(Sounds.rms(samples.prefix(1_680 + added)) / Sounds.rms(Sounds.sine(hertz)) - 1) < 0.05)
        // The end is as it was.
        #expect(Array(samples[1_680 + added - 200..<1_680 + added]) == Array(Sounds.sine(hertz).suffix(200)))
    }

    @Test("Noise is left as it is")
    func noise() {
        var samples = Sounds.noise(1_680)
        let before = samples
        #expect(scaler.shorten(&samples, samples.count, by: 960) == 0)
        #expect(scaler.shorten(&samples, samples.count, by: 960, .urgent) == 0)
        #expect(samples == before)
        samples += [Int16](repeating: 0, count: 960)
        #expect(scaler.lengthen(&samples, 1_680, by: 480) == 0)
        #expect(Array(samples.prefix(1_680)) == before)
    }

    @Test("Far too much delay is cut anywhere, where it is urgent")
    func forced() {
        var samples = Sounds.noise(1_440, seed: 5)
        let cares: [PlayoutScaling.Care] = [.inPauses, .unheard]
        for care in cares { #expect(scaler.shorten(&samples, samples.count, by: 9_600, care) == 0) }
        #expect(scaler.shorten(&samples, samples.count, by: 9_600, .urgent) == 960)
    }

    @Test("Only quiet that has lasted is a pause", arguments: [(4_320, 0), (4_800, 960), (48_000, 960)])
    func pause(heard: Int, removed: Int) {
        var scaler = TimeScaler()
        scaler.hear(Sounds.voice(120, 4_800, peak: 28_000), 4_800)
        var turn = Sounds.noise(480, peak: 100)
        for _ in 0..<heard / 480 { scaler.hear(turn, 480) }
        var samples = Sounds.noise(1_680, peak: 100)
        #expect(scaler.shorten(&samples, samples.count, by: 960, .inPauses) == removed)
        // The next word ends it.
        var word = Sounds.voice(120, 1_680)
        #expect(scaler.shorten(&word, word.count, by: 960, .inPauses) == 0)
        turn = Sounds.voice(120, 480)
        scaler.hear(turn, 480)
        #expect(scaler.shorten(&samples, 1_680 - removed, by: 480, .inPauses) == 0)
    }

    @Test("Silence loses and gains as much as is asked", arguments: [120, 480, 960])
    func quiet(wish: Int) {
        var samples = [Int16](repeating: 3, count: 2_640)
        #expect(scaler.shorten(&samples, 1_680, by: wish) == wish)
        #expect(scaler.lengthen(&samples, 1_680, by: wish) == wish)
    }

    @Test("What is quiet beside the talk before it counts as quiet")
    func quietBesideTalk() {
        var scaler = TimeScaler()
        var noise = Sounds.noise(1_680, peak: 500)
        #expect(scaler.shorten(&noise, noise.count, by: 480) == 0)
        scaler.hear(Sounds.voice(120, 4_800, peak: 28_000), 4_800)
        #expect(scaler.shorten(&noise, noise.count, by: 480) == 480)
    }

    @Test("What is too short or asks too little stays", arguments: [(100, 960), (1_440, 119), (0, 0), (239, 500)])
    func tooShort(count: Int, limit: Int) {
        var samples = [Int16](repeating: 0, count: 2_400)
        #expect(scaler.shorten(&samples, count, by: limit) == (count == 239 ? 0 : 0))
    }

    @Test("Whatever the sound and its length, nothing is written outside of it", arguments: 0..<6)
    func bounds(seed: Int) {
        var dice = Dice(UInt64(seed))
        for _ in 0..<200 {
            let count = dice.roll(2_400)
            let (start, end) = (7_777 as Int16, -7_777 as Int16)
            let sound = dice.roll(2) == 0 ? Sounds.noise(count, seed: UInt64(dice.roll(99))) : Sounds.voice(140, count)
            var samples = [start] + sound + [Int16](repeating: 0, count: 960) + [end]
            let total = samples.count
            let wish = dice.roll(3_000)
            samples.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                let added = scaler.lengthen(base + 1, count, by: wish)
                #expect(added >= 0 && added <= 960)
                let removed = scaler.shorten(base + 1, count + added, by: wish, wish % 2 == 0 ? .urgent : .unheard)
                #expect(removed >= 0 && removed <= min(max(wish, 0), 960))
            }
            #expect(samples[0] == start && samples[total - 1] == end)
        }
    }
}

@Suite("Going on with a sound whose sequel has not come") struct ContinuationTests {
    private let history = Continuation.historyCount

    /// What is heard when `missing` samples of `sound` behind `history` samples of it are bridged.
    private func heard(_ sound: [Int16], missing: Int, inPhase: Bool = false) -> (samples: [Int16], moved: Int) {
        var continuation = Continuation()
        var samples =
            Array(sound.prefix(history)) + [Int16](repeating: 0, count: missing) + sound.dropFirst(history + missing)
        samples += [Int16](repeating: 0, count: 720)
        var moved = 0
        samples.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            // As a loop asks for it.
            var made = 0
            while made < missing {
                continuation.goOn(at: base + history + made, min(480, missing - made))
                made += min(480, missing - made)
            }
            let rest = sound.count - history - missing
            if inPhase {
                moved = continuation.joinInPhase(base + history + missing, rest)
            } else {
                continuation.join(base + history + missing, rest)
            }
        }
        return (samples, moved)
    }

    @Test("of a wave continues it", arguments: [100.0, 150, 220, 330], [480, 960])
    func wave(hertz: Double, missing: Int) {
        let sound = Sounds.sine(hertz, 6_000)
        let (samples, _) = heard(sound, missing: missing)
        #expect(Sounds.steepest(samples.prefix(6_000)) <= Sounds.steepest(sound) * 5 / 4 + 20)
        let error = (history..<history + missing).map { Int16(clamping: Int(samples[$0]) - Int(sound[$0])) }
        #expect(Sounds.rms(error) < Sounds.rms(sound) / 4)
    }

    @Test("joins without a click, and leaves what follows as it is", arguments: [480, 1_920, 4_800, 9_600])
    func joins(missing: Int) {
        let sound = Sounds.voice(120, 14_400)
        let (samples, _) = heard(sound, missing: missing)
        #expect(Sounds.steepest(samples.prefix(14_400)) <= Sounds.steepest(sound) * 5 / 4)
        let end = history + missing + 480
        #expect(Array(samples[end..<14_400]) == Array(sound[end..<14_400]))
    }

    @Test("fades away", arguments: [120.0, 210])
    func fades(hertz: Double) {
        let (samples, _) = heard(Sounds.voice(hertz, 14_400), missing: 9_600)
        let before = Sounds.rms(samples[history - 960..<history])
        #expect(Sounds.rms(samples[history..<history + 960]) > before / 2)
        #expect(samples[history + 5_280..<history + 9_600].allSatisfy { $0 == 0 })
    }

    @Test("lets the sequel move up so that its waves meet", arguments: [100.0, 150, 220], [300, 480, 700])
    func inPhase(hertz: Double, missing: Int) {
        // The sequel is what should have been played before: nothing is lost, all is later.
        let before = Sounds.sine(hertz, history)
        let sequel = Sounds.sine(hertz, history + 2_400).suffix(2_400)
        let (samples, moved) = heard(
            before + [Int16](repeating: 0, count: missing) + sequel, missing: missing, inPhase: true)
        #expect(moved >= 0 && Double(moved) < 48_000 / hertz * 1.1)
        #expect(
            Sounds.steepest(samples.prefix(history + missing + moved + 2_400)) <= Sounds.steepest(before) * 5 / 4 + 20)
        #expect(
            Array(samples[history + missing + moved + 480..<history + missing + moved + 2_400])
                == Array(sequel.dropFirst(480)))
    }

    @Test("of silence is silence, and of noise is as loud")
    func others() {
        let (silence, _) = heard([Int16](repeating: 0, count: 6_000), missing: 960)
        #expect(silence.allSatisfy { $0 == 0 })
        let noise = Sounds.noise(6_000)
        let (samples, _) = heard(noise, missing: 960)
        let ratio = Sounds.rms(samples[history..<history + 960]) / Sounds.rms(noise)
        #expect(ratio > 0.7 && ratio < 1.3)
    }
}
