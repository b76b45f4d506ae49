internal import Glibc

/// The sound format and the place of the samples in a WAV file: RIFF, PCM of 8, 16, 24 and 32 bits or float of 32 and 64,
/// plain or WAVE_FORMAT_EXTENSIBLE.
struct WaveFormat: Hashable {
    enum Encoding: Hashable { case unsigned8, signed16, signed24, signed32, float32, float64 }

    var encoding: Encoding
    var channels: Int
    /// In Hz.
    var rate: Int
    /// Where the samples begin in the file, and how many bytes of whole frames there are.
    var dataOffset = 0
    var dataBytes = 0

    var bytesPerSample: Int {
        switch encoding {
        case .unsigned8: 1
        case .signed16: 2
        case .signed24: 3
        case .signed32, .float32: 4
        case .float64: 8
        }
    }

    var bytesPerFrame: Int { bytesPerSample * channels }
    var frameCount: Int { dataBytes / bytesPerFrame }

    /// Finds format and samples in a file of `fileSize` bytes; `read` gives up to `count` bytes from an offset.
    ///
    /// Sizes in the file are believed only as far as the file goes: a recording that was cut short, or that is still being
    /// written, has wrong ones.
    init(
        fileSize: Int, reading read: (_ offset: Int, _ count: Int) throws(SoundFileError) -> [UInt8]
    ) throws(SoundFileError) {
        let riff = try read(0, 12)
        guard riff.count == 12, riff[0..<4].elementsEqual("RIFF".utf8), riff[8..<12].elementsEqual("WAVE".utf8) else {
            throw .notSound
        }
        var found: WaveFormat?
        var offset = 12
        // A hostile file could be all empty chunks.
        for _ in 0..<1_000 {
            let header = try read(offset, 8)
            guard header.count == 8 else { break }
            let size = Self.integer(header[4..<8])
            offset += 8
            if header[0..<4].elementsEqual("fmt ".utf8) {
                found = try Self(formatChunk: read(offset, min(size, 40)))
            } else if header[0..<4].elementsEqual("data".utf8) {
                guard var format = found else { throw .noFormat }
                let there = max(0, min(size, fileSize - offset))
                format.dataOffset = offset
                format.dataBytes = there - there % format.bytesPerFrame
                self = format
                return
            }
            // Chunks begin at even offsets.
            offset += size + size % 2
            guard offset <= fileSize else { break }
        }
        throw found == nil ? .noFormat : .noData
    }

    private init(formatChunk chunk: [UInt8]) throws(SoundFileError) {
        guard chunk.count >= 16 else { throw .noFormat }
        var tag = Self.integer(chunk[0..<2])
        // WAVE_FORMAT_EXTENSIBLE: the tag is the first of its sub-format's GUID.
        if tag == 0xFFFE {
            guard chunk.count >= 26 else { throw .noFormat }
            tag = Self.integer(chunk[24..<26])
        }
        let bits = Self.integer(chunk[14..<16])
        switch (tag, bits) {
        case (1, 8): encoding = .unsigned8
        case (1, 16): encoding = .signed16
        case (1, 24): encoding = .signed24
        case (1, 32): encoding = .signed32
        case (3, 32): encoding = .float32
        case (3, 64): encoding = .float64
        default: throw .unknownEncoding(tag: tag, bits: bits)
        }
        channels = Self.integer(chunk[2..<4])
        rate = Self.integer(chunk[4..<8])
        guard (1...64).contains(channels), (1_000...768_000).contains(rate) else {
            throw .outOfRange(channels: channels, rate: rate)
        }
        guard Self.integer(chunk[12..<14]) == bytesPerFrame else { throw .unknownEncoding(tag: tag, bits: bits) }
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
