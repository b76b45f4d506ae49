internal import Glibc

/// A WAV file that grows: 48 kHz 16-bit, valid after every call, since its header is corrected after its samples.
public struct WaveFile: ~Copyable {
    private let descriptor: Int32
    private let channels: Int
    private var dataBytes: Int
    /// The errno value of the first write that failed, 0 where none has; nothing is written after it. `EFBIG` where the
    /// format has no room for more.
    public private(set) var failure: Int32
    /// Sizes have 32 bits: 12 hours of mono.
    private static let mostDataBytes = 0xFFFF_FFFF - 64

    public var frameCount: Int { dataBytes / bytesPerFrame }
    private var bytesPerFrame: Int { channels * 2 }

    /// Begins an empty file that is open for writing, and closes it at its end.
    ///
    /// - Parameter channels: 1 or 2.
    public init(begun descriptor: Int32, channels: Int) {
        self.descriptor = descriptor
        self.channels = channels
        dataBytes = 0
        failure = Self.write(Self.header(dataBytes: 0, channels: channels), to: descriptor, at: 0)
    }

    /// Opens the file after its first `keeping` frames, which it must have; made anew and empty for 0. Throws an errno
    /// value.
    init(path: String, keeping frames: Int) throws(SoundFileError) {
        let size = Self.headerBytes + frames * 2
        descriptor = try Self.open(path, isNew: frames == 0, size: size)
        channels = 1
        dataBytes = frames * 2
        failure = Self.write(Self.header(dataBytes: dataBytes, channels: 1), to: descriptor, at: 0)
    }

    /// Opens a regular file and cuts it to `size` bytes, which it must have unless it is new.
    private static func open(_ path: String, isNew: Bool, size: Int) throws(SoundFileError) -> Int32 {
        let flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        let file = Glibc.open(path, isNew ? flags | O_CREAT : flags, 0o640)
        guard file >= 0 else { throw .unreadable(errno) }
        var status = stat()
        var fault: SoundFileError?
        if fstat(file, &status) < 0 || status.st_mode & S_IFMT != S_IFREG {
            fault = .notRegular
        } else if !isNew && Int(status.st_size) < size {
            fault = .noData
        } else if ftruncate(file, size) < 0 {
            fault = .unreadable(errno)
        }
        if let fault {
            close(file)
            throw fault
        }
        return file
    }

    deinit { close(descriptor) }

    /// Adds whole frames at the end, the channels by turns, and then says so in the header.
    public mutating func append(_ samples: UnsafeBufferPointer<Int16>) {
        let bytes = UnsafeRawBufferPointer(samples)
        grow(by: bytes.count) { Self.write(bytes, to: $0, at: $1) }
    }

    /// Adds so many frames of digital silence, which take no room where the file system can leave holes.
    public mutating func appendSilence(frames: Int) {
        let count = frames * bytesPerFrame
        grow(by: count) { ftruncate($0, $1 + count) == 0 ? 0 : errno }
    }

    private mutating func grow(by byteCount: Int, _ write: (_ descriptor: Int32, _ offset: Int) -> Int32) {
        guard failure == 0, byteCount > 0 else { return }
        guard dataBytes + byteCount <= Self.mostDataBytes else {
            failure = EFBIG
            return
        }
        failure = write(descriptor, Self.headerBytes + dataBytes)
        guard failure == 0 else { return }
        dataBytes += byteCount
        failure = Self.write(Self.header(dataBytes: dataBytes, channels: channels), to: descriptor, at: 0)
    }

    private static let headerBytes = 44

    private static func header(dataBytes: Int, channels: Int) -> [UInt8] {
        var header: [UInt8] = []
        func add(_ text: StaticString, _ values: (Int, bytes: Int)...) {
            text.withUTF8Buffer { header += $0 }
            for (value, bytes) in values {
                for byte in 0..<bytes { header.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
            }
        }
        add("RIFF", (36 + dataBytes, bytes: 4))
        add("WAVE")
        // PCM, channels, 48 kHz, bytes a second, bytes a frame, bits.
        add("fmt ", (16, 4), (1, 2), (channels, 2), (48_000, 4), (channels * 96_000, 4), (channels * 2, 2), (16, 2))
        add("data", (dataBytes, bytes: 4))
        return header
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) -> Int32 {
        bytes.withUnsafeBytes { write($0, to: descriptor, at: offset) }
    }

    /// Returns 0, or the errno value of what kept it from writing everything.
    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int) -> Int32 {
        var done = 0
        while done < bytes.count {
            let written = pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, offset + done)
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { return written < 0 ? errno : EIO }
            done += written
        }
        return 0
    }
}
