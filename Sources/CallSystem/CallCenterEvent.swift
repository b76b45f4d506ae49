public import CallModel
public import MediaDescription

/// What the calls tell the world, in the order in which it happened.
public enum CallCenterEvent: Sendable {
    /// An outgoing call was begun.
    case started(CallSnapshot)
    /// A call came in and rings.
    case incoming(CallSnapshot)
    /// A call has changed: the whole of it, and the names of its members that are new.
    case updated(CallSnapshot, changed: [String])
    /// A call is over and gone from the list.
    case ended(CallSnapshot)
    /// The remote party pressed a key: 0-9, A-D, `*`, `#`.
    case digit(CallSnapshot, Character, milliseconds: Int)
    /// How far the call has come that the remote party makes because we transfer it: a SIP status, 100...199.
    case transferProgress(CallSnapshot, sipStatus: Int)
    case audioActivated
    case audioDeactivated
    /// The sound is gone, the calls go on; `message` names the device and the reason.
    case audioInterrupted(message: String)
    case audioResumed
    /// A sound device could not be used and was passed over, or does not ring; `message` names it and the reason.
    case deviceFailed(message: String)
    /// The hold music cannot be played, and who is held hears nothing; `message` names the file and the reason.
    case holdMusicFailed(message: String)
    /// Something about the sound that is worth a line in the log, and no more.
    case audioRemark(message: String)
    /// Another profile is in force, or configured, than before.
    case profileChanged(ProfileState)
    /// How a call sounds here has become poor, or good again, with its mean opinion score of late.
    case quality(CallSnapshot, score: Double, isPoor: Bool)
    /// A recording has ended: its file is complete, unless it failed.
    case recordingEnded(RecordingEnd)
    /// A file that was played to a call's remote party is no longer: it came to its end, or was broken off.
    case played(CallSnapshot, file: String, completed: Bool)
    /// An account became registered or unregistered, or failed to register.
    case account(AccountStatus)
    /// A stranger's request was dropped in silence.
    case stranger(address: String, count: Int)

    /// The event's type as control clients see it.
    public var type: String {
        switch self {
        case .started: "call.started"
        case .incoming: "call.incoming"
        case .updated: "call.updated"
        case .ended: "call.ended"
        case .digit: "call.dtmf"
        case .transferProgress: "call.transferProgress"
        case .audioActivated: "audio.activated"
        case .audioDeactivated: "audio.deactivated"
        case .audioInterrupted: "audio.interrupted"
        case .audioResumed: "audio.resumed"
        case .deviceFailed: "audio.deviceFailed"
        case .holdMusicFailed: "audio.holdMusicFailed"
        case .audioRemark: "audio.remark"
        case .profileChanged: "profile.changed"
        case .quality: "call.quality"
        case .recordingEnded(let end): end.failure == nil ? "recording.ended" : "recording.failed"
        case .played: "call.played"
        case .account(let status):
            switch status.state {
            case .registered: "account.registered"
            case .failed: "account.failed"
            case .unregistered, .registering: "account.unregistered"
            }
        case .stranger: "daemon.requestDropped"
        }
    }
}
