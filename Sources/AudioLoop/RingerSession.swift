internal import Glibc
public import SoundDevices

/// The ringer on its own devices: each is opened for playback only and has a loop of its own, without calls.
///
/// A device on which an audio session is open already is rung by that session (`AudioSession.setRinging`): a PCM is never
/// opened twice. Safe from any thread.
public final class RingerSession: Sendable {
    private let sessions: [AudioSession]
    /// Why some of the devices do not ring.
    public let failures: [AudioSessionError]

    /// Opens all devices that open, and rings. May take long: not for the event loop's thread.
    ///
    /// Throws the first device's error where none opens.
    ///
    /// - Parameter descriptor: an eventfd that is signalled when a device's loop has ended; -1 for none.
    public init(
        devices: [DeviceName], periodMilliseconds: Int = 10, signalling descriptor: Int32 = -1
    ) throws(AudioSessionError) {
        var sessions: [AudioSession] = []
        var failures: [AudioSessionError] = []
        for device in devices {
            do throws(AudioSessionError) {
                let session = try AudioSession(
                    capture: nil, playback: device, periodMilliseconds: periodMilliseconds, signalling: descriptor)
                session.setRinging(true)
                sessions.append(session)
            } catch {
                failures.append(error)
            }
        }
        if sessions.isEmpty, let first = failures.first { throw first }
        self.sessions = sessions
        self.failures = failures
    }

    /// Whether any of the devices still plays.
    public var isRinging: Bool { sessions.contains { $0.state == .running } }

    /// Fades the ring tone out, within a turn. Returns at once.
    public func silence() {
        for session in sessions { session.setRinging(false) }
    }

    /// Ends all loops and closes the devices. Waits at most a second for each, usually 50 ms: not for the event
    /// loop's thread.
    public func close() {
        silence()
        // Long enough for the fade to be heard: what lies ahead of the loudspeaker is dropped at the end.
        if isRinging { usleep(40_000) }
        for session in sessions { session.stop() }
        for session in sessions { session.close() }
    }
}
