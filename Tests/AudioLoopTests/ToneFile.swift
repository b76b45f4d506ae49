import Glibc
import SoundDevices

/// A WAV file of one tone, for as long as it lives.
final class ToneFile {
    let path: String

    init(hertz: Double, seconds: Double) throws {
        path = "/tmp/handset-ring-\(getpid())-\(Int(hertz))-\(UInt32.random(in: .min ... .max)).wav"
        var bytes = Array("RIFF....WAVEfmt ".utf8)
        func add(_ value: Int, _ count: Int) {
            for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
        }
        for (value, count) in [(16, 4), (1, 2), (1, 2), (48_000, 4), (96_000, 4), (2, 2), (16, 2)] {
            add(value, count)
        }
        bytes += Array("data".utf8)
        let frames = Int(seconds * 48_000)
        add(frames * 2, 4)
        for frame in 0..<frames { add(Int(10_000 * sin(2 * .pi * hertz * Double(frame) / 48_000)), 2) }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
    }

    func clip() throws -> SoundClip { try SoundClip(path: path) }

    deinit { unlink(path) }
}
