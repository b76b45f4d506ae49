internal import Codecs
internal import Glibc

/// An Ogg Opus file that grows by whole pages.
struct OpusPages: ~Copyable {
    // No constant: Swift 6.2 lets the initializer of a value with one call nothing that changes the value.
    private var descriptor: Int32
    private var encoder: OggOpusEncoder
    private var byteCount = 0
    private var headerBytes: Int
    /// An errno value.
    private(set) var failure: Int32 = 0

    init(begun descriptor: Int32) throws(CodecError) {
        encoder = try OggOpusEncoder(serial: .random(in: .min ... .max))
        self.descriptor = descriptor
        headerBytes = 0
        write(encoder.header())
        headerBytes = byteCount
    }

    deinit { close(descriptor) }

    /// Whether a page of sound is in the file.
    var hasSound: Bool { byteCount > headerBytes }

    mutating func append(_ frames: UnsafeBufferPointer<Int16>) {
        guard failure == 0 else { return }
        do throws(CodecError) { write(try encoder.append(frames)) } catch { failure = EIO }
    }

    mutating func appendSilence(frames: Int) {
        let second = [Int16](repeating: 0, count: 96_000)
        for first in stride(from: 0, to: frames, by: 48_000) where failure == 0 {
            second.withUnsafeBufferPointer {
                append(UnsafeBufferPointer(rebasing: $0[..<(2 * min(48_000, frames - first))]))
            }
        }
    }

    mutating func finish() {
        guard failure == 0 else { return }
        do throws(CodecError) { write(try encoder.finish()) } catch { failure = EIO }
    }

    private mutating func write(_ page: [UInt8]) {
        guard failure == 0, !page.isEmpty else { return }
        var done = 0
        while done < page.count {
            let written = page.withUnsafeBytes { bytes in
                pwrite(descriptor, bytes.baseAddress.map { $0 + done }, page.count - done, byteCount + done)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                failure = written < 0 ? errno : EIO
                // A page that is cut off is none.
                _ = ftruncate(descriptor, byteCount)
                return
            }
            done += written
        }
        byteCount += page.count
    }
}
