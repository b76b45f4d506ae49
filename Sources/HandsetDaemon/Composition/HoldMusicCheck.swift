internal import ControlProtocol
internal import SoundDevices

/// The hold music that the configuration names, looked at before anybody is held.
enum HoldMusicCheck {
    /// What is wrong with it; nil: nothing, as far as it says itself. Reads the file: not for the event loop's thread.
    static func problem(ofFile path: String) -> ProblemInfo? {
        SoundClip.problem(ofFile: path, limit: SoundClip.longestHoldMusic).map {
            problem("\(path) cannot be played: \($0); who is held hears nothing")
        }
    }

    /// - Parameter message: names the file and the reason.
    static func problem(_ message: String) -> ProblemInfo { ProblemInfo(setting: "calls.hold_music", message: message) }
}
