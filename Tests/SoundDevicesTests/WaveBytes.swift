/// A WAV file, made by hand.
struct WaveBytes {
    var tag = 1
    var channels = 1
    var rate = 48_000
    var bits = 16
    var isExtensible = false
    var data: [UInt8] = []
    /// What the data chunk's header claims; nil: the truth.
    var claimedSize: Int?

    init(samples: [Int16] = []) {
        data = samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }

    var bytes: [UInt8] {
        let format =
            Self.little(isExtensible ? 0xFFFE : tag, 2) + Self.little(channels, 2) + Self.little(rate, 4)
            + Self.little(rate * channels * bits / 8, 4) + Self.little(channels * bits / 8, 2) + Self.little(bits, 2)
            + (isExtensible
                ? Self.little(22, 2) + Self.little(bits, 2) + Self.little(0, 4) + Self.little(tag, 2)
                    + [UInt8](repeating: 0x11, count: 14) : [])
        let chunks =
            Array("fmt ".utf8) + Self.little(format.count, 4) + format + Array("data".utf8)
            + Self.little(claimedSize ?? data.count, 4) + data
        return Array("RIFF".utf8) + Self.little(chunks.count + 4, 4) + Array("WAVE".utf8) + chunks
    }

    static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// The samples of a 48 kHz mono 16-bit file with a plain header whose sizes fit the file; nil for any other.
    static func samples(of file: [UInt8]) -> [Int16]? {
        guard file.count >= 44 else { return nil }
        let expected = { (size: Int) in
            var wave = WaveBytes()
            wave.claimedSize = size
            var header = wave.bytes
            header.replaceSubrange(4..<8, with: little(36 + size, 4))
            return header
        }
        let size = (40..<44).reversed().reduce(0) { $0 << 8 | Int(file[$1]) }
        guard size <= file.count - 44, Array(file[..<44]) == expected(size) else { return nil }
        return stride(from: 44, to: 44 + size, by: 2).map {
            Int16(bitPattern: UInt16(file[$0]) | UInt16(file[$0 + 1]) << 8)
        }
    }
}
