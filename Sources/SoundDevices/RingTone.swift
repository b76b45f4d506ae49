internal import Realtime

/// A ring tone out of a WAV file: decoded when it is made, and never changed. Loops read it as long as it lives.
///
/// `@unchecked`: what `samples` points to is only read.
public final class RingTone: @unchecked Sendable {
    /// Seconds of a ring tone, at most: it lies in memory.
    public static let mostSeconds = 30

    /// Where a loop finds it.
    public struct Samples: BitwiseCopyable {
        public let first: UnsafePointer<Int16>
        /// At 48 kHz, 1 or more.
        public let count: Int
    }

    /// Points to memory of this object.
    public let samples: UnsafePointer<Samples>
    private let sound: LoopedSound
    private let memory: LockedBuffer

    /// Reads a WAV file of at most `mostSeconds`. May take a moment: not for the event loop's thread.
    public init(path: String) throws(SoundDeviceError) {
        do throws(WaveError) {
            sound = try LoopedSound(path: path, limit: Self.mostSeconds)
            guard let first = sound.content.baseAddress, sound.frameCount > 0 else { throw WaveError.noData }
            memory = LockedBuffer(byteCount: MemoryLayout<Samples>.stride)
            let place = memory.base.bindMemory(to: Samples.self, capacity: 1)
            place.initialize(to: Samples(first: first, count: sound.frameCount))
            samples = UnsafePointer(place)
        } catch {
            throw SoundDeviceError(.open, path, .playback, code: error.code, message: error.description)
        }
    }
}
