@testable import AudioLoop
import Glibc
import Testing

@Suite("Headroom") struct HeadroomTests {
    /// What becomes of `mix`, turn by turn.
    private func fit(_ mix: [Int32], _ headroom: inout Headroom, turn: Int = 480) -> [Int16] {
        var mix = mix
        mix.withUnsafeMutableBufferPointer { samples in
            guard let base = samples.baseAddress else { return }
            for start in stride(from: 0, to: samples.count, by: turn) {
                headroom.fit(base + start, min(turn, samples.count - start))
            }
        }
        return mix.map { Int16($0) }
    }

    private func sines(_ hertz: [Double], peak: Double, seconds: Double) -> [Int32] {
        (0..<Int(seconds * 48_000)).map { index in
            hertz.reduce(0) { $0 + Int32(Signals.wave($1, at: index, peak: peak)) }
        }
    }

    @Test("One talker passes to the bit, and so does whatever fits")
    func bitExact() {
        var headroom = Headroom()
        let loud = sines([440], peak: 32_767, seconds: 1)
        #expect(fit(loud, &headroom) == loud.map { Int16($0) })
        let two = sines([440, 700], peak: 16_000, seconds: 1)
        #expect(fit(two, &headroom) == two.map { Int16($0) })
        #expect(headroom.isUnity)
    }

    @Test(
        "Eight talkers at full scale are not clipped: what is no tone of theirs is 60 dB below",
        arguments: [240, 480, 960])
    func noHarmonics(turn: Int) {
        let hertz = [311.0, 457, 613, 787, 1_009, 1_381, 1_913, 2_647]
        var headroom = Headroom()
        let fitted = fit(sines(hertz, peak: 32_767, seconds: 4), &headroom, turn: turn)
        let settled = fitted.suffix(48_000)
        let power = settled.reduce(0.0) { $0 + Double($1) * Double($1) } / 48_000
        let tones = hertz.reduce(0.0) { sum, hertz in
            let peak = Signals.peak(of: hertz, in: settled)
            return sum + peak * peak / 2
        }
        #expect(10 * log10(abs(power - tones) / power) < -60)
        // Full use is made of the 16 bits.
        #expect(settled.map { abs(Int($0)) }.max() ?? 0 > 29_000)
    }

    @Test("The first overload is answered within a millisecond, and bounded before")
    func attack() {
        var headroom = Headroom()
        let fitted = fit([Int32](repeating: 10_000, count: 480) + [Int32](repeating: 100_000, count: 480), &headroom)
        #expect(fitted[479] == 10_000)
        #expect(fitted[480..<528].allSatisfy { $0 <= 32_767 })
        #expect(fitted[528...].allSatisfy { 32_700...32_767 ~= $0 })
    }

    @Test("Then the gain stays for a second and comes back at 3 dB a second, to the bit")
    func release() {
        var headroom = Headroom()
        _ = fit([Int32](repeating: 65_534, count: 4_800), &headroom)
        let fitted = fit([Int32](repeating: 10_000, count: 48_000 * 4), &headroom)
        #expect(fitted[..<47_000].allSatisfy { 4_995...5_001 ~= $0 })
        // Half a second later it is 1.5 dB louder.
        let later = 20 * log10(Double(fitted[48_000 + 24_000]) / 5_000)
        #expect(abs(later - 1.5) < 0.1)
        let steps = zip(fitted, fitted.dropFirst(480)).map { 20 * log10(Double($1) / Double($0)) }
        #expect(steps.allSatisfy { -0.01...0.04 ~= $0 })
        #expect(fitted.suffix(4_800).allSatisfy { $0 == 10_000 })
        #expect(headroom.isUnity)
    }

    @Test("A voice that comes and goes does not make the others pump")
    func noPumping() {
        var headroom = Headroom()
        let steady = sines([500], peak: 20_000, seconds: 6)
        let other = sines([1_700], peak: 30_000, seconds: 6)
        let mix = steady.indices.map { steady[$0] + ($0 / 14_400 % 2 == 0 ? other[$0] : 0) }
        let fitted = fit(mix, &headroom)
        // In windows of 20 ms, but for those at the edges of the other voice.
        let levels = stride(from: 48_000, to: 48_000 * 6 - 960, by: 960).filter { ($0 % 14_400) >= 960 }.map {
            Signals.peak(of: 500, in: fitted[$0..<($0 + 960)])
        }
        let (lowest, highest) = (levels.min() ?? 0, levels.max() ?? 0)
        #expect(20 * log10(highest / lowest) < 0.2)
    }
}
