internal import AudioLoop
internal import MediaDescription

/// What the media engine needs of an audio session: the seam at which tests lose devices.
protocol LoopSession: AnyObject, Sendable {
    var state: AudioSession.State { get }
    var statistics: AudioSessionStatistics { get }
    var scheduling: String { get }
    /// Devices that were to be used and were not, each with what is used instead.
    var passedOver: [String] { get }
    /// Where sound waits longer than it would with periods as they were asked for, and why.
    var remarks: [String] { get }
    var captureSummary: String { get }
    var playbackSummary: String { get }
    var periodMilliseconds: Double { get }
    func attach(_ call: CallAudio) throws(AudioSessionError)
    func detach(_ call: CallAudio)
    func setTone(_ tone: Tone?)
    func setRinging(_ ringing: Ringing?)
    func setVolume(capture: Int, playback: Int)
    func setProfile(_ profile: HandsFreeProfile)
    func stop()
    func close()
}

extension AudioSession: LoopSession {}

/// Opens a pair of devices, with periods of so many milliseconds, and tones; the descriptor is signalled at the session's
/// end. It may take long.
typealias SessionOpener =
    @Sendable (DevicePair, Int, CallProgressTones, Int32) throws(AudioSessionError) -> any LoopSession

/// Opens real devices.
let openAudioSession: SessionOpener = { pair, periodMilliseconds, tones, descriptor throws(AudioSessionError) in
    try AudioSession(
        capture: pair.capture, playback: pair.playback, periodMilliseconds: periodMilliseconds,
        tones: tones, signalling: descriptor)
}
