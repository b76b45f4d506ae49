internal import Glibc

/// Measures what came back of a probe's signal.
public struct ProbeAnalysis: Sendable {
    private let signal: ProbeSignal
    private let sent: [Int16]
    private let heard: [Int16]
    /// Sweeps must be so much alike: 1 is the same.
    private static let likeness = 0.5
    /// The farthest that is looked for: the next second's sweep must not be taken for this one's.
    private static let longestDelay = ProbeSignal.rate * 9 / 10
    /// For finding sweeps roughly, which is enough work.
    private static let coarse = 6
    /// Of 5 ms.
    private static let window = 240
    /// Of 20 ms.
    private static let block = 960

    /// - Parameters:
    ///   - sent, heard: at 48 kHz, sample by sample at the same moments, with the rest before and after.
    public init(_ signal: ProbeSignal, sent: [Int16], heard: [Int16]) {
        self.signal = signal
        self.sent = sent
        self.heard = heard
    }

    /// The figures; nil where none of the signal came back within 0.9 s, or nothing was sent.
    public var figures: ProbeFigures? {
        // A sweep begins with zeros.
        guard let first = sent.firstIndex(where: { $0 != 0 }),
            let zeros = signal.sweep.firstIndex(where: { $0 != 0 })
        else { return nil }
        let start = max(0, first - zeros)
        let seconds = (0..<signal.seconds).map { start + $0 * ProbeSignal.rate }
        let found = seconds.compactMap { second in delay(from: second).map { (second, $0) } }
        guard !found.isEmpty else { return nil }
        let delays = found.map(\.1).sorted()
        var figures = ProbeFigures()
        let milliseconds = { (samples: Int) in Double(samples) / 48 }
        figures.delay = milliseconds(delays[delays.count / 2])
        figures.leastDelay = milliseconds(delays[0])
        figures.mostDelay = milliseconds(delays[delays.count - 1])
        figures.noise = level(heard[..<min(start, heard.count)])
        // A second whose sweep was lost is where its neighbours are.
        var known = delays[delays.count / 2]
        let tones = seconds.map { second in
            known = found.first { $0.0 == second }?.1 ?? known
            return tone(of: second, delay: known)
        }
        measure(tones, &figures)
        return figures
    }

    // MARK: Delay

    /// By how many samples the sweep that was sent at `second` came back later; nil where it did not.
    private func delay(from second: Int) -> Int? {
        let sweep = signal.sweep.map(Double.init)
        let room = min(heard.count, second + sweep.count + Self.longestDelay)
        guard second + sweep.count <= room else { return nil }
        let place = heard[second..<room].map(Double.init)
        guard let rough = best(Self.thinned(sweep), in: Self.thinned(place)), rough.likeness > Self.likeness else {
            return nil
        }
        let near = max(0, (rough.offset - 1) * Self.coarse)
        let end = min(place.count, near + sweep.count + 3 * Self.coarse)
        guard end - near >= sweep.count, let exact = best(sweep, in: Array(place[near..<end])) else { return nil }
        return near + exact.offset
    }

    /// The mean of every few samples.
    private static func thinned(_ samples: [Double]) -> [Double] {
        stride(from: 0, to: samples.count - coarse + 1, by: coarse).map { first in
            samples[first..<first + coarse].reduce(0, +) / Double(coarse)
        }
    }

    /// Where `pattern` is most like what is there, and how much.
    private func best(_ pattern: [Double], in place: [Double]) -> (offset: Int, likeness: Double)? {
        guard place.count >= pattern.count, !pattern.isEmpty else { return nil }
        let own = pattern.reduce(0) { $0 + $1 * $1 }
        var energy = place[..<pattern.count].reduce(0) { $0 + $1 * $1 }
        var best: (offset: Int, likeness: Double)?
        for offset in 0...(place.count - pattern.count) {
            if offset > 0 {
                let (left, came) = (place[offset - 1], place[offset + pattern.count - 1])
                energy += came * came - left * left
            }
            // A sweep that is so soft is none.
            guard energy > Double(pattern.count) else { continue }
            var sum = 0.0
            for index in pattern.indices { sum += pattern[index] * place[offset + index] }
            let likeness = sum / (own * energy).squareRoot()
            if likeness > best?.likeness ?? 0 { best = (offset, likeness) }
        }
        return best
    }

    // MARK: Tone

    /// What came back of a second's tone, but for its edges.
    private func tone(of second: Int, delay: Int) -> ArraySlice<Int16> {
        let margin = Self.block
        let first = min(second + ProbeSignal.toneStart + delay + margin, heard.count)
        let end = min(second + ProbeSignal.rate + delay - margin, heard.count)
        return heard[first..<max(first, end)]
    }

    private func measure(_ tones: [ArraySlice<Int16>], _ figures: inout ProbeFigures) {
        let levels = tones.flatMap { tone in Self.parts(of: tone, Self.window).map(Self.power) }
        let usual = levels.sorted().dropFirst(levels.count / 2).first ?? 0
        figures.level = usual > 0 ? 10 * log10(usual / (32_768 * 32_768)) : -.infinity
        countGaps(tones, below: usual / 100, &figures)
        let blocks = tones.map { Self.parts(of: $0, Self.block).filter { Self.power($0) > usual / 4 } }
        figures.frequency = frequency(blocks)
        var (wanted, rest) = (0.0, 0.0)
        for block in blocks.joined() {
            let fitted = fit(block, figures.frequency)
            wanted += fitted.wanted
            rest += fitted.rest
        }
        figures.signalToNoise = 10 * log10(max(wanted, 1e-9) / max(rest, 1e-9))
    }

    private func countGaps(
        _ tones: [ArraySlice<Int16>], below limit: Double, _ figures: inout ProbeFigures
    ) {
        for tone in tones {
            var run = 0
            for part in Self.parts(of: tone, Self.window) {
                guard Self.power(part) < limit else {
                    run = 0
                    continue
                }
                if run == 0 { figures.gaps += 1 }
                run += 1
                figures.gapMilliseconds += 5
                figures.longestGap = max(figures.longestGap, Double(run) * 5)
            }
        }
    }

    /// By how much the phase moves from each block to the next.
    private func frequency(_ blocks: [[ArraySlice<Int16>]]) -> Double {
        let nominal = Double(signal.frequency)
        var (real, imaginary) = (0.0, 0.0)
        for tone in blocks {
            for (block, next) in zip(tone, tone.dropFirst()) where block.endIndex == next.startIndex {
                let (first, second) = (project(block, nominal), project(next, nominal))
                real += second.cosine * first.cosine + second.sine * first.sine
                imaginary += second.sine * first.cosine - second.cosine * first.sine
            }
        }
        guard real != 0 || imaginary != 0 else { return nominal }
        let turn = atan2(imaginary, real) / (2 * .pi)
        return nominal + turn * Double(ProbeSignal.rate) / Double(Self.block)
    }

    /// How a block is made up of a sine of that frequency, whose phase counts from the beginning of all that was heard.
    private func project(_ block: ArraySlice<Int16>, _ frequency: Double) -> (cosine: Double, sine: Double) {
        var (cosine, sine) = (0.0, 0.0)
        for index in block.indices {
            let phase = 2 * .pi * frequency * Double(index) / Double(ProbeSignal.rate)
            cosine += Double(block[index]) * cos(phase)
            sine -= Double(block[index]) * sin(phase)
        }
        return (cosine, sine)
    }

    /// The energy of the sine that is in a block, and of all else (least squares).
    private func fit(_ block: ArraySlice<Int16>, _ frequency: Double) -> (wanted: Double, rest: Double) {
        var (cc, ss, cs, xc, xs, xx) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for index in block.indices {
            let phase = 2 * .pi * frequency * Double(index) / Double(ProbeSignal.rate)
            let (x, c, s) = (Double(block[index]), cos(phase), sin(phase))
            cc += c * c
            ss += s * s
            cs += c * s
            xc += x * c
            xs += x * s
            xx += x * x
        }
        let determinant = cc * ss - cs * cs
        guard determinant > 1e-9 else { return (0, xx) }
        let (a, b) = ((xc * ss - xs * cs) / determinant, (xs * cc - xc * cs) / determinant)
        let wanted = a * xc + b * xs
        return (wanted, max(0, xx - wanted))
    }

    // MARK: Parts

    private static func parts(of samples: ArraySlice<Int16>, _ count: Int) -> [ArraySlice<Int16>] {
        stride(from: samples.startIndex, through: samples.endIndex - count, by: count).map { samples[$0..<$0 + count] }
    }

    /// Mean square.
    private static func power(_ samples: ArraySlice<Int16>) -> Double {
        samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(samples.count, 1))
    }

    private func level(_ samples: ArraySlice<Int16>) -> Double? {
        let power = Self.power(samples)
        return power > 0 ? 10 * log10(power / (32_768 * 32_768)) : nil
    }
}
