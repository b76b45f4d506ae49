import Glibc
import SoundDevices

/// A sound file: WAV, Ogg Opus, or whatever begins like one of them.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard ScratchFile.put(start, count) else { return 0 }
    do throws(SoundDeviceError) {
        let clip = try SoundClip(path: ScratchFile.path)
        let sound = UnsafeBufferPointer(start: clip.samples.pointee.first, count: clip.samples.pointee.count)
        precondition(1...SoundClip.longestRingTone * 48_000 + 1 ~= sound.count, "a length out of bounds")
        // Each must be there.
        _ = sound.reduce(0) { $0 &+ Int($1) }
    } catch {
        precondition(!error.message.isEmpty, "an error that says nothing")
    }
    return 0
}

/// A file in memory that is written anew for each input.
private enum ScratchFile {
    static let path = "/dev/shm/handset-fuzz-sound-\(getpid())"
    private static let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)

    static func put(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Bool {
        ftruncate(descriptor, 0) == 0 && pwrite(descriptor, start, count, 0) == count
    }
}
