import Glibc
import Resampling
import Testing

@Suite("Variable resampler") struct VariableResamplerTests {
    static let turn = 480

    /// A resampler that is fed turn by turn, and all that came out of it.
    final class Line {
        var resampler = VariableResampler(longest: VariableResamplerTests.turn)
        let input: [Int16]
        var taken = 0
        var output: [Int16] = []

        init(_ input: [Int16]) { self.input = input }

        var isActive: Bool { resampler.isActive }

        func pass() {
            let sound = Array(input[taken..<taken + turn])
            resampler.pass(sound, turn)
            output += sound
            taken += turn
        }

        func process(fewer: Double) {
            made { $0.process($1, turn, fewer: fewer, into: $2) }
        }

        func release() { made { $0.release($1, turn, into: $2) } }

        private func made(
            _ work: (inout VariableResampler, UnsafePointer<Int16>, UnsafeMutablePointer<Int16>) -> Int
        ) {
            var room = [Int16](repeating: 0, count: VariableResampler.mostProduced(of: turn))
            let sound = Array(input[taken..<taken + turn])
            let count = work(&resampler, sound, &room)
            output += room[..<count]
            taken += turn
        }
    }

    static func sine(_ hertz: Double, seconds: Double, peak: Double = 20_000) -> [Int16] {
        (0..<Int(seconds * 48_000)).map { Int16((sin(2 * .pi * hertz * Double($0) / 48_000) * peak).rounded()) }
    }

    @Test("Sound that needs no correction comes through bit by bit, into work and out of it")
    func identity() {
        var noise = SystemRandomNumberGenerator()
        let line = Line((0..<20 * Self.turn).map { _ in Int16.random(in: .min ... .max, using: &noise) })
        for _ in 0..<3 { line.pass() }
        for _ in 0..<5 { line.process(fewer: 0) }
        #expect(line.isActive)
        line.release()
        #expect(!line.isActive)
        for _ in 0..<3 { line.pass() }
        for _ in 0..<2 { line.process(fewer: 0) }
        line.release()
        #expect(line.output == Array(line.input[..<line.taken]))
    }

    @Test("Over time, as many samples are left out or added as was asked for", arguments: [0.24, -0.24, 0.48, 0.007])
    func count(fewer: Double) {
        let line = Line(Self.sine(1_000, seconds: 3.1))
        line.pass()
        for _ in 0..<300 { line.process(fewer: fewer) }
        line.release()
        let expected = Double(302 * Self.turn) - 300 * fewer
        #expect(abs(Double(line.output.count) - expected) <= 1.5)
    }

    /// The least residual, in dB, that a sine of `hertz` leaves of `output`.
    static func residual(of output: ArraySlice<Int16>, hertz: Double) -> Double {
        let values = output.map(Double.init)
        var (real, imaginary) = (0.0, 0.0)
        for (index, value) in values.enumerated() {
            let angle = 2 * .pi * hertz * Double(index) / 48_000
            real += value * cos(angle)
            imaginary += value * sin(angle)
        }
        let scale = 2 / Double(values.count)
        var (signal, rest) = (0.0, 0.0)
        for (index, value) in values.enumerated() {
            let angle = 2 * .pi * hertz * Double(index) / 48_000
            let tone = scale * (real * cos(angle) + imaginary * sin(angle))
            signal += tone * tone
            rest += (value - tone) * (value - tone)
        }
        return 10 * log10(rest / signal)
    }

    @Test(
        "A tone stays a tone, higher by what is left out", arguments: [300.0, 1_000, 6_000, 12_000], [0.24, -0.24])
    func tone(hertz: Double, fewer: Double) {
        let line = Line(Self.sine(hertz, seconds: 1.2))
        line.pass()
        for _ in 0..<110 { line.process(fewer: fewer) }
        // A whole number of periods of what is heard would be better; 40,000 samples are enough for -70 dB.
        let heard = hertz / (1 - fewer / Double(Self.turn))
        let output = line.output[2 * Self.turn..<2 * Self.turn + 48_000]
        #expect(Self.residual(of: output, hertz: heard) < -66)
    }

    @Test("Nothing clicks where work begins and ends")
    func seams() {
        let peak = 20_000.0
        let line = Line(Self.sine(400, seconds: 1, peak: peak))
        for _ in 0..<10 { line.pass() }
        for _ in 0..<33 { line.process(fewer: 0.45) }
        line.release()
        for _ in 0..<10 { line.pass() }
        for _ in 0..<17 { line.process(fewer: -0.45) }
        line.release()
        for _ in 0..<5 { line.pass() }
        // A sine's second difference is its own shape: a click would stand out of it.
        let step = 2 * Double.pi * 400 / 48_000
        let most = line.output.indices.dropFirst(2).map {
            abs(Int(line.output[$0]) - 2 * Int(line.output[$0 - 1]) + Int(line.output[$0 - 2]))
        }.max()
        #expect(Double(most ?? .max) < peak * step * step * 1.1 + 4)
    }

    @Test("The loudest sound does not wrap")
    func loudest() {
        // The worst for an interpolator: it swings over.
        let line = Line((0..<4 * Self.turn).map { $0 / 16 % 2 == 0 ? .max : .min })
        line.pass()
        for _ in 0..<2 { line.process(fewer: 0.4) }
        let flips = zip(line.output, line.output.dropFirst()).count { ($0 < -20_000) != ($1 < -20_000) }
        #expect((82...100).contains(flips))
    }
}
