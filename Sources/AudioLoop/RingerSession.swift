internal import Glibc
public import SoundDevices

/// The ringer on a device of its own, which is opened for playback only and has a loop of its own, without calls.
///
/// A device on which an audio session is open already is rung by that session (`AudioSession.setRinging`): a PCM is never
/// opened twice. Safe from any thread.
public final class RingerSession: Sendable {
    private let session: AudioSession

    /// Opens the device, and rings. May take long: not for the event loop's thread.
    ///
    /// - Parameter descriptor: an eventfd that is signalled when the device's loop has ended; -1 for none.
    public init(
        device: DeviceName, ringing: Ringing, periodMilliseconds: Int = 10, signalling descriptor: Int32 = -1
    ) throws(AudioSessionError) {
        session = try AudioSession(
            capture: nil, playback: device, periodMilliseconds: periodMilliseconds, signalling: descriptor)
        session.setRinging(ringing)
    }

    /// Why the device no longer plays; nil while it does.
    public var loss: String? {
        if case .lost(let message) = session.state { message } else { nil }
    }

    /// Fades the ring tone out, within a turn. Returns at once.
    public func silence() { session.setRinging(nil) }

    /// Ends the loop and closes the device. Waits at most a second, usually 50 ms: not for the event loop's thread.
    public func close() {
        silence()
        // Long enough for the fade to be heard: what lies ahead of the loudspeaker is dropped at the end.
        if session.state == .running { usleep(40_000) }
        session.stop()
        session.close()
    }
}
