internal import Glibc
internal import Realtime
internal import Resampling

/// A WAV file as a microphone: converted to 48 kHz mono when opened, heard from its beginning to its end, and again.
///
/// `@unchecked`: made on one thread, then used by the one it is moved to.
struct LoopedSound: ~Copyable, @unchecked Sendable {
    /// It is held in memory: half an hour is 173 MB.
    static let mostSeconds = 1_800

    let path: String
    /// 0 where the file has no sound: then it is silence.
    let frameCount: Int
    private let memory: LockedBuffer
    private let samples: UnsafeMutablePointer<Int16>
    private let position: UnsafeMutablePointer<Int>

    /// - Parameter limit: seconds of sound that are taken at most; a longer file is refused.
    init(path: String, limit: Int = Self.mostSeconds) throws(WaveError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(errno) }
        // A FIFO or a terminal would make us wait.
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        let read = { (offset: Int, count: Int) throws(WaveError) -> [UInt8] in
            try Self.read(descriptor, offset: offset, count: count)
        }
        let format = try WaveFormat(fileSize: Int(status.st_size), reading: read)
        let seconds = format.frameCount / format.rate
        guard seconds <= limit else { throw .tooLong(seconds: seconds) }

        let most = (format.frameCount * 48_000 + format.rate - 1) / format.rate
        let buffer = LockedBuffer(byteCount: 64 + most * 2)
        let first = (buffer.base + 64).bindMemory(to: Int16.self, capacity: most)
        var decoder = try WaveDecoder(format: format, into: UnsafeMutableBufferPointer(start: first, count: most))
        let step = max(1, 65_536 / format.bytesPerFrame) * format.bytesPerFrame
        for offset in stride(from: 0, to: format.dataBytes, by: step) {
            decoder.append(try read(format.dataOffset + offset, min(step, format.dataBytes - offset)))
        }
        frameCount = decoder.finish()
        position = buffer.base.bindMemory(to: Int.self, capacity: 1)
        position.initialize(to: 0)
        samples = first
        memory = consume buffer
        self.path = path
    }

    /// Its samples, at 48 kHz, as long as it lives.
    var content: UnsafeBufferPointer<Int16> { UnsafeBufferPointer(start: samples, count: frameCount) }

    func rewind() { position.pointee = 0 }

    @_noLocks @_noAllocation
    func read(into period: UnsafeMutableBufferPointer<Int16>) -> Int {
        var place = position.pointee
        var index = 0
        while index < period.count {
            if place >= frameCount { place = 0 }
            period[index] = frameCount > 0 ? samples[place] : 0
            place &+= 1
            index &+= 1
        }
        position.pointee = place
        return period.count
    }

    private static func read(_ descriptor: Int32, offset: Int, count: Int) throws(WaveError) -> [UInt8] {
        guard count > 0 else { return [] }
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let taken = pread(descriptor, buffer.baseAddress.map { $0 + filled }, count - filled, offset + filled)
                if taken < 0 { failure = errno }
                guard taken > 0 else { break }
                filled += taken
            }
        }
        guard failure == 0 else { throw .unreadable(failure) }
        return bytes
    }
}
