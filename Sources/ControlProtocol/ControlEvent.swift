public import CallModel
public import FoundationEssentials
public import MediaDescription

/// Something clients are told of.
public enum ControlEvent: Sendable, Hashable {
    /// An outgoing call has begun.
    case callStarted(CallSnapshot)
    case callIncoming(CallSnapshot)
    /// `changed`: the names of the members that are new.
    case callUpdated(CallSnapshot, changed: [String])
    case callEnded(CallSnapshot)
    /// The remote party pressed a key: 0-9, A-D, `*`, `#`.
    case callDTMF(CallSnapshot, digit: Character, durationMs: Int)
    /// How far the call has come that the remote party makes because we transfer it: a SIP status, 100...199.
    case transferProgress(CallSnapshot, sipStatus: Int)
    case audioActivated
    case audioDeactivated
    /// A device went away; `message` names it and the reason.
    case audioInterrupted(message: String)
    case audioResumed
    /// A sound device could not be used and was passed over, or does not ring; `message` names it and the reason.
    case deviceFailed(message: String)
    /// How a call sounds here has become poor, or good again: `mos` is its mean opinion score of late, 1.0...4.5.
    case callQuality(CallSnapshot, mos: Double, poor: Bool)
    /// A recording has ended, and its file is complete.
    case recordingEnded(RecordingInfo)
    /// A call is not recorded, or no longer, as its file cannot be written; `message` says why.
    case recordingFailed(RecordingInfo, message: String)
    /// A file that was played to the remote party is no longer: it came to its end, or was broken off.
    case callPlayed(CallSnapshot, file: String, completed: Bool)
    case accountRegistered(AccountInfo)
    case accountUnregistered(AccountInfo)
    case accountFailed(AccountInfo)
    /// A stranger's request was dropped in silence: the first from an address within an hour.
    case requestDropped(StrangerInfo)
    /// The history has changed: how many missed calls nobody has seen.
    case historyChanged(missedCalls: Int)
    /// Do-not-disturb was switched by hand.
    case dndChanged(DoNotDisturbInfo)
    /// The ringer was silenced, or rings again.
    case ringerChanged(RingerInfo)
    /// Another profile is in force for the microphone, or configured, than before.
    case profileChanged(ProfileState)
    case daemonStopping

    /// The types of events.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case callStarted = "call.started"
        case callIncoming = "call.incoming"
        case callUpdated = "call.updated"
        case callEnded = "call.ended"
        case callDTMF = "call.dtmf"
        case callQuality = "call.quality"
        case callPlayed = "call.played"
        case recordingEnded = "recording.ended"
        case recordingFailed = "recording.failed"
        case transferProgress = "call.transferProgress"
        case audioActivated = "audio.activated"
        case audioDeactivated = "audio.deactivated"
        case audioInterrupted = "audio.interrupted"
        case audioResumed = "audio.resumed"
        case deviceFailed = "audio.deviceFailed"
        case accountRegistered = "account.registered"
        case accountUnregistered = "account.unregistered"
        case accountFailed = "account.failed"
        case requestDropped = "daemon.requestDropped"
        case historyChanged = "history.changed"
        case dndChanged = "dnd.changed"
        case ringerChanged = "ringer.changed"
        case profileChanged = "profile.changed"
        case daemonStopping = "daemon.stopping"
    }

    /// What it is.
    public var kind: Kind {
        switch self {
        case .callStarted: .callStarted
        case .callIncoming: .callIncoming
        case .callUpdated: .callUpdated
        case .callEnded: .callEnded
        case .callDTMF: .callDTMF
        case .callQuality: .callQuality
        case .callPlayed: .callPlayed
        case .recordingEnded: .recordingEnded
        case .recordingFailed: .recordingFailed
        case .transferProgress: .transferProgress
        case .audioActivated: .audioActivated
        case .audioDeactivated: .audioDeactivated
        case .audioInterrupted: .audioInterrupted
        case .audioResumed: .audioResumed
        case .deviceFailed: .deviceFailed
        case .accountRegistered: .accountRegistered
        case .accountUnregistered: .accountUnregistered
        case .accountFailed: .accountFailed
        case .requestDropped: .requestDropped
        case .historyChanged: .historyChanged
        case .dndChanged: .dndChanged
        case .ringerChanged: .ringerChanged
        case .profileChanged: .profileChanged
        case .daemonStopping: .daemonStopping
        }
    }

    /// The event's `type`.
    public var type: String { kind.rawValue }

    /// The `params` of the notification.
    public func params(seq: Int, time: Date) -> JSONObject {
        var params: JSONObject = ["seq": JSONValue(seq), "time": JSONValue(time), "type": .string(type)]
        switch self {
        case .callStarted(let call), .callIncoming(let call), .callEnded(let call):
            params["call"] = call.json
        case .callUpdated(let call, let changed):
            params["call"] = call.json
            params["changed"] = .array(changed.map(JSONValue.string))
        case .callDTMF(let call, let digit, let durationMs):
            params["digit"] = .string(String(digit))
            params["durationMs"] = JSONValue(durationMs)
            params["call"] = call.json
        case .callQuality(let call, let mos, let poor):
            params["mos"] = JSONValue(thousandths: mos)
            params["poor"] = .bool(poor)
            params["call"] = call.json
        case .callPlayed(let call, let file, let completed):
            params["file"] = .string(file)
            params["completed"] = .bool(completed)
            params["call"] = call.json
        case .recordingEnded(let recording): recording.write(to: &params)
        case .recordingFailed(let recording, let message):
            recording.write(to: &params)
            params["message"] = .string(message)
        case .transferProgress(let call, let sipStatus):
            params["sipStatus"] = JSONValue(sipStatus)
            params["call"] = call.json
        case .audioInterrupted(let message), .deviceFailed(let message): params["message"] = .string(message)
        case .accountRegistered(let account), .accountUnregistered(let account), .accountFailed(let account):
            params["account"] = account.json
        case .requestDropped(let stranger):
            for member in stranger.json.object?.members ?? [] { params[member.name] = member.value }
        case .historyChanged(let missedCalls): params["missedCalls"] = JSONValue(missedCalls)
        case .dndChanged(let state):
            for member in state.json.object?.members ?? [] { params[member.name] = member.value }
        case .ringerChanged(let ringer): params["silent"] = .bool(ringer.silent)
        case .profileChanged(let state):
            for member in state.members.members { params[member.name] = member.value }
        case .audioActivated, .audioDeactivated, .audioResumed, .daemonStopping: break
        }
        return params
    }

    /// Reads the `params` of a notification; nil for a type this version does not know.
    public init?(params: JSONObject) {
        let call = params["call"].flatMap(CallSnapshot.init(json:))
        let account = params["account"].flatMap(AccountInfo.init(json:))
        guard let kind = params["type"]?.string.flatMap(Kind.init(rawValue:)) else { return nil }
        switch (kind, call, account) {
        case (.callStarted, let call?, _): self = .callStarted(call)
        case (.callIncoming, let call?, _): self = .callIncoming(call)
        case (.callUpdated, let call?, _):
            self = .callUpdated(call, changed: params["changed"]?.array?.compactMap(\.string) ?? [])
        case (.callEnded, let call?, _): self = .callEnded(call)
        case (.callDTMF, let call?, _):
            guard let digit = params["digit"]?.string?.first else { return nil }
            self = .callDTMF(call, digit: digit, durationMs: params["durationMs"]?.integer ?? 0)
        case (.callQuality, let call?, _):
            guard let mos = params["mos"]?.double, let poor = params["poor"]?.bool else { return nil }
            self = .callQuality(call, mos: mos, poor: poor)
        case (.callPlayed, let call?, _):
            guard let file = params["file"]?.string else { return nil }
            self = .callPlayed(call, file: file, completed: params["completed"]?.bool ?? false)
        case (.recordingEnded, _, _):
            guard let recording = RecordingInfo(params: params) else { return nil }
            self = .recordingEnded(recording)
        case (.recordingFailed, _, _):
            guard let recording = RecordingInfo(params: params) else { return nil }
            self = .recordingFailed(recording, message: params["message"]?.string ?? "")
        case (.transferProgress, let call?, _):
            guard let sipStatus = params["sipStatus"]?.integer else { return nil }
            self = .transferProgress(call, sipStatus: sipStatus)
        case (.audioActivated, _, _): self = .audioActivated
        case (.audioDeactivated, _, _): self = .audioDeactivated
        case (.audioInterrupted, _, _): self = .audioInterrupted(message: params["message"]?.string ?? "")
        case (.audioResumed, _, _): self = .audioResumed
        case (.deviceFailed, _, _): self = .deviceFailed(message: params["message"]?.string ?? "")
        case (.accountRegistered, _, let account?): self = .accountRegistered(account)
        case (.accountUnregistered, _, let account?): self = .accountUnregistered(account)
        case (.accountFailed, _, let account?): self = .accountFailed(account)
        case (.requestDropped, _, _):
            guard let stranger = StrangerInfo(json: .object(params)) else { return nil }
            self = .requestDropped(stranger)
        case (.historyChanged, _, _):
            guard let missedCalls = params["missedCalls"]?.integer else { return nil }
            self = .historyChanged(missedCalls: missedCalls)
        case (.dndChanged, _, _):
            guard let state = DoNotDisturbInfo(json: .object(params)) else { return nil }
            self = .dndChanged(state)
        case (.ringerChanged, _, _):
            guard let ringer = RingerInfo(json: .object(params)) else { return nil }
            self = .ringerChanged(ringer)
        case (.profileChanged, _, _):
            guard let state = ProfileState(json: .object(params)) else { return nil }
            self = .profileChanged(state)
        case (.daemonStopping, _, _): self = .daemonStopping
        // A type that is about a call or an account, without it.
        case (.callStarted, _, _), (.callIncoming, _, _), (.callUpdated, _, _), (.callEnded, _, _), (.callDTMF, _, _),
            (.transferProgress, _, _), (.callQuality, _, _), (.callPlayed, _, _),
            (.accountRegistered, _, _), (.accountUnregistered, _, _), (.accountFailed, _, _):
            return nil
        }
    }
}
