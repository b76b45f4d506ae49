public import CallModel

/// Whom a probe calls, and what it sends.
public struct ProbeWish: Sendable, Hashable {
    public static let secondsRange = 1...60
    public static let frequencyRange = 100...3_400
    public static let levelRange = -60...(-6)

    public var handle: Handle
    /// nil: the first account.
    public var account: String?
    /// How long it sends, 1...60.
    public var seconds: Int
    /// Of the tone in Hz, 100...3400.
    public var frequency: Int
    /// RMS in dBFS, -60...-6.
    public var level: Int
    /// The name of its call, by which it can be ended; nil: the daemon chooses.
    public var id: CallID?
    /// It goes on when nobody waits for its answer any more; else its call is ended then.
    public var isDetached: Bool

    public init(
        handle: Handle, account: String? = nil, seconds: Int = 5, frequency: Int = 1_000, level: Int = -20,
        id: CallID? = nil, isDetached: Bool = false
    ) {
        self.handle = handle
        self.account = account
        self.seconds = seconds
        self.frequency = frequency
        self.level = level
        self.id = id
        self.isDetached = isDetached
    }

    var params: JSONObject {
        var params: JSONObject = [
            "handle": handle.json, "seconds": JSONValue(seconds), "frequencyHz": JSONValue(frequency),
            "levelDbfs": JSONValue(level),
        ]
        if let account { params["account"] = .string(account) }
        if let id { params["id"] = .string(id.description) }
        if isDetached { params["detached"] = .bool(true) }
        return params
    }

    init(params: JSONObject) throws(ControlError) {
        guard let handle = params["handle"] else { throw .invalidParams("handle is missing: say whom to call") }
        self.init(handle: try Handle(parameter: handle), account: try params.optionalString("account"))
        seconds = try params.optionalInteger("seconds", in: Self.secondsRange) ?? seconds
        frequency = try params.optionalInteger("frequencyHz", in: Self.frequencyRange) ?? frequency
        level = try params.optionalInteger("levelDbfs", in: Self.levelRange) ?? level
        id = try params.optionalCallID("id")
        isDetached = try params.optionalBoolean("detached") ?? false
    }
}

/// What a probe has measured.
public struct ProbeReport: Sendable, Hashable {
    /// What came back.
    public struct Heard: Sendable, Hashable {
        /// RMS of the tone in dBFS.
        public var levelDbfs = 0.0
        public var frequencyHz = 0.0
        /// The tone against everything else in its place.
        public var snrDb = 0.0
        /// RMS before anything was sent; nil for digital silence.
        public var noiseDbfs: Double?
        /// From the sending of a sample to its being heard: the median, the least and the most of all seconds.
        public var delayMs = 0.0
        public var leastDelayMs = 0.0
        public var mostDelayMs = 0.0
        /// How often the tone was missing for 5 ms or more, for how long in all, and at once.
        public var gaps = 0
        public var gapMs = 0.0
        public var longestGapMs = 0.0
        public init() {}
    }

    public var handle: Handle
    public var codec: String?
    public var security: String?
    /// From dialling to the answer.
    public var connectMs = 0.0
    public var packetsSent = 0
    public var packetsReceived = 0
    /// Of those that were to come.
    public var lost = 0
    public var late = 0
    public var jitterMs = 0.0
    /// Percent of ours that the remote party reports as lost.
    public var remoteLostPercent = 0.0
    /// Its call was ended here before its time was over: the figures are of the seconds until then.
    public var isStopped = false
    /// nil where none of it came back within 0.9 s.
    public var heard: Heard?

    public init(handle: Handle) { self.handle = handle }

    /// Percent of the packets that were to come.
    public var lostPercent: Double {
        let expected = packetsReceived + lost
        return expected > 0 ? Double(lost) / Double(expected) * 100 : 0
    }

    public var json: JSONValue {
        var json: JSONObject = [
            "handle": handle.json, "codec": JSONValue(codec), "security": JSONValue(security),
            "connectMs": JSONValue(thousandths: connectMs), "packetsSent": JSONValue(packetsSent),
            "packetsReceived": JSONValue(packetsReceived), "lost": JSONValue(lost), "late": JSONValue(late),
            "lostPercent": JSONValue(thousandths: lostPercent), "jitterMs": JSONValue(thousandths: jitterMs),
            "remoteLostPercent": JSONValue(thousandths: remoteLostPercent), "stopped": .bool(isStopped),
            "heard": .null,
        ]
        if let heard {
            json["heard"] = [
                "levelDbfs": JSONValue(thousandths: heard.levelDbfs),
                "frequencyHz": JSONValue(thousandths: heard.frequencyHz), "snrDb": JSONValue(thousandths: heard.snrDb),
                "noiseDbfs": JSONValue(thousandths: heard.noiseDbfs), "delayMs": JSONValue(thousandths: heard.delayMs),
                "leastDelayMs": JSONValue(thousandths: heard.leastDelayMs),
                "mostDelayMs": JSONValue(thousandths: heard.mostDelayMs), "gaps": JSONValue(heard.gaps),
                "gapMs": JSONValue(thousandths: heard.gapMs),
                "longestGapMs": JSONValue(thousandths: heard.longestGapMs),
            ]
        }
        return .object(json)
    }

    public init?(json: JSONValue) {
        guard let kind = json["handle"]?["type"]?.string.flatMap(Handle.Kind.init(rawValue:)),
            let value = json["handle"]?["value"]?.string
        else { return nil }
        self.init(handle: Handle(kind: kind, value: value))
        codec = json["codec"]?.string
        security = json["security"]?.string
        connectMs = json["connectMs"]?.double ?? 0
        packetsSent = json["packetsSent"]?.integer ?? 0
        packetsReceived = json["packetsReceived"]?.integer ?? 0
        lost = json["lost"]?.integer ?? 0
        late = json["late"]?.integer ?? 0
        jitterMs = json["jitterMs"]?.double ?? 0
        remoteLostPercent = json["remoteLostPercent"]?.double ?? 0
        isStopped = json["stopped"]?.bool ?? false
        guard let found = json["heard"], found.object != nil else { return }
        var heard = Heard()
        heard.levelDbfs = found["levelDbfs"]?.double ?? 0
        heard.frequencyHz = found["frequencyHz"]?.double ?? 0
        heard.snrDb = found["snrDb"]?.double ?? 0
        heard.noiseDbfs = found["noiseDbfs"]?.double
        heard.delayMs = found["delayMs"]?.double ?? 0
        heard.leastDelayMs = found["leastDelayMs"]?.double ?? 0
        heard.mostDelayMs = found["mostDelayMs"]?.double ?? 0
        heard.gaps = found["gaps"]?.integer ?? 0
        heard.gapMs = found["gapMs"]?.double ?? 0
        heard.longestGapMs = found["longestGapMs"]?.double ?? 0
        self.heard = heard
    }
}
