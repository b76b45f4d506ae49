internal import Realtime

/// The sound of a WAV or Ogg Opus file in memory, at 48 kHz and mono.
///
/// `@unchecked`: what `content` points to is written when it is made, and then only read.
struct DecodedSound: ~Copyable, @unchecked Sendable {
    /// As long as this lives; empty where the file has no sound.
    let content: UnsafeBufferPointer<Int16>
    private let memory: LockedBuffer

    init(_ samples: [Int16]) {
        let buffer = LockedBuffer(byteCount: samples.count * MemoryLayout<Int16>.stride)
        let room = buffer.elements(of: Int16.self, count: samples.count)
        _ = room.update(fromContentsOf: samples)
        content = UnsafeBufferPointer(room)
        memory = consume buffer
    }

    /// Reads a file of at most `limit` seconds; a longer one is refused. May take a moment.
    init(path: String, limit: Int) throws(SoundFileError) {
        let file = try InputFile(path: path)
        if try file.read(0, 4) == OpusFile.magic {
            let sound = try OpusFile(file, limit: limit)
            let buffer = LockedBuffer(byteCount: sound.frameCount * MemoryLayout<Int16>.stride)
            let room = buffer.elements(of: Int16.self, count: sound.frameCount)
            content = UnsafeBufferPointer(rebasing: room[..<(try sound.decode(into: room))])
            memory = consume buffer
        } else {
            let format = try Self.waveFormat(of: file, limit: limit)
            let most = (format.frameCount * 48_000 + format.rate - 1) / format.rate
            let buffer = LockedBuffer(byteCount: most * MemoryLayout<Int16>.stride)
            let room = buffer.elements(of: Int16.self, count: most)
            content = UnsafeBufferPointer(rebasing: room[..<(try Self.decode(format, of: file, into: room))])
            memory = consume buffer
        }
    }

    /// Frames, at its own rate, that a file of at most `limit` seconds says it has.
    static func frameCount(path: String, limit: Int) throws(SoundFileError) -> Int {
        let file = try InputFile(path: path)
        guard try file.read(0, 4) != OpusFile.magic else { return try OpusFile(file, limit: limit).frameCount }
        return try waveFormat(of: file, limit: limit).frameCount
    }

    private static func waveFormat(of file: borrowing InputFile, limit: Int) throws(SoundFileError) -> WaveFormat {
        let format = try WaveFormat(fileSize: file.size) { offset, count throws(SoundFileError) in
            try file.read(offset, count)
        }
        let seconds = format.frameCount / format.rate
        guard seconds <= limit else { throw .tooLong(seconds: seconds, most: limit) }
        return format
    }

    private static func decode(
        _ format: WaveFormat, of file: borrowing InputFile, into room: UnsafeMutableBufferPointer<Int16>
    ) throws(SoundFileError) -> Int {
        var decoder = try WaveDecoder(format: format, into: room)
        let step = max(1, 65_536 / format.bytesPerFrame) * format.bytesPerFrame
        for offset in stride(from: 0, to: format.dataBytes, by: step) {
            decoder.append(try file.read(format.dataOffset + offset, min(step, format.dataBytes - offset)))
        }
        return decoder.finish()
    }
}
