internal import Realtime

/// A sound out of a WAV or Ogg Opus file, such as a ring tone: decoded when it is made, and never changed. Loops read it
/// as long as it lives.
///
/// `@unchecked`: what `samples` points to is only read.
public final class SoundClip: @unchecked Sendable {
    /// Seconds of a ring tone, at most: it lies in memory.
    public static let longestRingTone = 30
    /// Seconds of hold music, at most: 58 MB.
    public static let longestHoldMusic = 600

    /// Where a loop finds it.
    public struct Samples: BitwiseCopyable {
        public let first: UnsafePointer<Int16>
        /// At 48 kHz, 1 or more.
        public let count: Int
    }

    /// Points to memory of this object.
    public let samples: UnsafePointer<Samples>
    private let sound: DecodedSound
    private let memory: LockedBuffer

    /// One of samples that are given, 1 or more.
    public init(_ content: [Int16]) {
        sound = DecodedSound(content)
        memory = LockedBuffer(byteCount: MemoryLayout<Samples>.stride)
        let place = memory.base.bindMemory(to: Samples.self, capacity: 1)
        guard let first = sound.content.baseAddress else { preconditionFailure("a clip without a sample") }
        place.initialize(to: Samples(first: first, count: sound.content.count))
        samples = UnsafePointer(place)
    }

    /// Why a file cannot be played, by what it says of itself; nil where it can. Its sound is not decoded, which may be damaged
    /// all the same. May take a moment: not for the event loop's thread.
    ///
    /// - Parameter seconds: of sound, at most.
    public static func problem(ofFile path: String, limit seconds: Int = longestRingTone) -> String? {
        do throws(SoundFileError) {
            guard try DecodedSound.frameCount(path: path, limit: seconds) > 0 else { throw SoundFileError.noData }
            return nil
        } catch { return error.description }
    }

    /// Reads a file of at most `seconds`. May take a moment: not for the event loop's thread.
    public init(path: String, limit seconds: Int = longestRingTone) throws(SoundDeviceError) {
        do throws(SoundFileError) {
            sound = try DecodedSound(path: path, limit: seconds)
            guard let first = sound.content.baseAddress, sound.content.count > 0 else { throw SoundFileError.noData }
            memory = LockedBuffer(byteCount: MemoryLayout<Samples>.stride)
            let place = memory.base.bindMemory(to: Samples.self, capacity: 1)
            place.initialize(to: Samples(first: first, count: sound.content.count))
            samples = UnsafePointer(place)
        } catch {
            throw SoundDeviceError(.open, path, .playback, code: error.code, message: error.description)
        }
    }
}
