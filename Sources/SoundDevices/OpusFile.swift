internal import COpusFile
internal import Glibc

/// An Ogg Opus file (RFC 7845) of one stream with one or two channels.
struct OpusFile: ~Copyable {
    /// Bytes that begin every Ogg file.
    static let magic = Array("OggS".utf8)

    private let handle: OpaquePointer
    private let channels: Int
    /// Frames at 48 kHz that the file says it has.
    let frameCount: Int

    /// Bytes of a second at the highest bit rate of Opus (RFC 6716 §2.1.1), and what else a file may have: pictures, say.
    private static let mostBytesPerSecond = 64_000
    private static let mostOtherBytes = 16_000_000

    /// - Parameter limit: seconds of sound, at most.
    init(_ file: borrowing InputFile, limit: Int) throws(SoundFileError) {
        let most = limit * Self.mostBytesPerSecond + Self.mostOtherBytes
        guard file.size <= most else { throw .tooLarge(megabytes: file.size / 1_000_000, most: most / 1_000_000) }
        let opened = try Self.open(file.descriptor)
        do throws(SoundFileError) {
            (channels, frameCount) = try Self.size(of: opened, limit: limit)
        } catch {
            op_free(opened)
            throw error
        }
        op_set_dither_enabled(opened, 0)
        handle = opened
    }

    private static func size(
        of handle: OpaquePointer, limit: Int
    ) throws(SoundFileError) -> (channels: Int, frames: Int) {
        let streams = Int(op_link_count(handle))
        guard streams == 1 else { throw .chainedOpus(streams: streams) }
        let channels = Int(op_channel_count(handle, 0))
        guard 1...2 ~= channels else { throw .surroundOpus(channels: channels) }
        let total = op_pcm_total(handle, -1)
        guard total >= 0 else { throw .damagedOpus(Int32(clamping: total)) }
        guard total <= Int64(limit) * 48_000 else { throw .tooLong(seconds: Int(total / 48_000), most: limit) }
        return (channels, Int(total))
    }

    private static func open(_ descriptor: Int32) throws(SoundFileError) -> OpaquePointer {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .unreadable(errno) }
        var callbacks = OpusFileCallbacks()
        guard let stream = op_fdopen(&callbacks, copy, "rb") else {
            let code = errno
            close(copy)
            throw .unreadable(code)
        }
        var code: Int32 = 0
        guard let handle = op_open_callbacks(stream, &callbacks, nil, 0, &code) else {
            _ = callbacks.close?(stream)
            throw .damagedOpus(code)
        }
        return handle
    }

    deinit { op_free(handle) }

    /// Decodes as much as has room, mixed to one channel. Returns the number of frames.
    func decode(into output: UnsafeMutableBufferPointer<Int16>) throws(SoundFileError) -> Int {
        // The longest packet: 120 ms.
        var block = [Int16](repeating: 0, count: 5_760 * channels)
        var produced = 0
        while produced < output.count {
            let taken = op_read(handle, &block, Int32(block.count), nil)
            guard taken >= 0 else { throw .damagedOpus(taken) }
            guard taken > 0 else { break }
            for frame in 0..<min(Int(taken), output.count - produced) {
                let first = Int(block[frame * channels])
                let last = Int(block[frame * channels + channels - 1])
                output[produced + frame] = Int16(truncatingIfNeeded: (first + last) / 2)
            }
            produced += min(Int(taken), output.count - produced)
        }
        return produced
    }
}
