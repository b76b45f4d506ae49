public import Realtime
public import SoundDevices

/// Why an audio session could not be opened or take a call.
public enum AudioSessionError: Error, Hashable, Sendable, CustomStringConvertible {
    case device(SoundDeviceError)
    case thread(RealtimeThreadError)
    /// The loop has ended.
    case ended
    /// A session takes sixteen calls at once.
    case tooManyCalls
    /// Another session's loop has not let the call go yet.
    case callIsElsewhere

    public var description: String {
        switch self {
        case .device(let error): error.description
        case .thread(let error): error.description
        case .ended: "the audio session has ended; open a new one"
        case .tooManyCalls: "the audio session has sixteen calls already; end one first"
        case .callIsElsewhere: "the call is still with another audio session; close that one first"
        }
    }
}

/// Figures of an audio session since it was opened.
public struct AudioSessionStatistics: Sendable, Hashable {
    public var turns = 0
    public var xruns = 0
    /// Waits of 100 ms in which the devices did not move.
    public var stalls = 0
    /// Turns given up at once because far too much lay ahead of the loudspeaker.
    public var corrections = 0
    /// Work of a turn, waiting for the card not counted.
    public var work = LoopTimes()
    /// How late a turn began: what the loop's wake-up takes.
    public var wake = LoopTimes()
    /// Turns that were not done when the next one was due.
    public var missedDeadlines = 0
    /// nil before the first.
    public var lastXrun: Xrun?
    /// How old the oldest sound of the microphone is that a turn gets, in milliseconds; smoothed.
    public var captureWait = 0.0
    /// How long after a turn began its first sound is heard, in milliseconds; smoothed.
    public var playbackWait = 0.0
    /// What is to lie ahead of the loudspeaker when a turn is due, in milliseconds.
    public var playbackFill = 0.0
    /// How much faster the loop turns than the loudspeaker plays, in parts per million; 0 where they have one clock.
    public var playbackDrift = 0.0
    /// nil where no echo is cancelled.
    public var echo: EchoStatistics?

    public init() {}
}

/// Figures of the echo canceller.
public struct EchoStatistics: Sendable, Hashable {
    /// By how much the echo is quieter than the microphone hears it while the other party speaks alone (ERLE), in dB; nil
    /// before that has happened.
    public var returnLossEnhancement: Double?
    /// The same of the adaptive filter alone, before what it leaves over is suppressed.
    public var cancelled: Double?
    /// The filter has found the echo.
    public var isConverged = false
    /// From the sound's being handed to the loudspeaker to its echo's being read, in ms; nil before it is known.
    public var delayMilliseconds: Double?
    /// Times that the loudspeaker's sound was laid out anew on the microphone's clock: at the start, and where sound broke off.
    public var alignments = 0

    public init() {}
}
