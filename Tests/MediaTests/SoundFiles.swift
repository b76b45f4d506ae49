import Glibc

/// WAV files of one test, removed with it.
final class SoundFiles: Sendable {
    let folder: String

    init() {
        var template = Array("/tmp/handset-media-XXXXXX".utf8CString)
        folder =
            mkdtemp(&template) == nil ? "/tmp" : String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
    }

    deinit {
        for name in ["left-in.wav", "left-out.wav", "right-in.wav", "right-out.wav", "ring.wav", "a.wav", "b.wav"] {
            unlink("\(folder)/\(name)")
        }
        rmdir(folder)
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// A second of a tone, at 48 kHz.
    func writeTone(_ name: String, hertz: Double) {
        let samples = (0..<48_000).map { Int16(8_000 * sin(2 * .pi * hertz * Double($0) / 48_000)) }
        var bytes = Array("RIFF".utf8)
        func append(_ value: UInt32, octets: Int) {
            for index in 0..<octets { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
        }
        append(UInt32(36 + samples.count * 2), octets: 4)
        bytes += Array("WAVEfmt ".utf8)
        append(16, octets: 4)
        append(1, octets: 2)
        append(1, octets: 2)
        append(48_000, octets: 4)
        append(96_000, octets: 4)
        append(2, octets: 2)
        append(16, octets: 2)
        bytes += Array("data".utf8)
        append(UInt32(samples.count * 2), octets: 4)
        for sample in samples { append(UInt32(UInt16(bitPattern: sample)), octets: 2) }
        guard let file = fopen(path(name), "w") else { return }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    /// The samples of a recording of ours, whose header has 44 octets.
    func read(_ name: String) -> [Int16] {
        guard let file = fopen(path(name), "r") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&block, 1, block.count, file), count > 0 { bytes += block[..<count] }
        guard bytes.count > 44 else { return [] }
        return stride(from: 44, to: bytes.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
    }
}

/// How much of a tone is in a piece of sound, 0...1 of its power (Goertzel).
func share(of hertz: Double, in samples: ArraySlice<Int16>) -> Double {
    let step = 2 * cos(2 * .pi * hertz / 48_000)
    var (before, earlier, power) = (0.0, 0.0, 0.0)
    for sample in samples {
        let next = Double(sample) + step * before - earlier
        (earlier, before) = (before, next)
        power += Double(sample) * Double(sample)
    }
    guard power > 0 else { return 0 }
    let tone = before * before + earlier * earlier - step * before * earlier
    return 2 * tone / (power * Double(samples.count))
}

/// The longest run of digital silence that has sound before and after it, in samples.
func longestSilence(in samples: [Int16]) -> Int {
    var (longest, run) = (0, 0)
    var hasSound = false
    for sample in samples {
        if sample == 0 {
            run += 1
        } else {
            if hasSound { longest = max(longest, run) }
            hasSound = true
            run = 0
        }
    }
    return longest
}
