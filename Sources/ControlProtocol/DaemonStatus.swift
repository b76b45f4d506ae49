public import FoundationEssentials
public import MediaDescription

/// An account as clients see it.
public struct AccountInfo: Sendable, Hashable {
    public var name: String
    /// `unregistered` (it has no registrar), `registering`, `registered` or `failed`.
    public var state: String
    /// Whether the registrar answered what was last sent to it.
    public var reachable: Bool
    public var expiresAt: Date?
    public var lastError: String?

    public init(name: String, state: String, reachable: Bool, expiresAt: Date? = nil, lastError: String? = nil) {
        self.name = name
        self.state = state
        self.reachable = reachable
        self.expiresAt = expiresAt
        self.lastError = lastError
    }

    public var json: JSONValue {
        [
            "name": .string(name), "state": .string(state), "reachable": .bool(reachable),
            "expiresAt": JSONValue(expiresAt), "lastError": JSONValue(lastError),
        ]
    }

    public init?(json: JSONValue) {
        guard let name = json["name"]?.string, let state = json["state"]?.string else { return nil }
        self.init(
            name: name, state: state, reachable: json["reachable"]?.bool ?? false, expiresAt: json["expiresAt"]?.date,
            lastError: json["lastError"]?.string)
    }
}

/// The audio session as `daemon.status` shows it.
public struct AudioInfo: Sendable, Hashable {
    /// `inactive`, `active` or `interrupted`.
    public var state = "inactive"
    /// The devices that are open, or that would be tried first.
    public var capture = ""
    public var playback = ""
    /// `SCHED_FIFO` and its priority, or why not; empty before the first session.
    public var scheduling = ""
    /// What is done to the microphone's sound, and what the configuration says of it.
    public var profile = ProfileState()
    public init() {}

    public var json: JSONValue {
        [
            "state": .string(state), "capture": .string(capture), "playback": .string(playback),
            "scheduling": .string(scheduling), "profile": .string(profile.current.rawValue),
            "configuredProfile": .string(profile.configured.rawValue),
        ]
    }

    public init(json: JSONValue) {
        state = json["state"]?.string ?? ""
        capture = json["capture"]?.string ?? ""
        playback = json["playback"]?.string ?? ""
        scheduling = json["scheduling"]?.string ?? ""
        let named = { (member: String) in json[member]?.string.flatMap(HandsFreeProfile.init(rawValue:)) }
        profile = ProfileState(
            current: named("profile") ?? .line, configured: named("configuredProfile") ?? named("profile") ?? .line)
    }
}

/// Somebody whose requests are dropped in silence because no account and no `accept_from` lets them in.
public struct StrangerInfo: Sendable, Hashable {
    /// Numeric IP address.
    public var address: String
    /// Requests dropped so far.
    public var count: Int
    /// The line of configuration that would let them in.
    public var advice: String

    public init(address: String, count: Int, advice: String) {
        self.address = address
        self.count = count
        self.advice = advice
    }

    public var json: JSONValue {
        ["address": .string(address), "count": JSONValue(count), "advice": .string(advice)]
    }

    public init?(json: JSONValue) {
        guard let address = json["address"]?.string else { return nil }
        self.init(address: address, count: json["count"]?.integer ?? 0, advice: json["advice"]?.string ?? "")
    }
}

/// Something that the configuration or a user asks for and the daemon cannot do, and goes on without.
public struct ProblemInfo: Sendable, Hashable, CustomStringConvertible {
    /// What asks for it: a setting such as `block.files`, or a section.
    public var setting: String
    /// What is wrong, with what.
    public var message: String

    public init(setting: String, message: String) {
        self.setting = setting
        self.message = message
    }

    public var description: String { "\(setting): \(message)" }

    public var json: JSONValue { ["setting": .string(setting), "message": .string(message)] }

    public init?(json: JSONValue) {
        guard let message = json["message"]?.string else { return nil }
        self.init(setting: json["setting"]?.string ?? "", message: message)
    }
}

/// The result of `daemon.status`.
public struct DaemonStatus: Sendable, Hashable {
    public var version: String
    /// Another one after each start.
    public var instance: String
    /// The configuration file, as the daemon was told its path; nil where it has none.
    public var configuration: String?
    public var accounts: [AccountInfo] = []
    public var audio = AudioInfo()
    /// Missed calls that nobody has seen.
    public var missedCalls = 0
    public var doNotDisturb = DoNotDisturbInfo(on: false, scheduled: false)
    public var ringer = RingerInfo(silent: false)
    public var records = RecordsInfo()
    /// What the daemon goes on without.
    public var problems: [ProblemInfo] = []
    public var droppedRequests = 0
    /// The last few strangers, the latest first.
    public var strangers: [StrangerInfo] = []
    public var uptimeSeconds = 0.0

    public init(version: String, instance: String) {
        self.version = version
        self.instance = instance
    }

    public var json: JSONValue {
        [
            "version": .string(version), "instance": .string(instance), "configuration": JSONValue(configuration),
            "accounts": .array(accounts.map(\.json)), "audio": audio.json,
            "missedCalls": JSONValue(missedCalls), "doNotDisturb": doNotDisturb.json,
            "ringer": ringer.json, "records": records.json, "problems": .array(problems.map(\.json)),
            "droppedRequests": JSONValue(droppedRequests),
            "strangers": .array(strangers.map(\.json)), "uptimeSeconds": JSONValue(thousandths: uptimeSeconds),
        ]
    }

    public init?(json: JSONValue) {
        guard let version = json["version"]?.string, let instance = json["instance"]?.string else { return nil }
        self.init(version: version, instance: instance)
        configuration = json["configuration"]?.string
        accounts = json["accounts"]?.array?.compactMap(AccountInfo.init(json:)) ?? []
        audio = json["audio"].map(AudioInfo.init(json:)) ?? AudioInfo()
        missedCalls = json["missedCalls"]?.integer ?? 0
        doNotDisturb = json["doNotDisturb"].flatMap(DoNotDisturbInfo.init(json:)) ?? doNotDisturb
        ringer = json["ringer"].flatMap(RingerInfo.init(json:)) ?? ringer
        records = json["records"].map(RecordsInfo.init(json:)) ?? RecordsInfo()
        problems = json["problems"]?.array?.compactMap(ProblemInfo.init(json:)) ?? []
        droppedRequests = json["droppedRequests"]?.integer ?? 0
        strangers = json["strangers"]?.array?.compactMap(StrangerInfo.init(json:)) ?? []
        uptimeSeconds = json["uptimeSeconds"]?.double ?? 0
    }
}

/// The result of `daemon.reload`.
public struct ReloadReport: Sendable, Hashable {
    /// Keys whose new values are in force.
    public var applied: [String]
    /// Keys whose new values wait for a restart.
    public var needRestart: [String]
    /// What is wrong with the lists that the configuration names, for people: each begins with the path of a file, of which
    /// the rest is in force.
    public var problems: [String]

    public init(applied: [String], needRestart: [String], problems: [String] = []) {
        self.applied = applied
        self.needRestart = needRestart
        self.problems = problems
    }

    public var json: JSONValue {
        [
            "applied": .array(applied.map(JSONValue.string)), "needRestart": .array(needRestart.map(JSONValue.string)),
            "problems": .array(problems.map(JSONValue.string)),
        ]
    }

    public init(json: JSONValue) {
        applied = json["applied"]?.array?.compactMap(\.string) ?? []
        needRestart = json["needRestart"]?.array?.compactMap(\.string) ?? []
        problems = json["problems"]?.array?.compactMap(\.string) ?? []
    }
}

/// A sound device of this machine.
public struct DeviceInfo: Sendable, Hashable {
    /// As the configuration names it: `alsa:NAME` or `file:IN.wav,OUT.wav`.
    public var name: String
    public var description: String
    public var capture: Bool
    public var playback: Bool
    /// Whether the audio session has it open now.
    public var open: Bool

    public init(name: String, description: String, capture: Bool, playback: Bool, open: Bool) {
        self.name = name
        self.description = description
        self.capture = capture
        self.playback = playback
        self.open = open
    }

    public var json: JSONValue {
        [
            "name": .string(name), "description": .string(description), "capture": .bool(capture),
            "playback": .bool(playback), "open": .bool(open),
        ]
    }

    public init?(json: JSONValue) {
        guard let name = json["name"]?.string else { return nil }
        self.init(
            name: name, description: json["description"]?.string ?? "", capture: json["capture"]?.bool ?? false,
            playback: json["playback"]?.bool ?? false, open: json["open"]?.bool ?? false)
    }
}

/// The result of `volume.set`: what is set now, 0...100; nil where the daemon leaves that side to others.
public struct VolumeInfo: Sendable, Hashable {
    public var capture: Int?
    public var playback: Int?
    /// Where it was set: whether it is still so after a restart.
    public var saved: Bool?

    public init(capture: Int?, playback: Int?, saved: Bool? = nil) {
        self.capture = capture
        self.playback = playback
        self.saved = saved
    }

    public var json: JSONValue {
        var members: JSONObject = ["capture": JSONValue(capture), "playback": JSONValue(playback)]
        if let saved { members["saved"] = .bool(saved) }
        return .object(members)
    }

    public init(json: JSONValue) {
        capture = json["capture"]?.integer
        playback = json["playback"]?.integer
        saved = json["saved"]?.bool
    }
}
