import Glibc

/// 48 kHz mono 16-bit sound, as the `file:` devices write it.
struct WaveFile {
    var samples: [Int16]

    static let rate = 48_000

    init(samples: [Int16]) { self.samples = samples }

    /// A sine of `frequency` Hz with `amplitude` of full scale.
    static func tone(_ frequency: Double, seconds: Double, amplitude: Double = 0.3) -> WaveFile {
        WaveFile(
            samples: (0..<Int(seconds * Double(rate))).map {
                Int16(amplitude * 32_767 * sin(2 * .pi * frequency * Double($0) / Double(rate)))
            })
    }

    func write(to path: String) throws {
        func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) } }
        let size = samples.count * 2
        var bytes = Array("RIFF".utf8) + little(36 + size, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
        bytes += little(1, 2) + little(1, 2) + little(Self.rate, 4) + little(Self.rate * 2, 4) + little(2, 2)
        bytes += little(16, 2) + Array("data".utf8) + little(size, 4)
        for sample in samples { bytes += little(Int(UInt16(bitPattern: sample)), 2) }
        try writeFile(path, bytes)
    }
}

extension Collection where Element == Int16, Index == Int {
    /// RMS in dB of full scale; -inf for digital silence.
    var levelDbfs: Double {
        guard !isEmpty else { return -.infinity }
        let power = reduce(0.0) { $0 + Double($1) * Double($1) } / Double(count)
        return 10 * log10(power / (32_768 * 32_768))
    }

    /// The level of one frequency in dB of full scale (Goertzel).
    func levelDbfs(of frequency: Double) -> Double {
        guard !isEmpty else { return -.infinity }
        let coefficient = 2 * cos(2 * .pi * frequency / Double(WaveFile.rate))
        var (previous, beforeThat) = (0.0, 0.0)
        for sample in self {
            (previous, beforeThat) = (Double(sample) + coefficient * previous - beforeThat, previous)
        }
        let power = previous * previous + beforeThat * beforeThat - coefficient * previous * beforeThat
        // A full-scale sine has the power (n/2 · 32768)².
        let full = Double(count) / 2 * 32_768
        return 10 * log10(Swift.max(power, 1e-9) / (full * full)) - 3.01
    }

    /// How loud a tone is heard, in dB of full scale: the median of 40 ms windows, which neither a gap nor a jump of the
    /// phase moves, as a busy machine and a buffer that stretches time bring.
    func heardDbfs(of frequency: Double) -> Double {
        let window = WaveFile.rate / 25
        let levels = stride(from: startIndex, through: endIndex - window, by: window).map {
            self[$0..<($0 + window)].levelDbfs(of: frequency)
        }.sorted()
        return levels.isEmpty ? -.infinity : levels[levels.count / 2]
    }

    var isDigitalSilence: Bool { allSatisfy { $0 == 0 } }
}
