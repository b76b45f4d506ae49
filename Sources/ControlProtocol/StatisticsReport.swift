public import CallModel

/// Figures of one call's sound since it began.
public struct CallFigures: Sendable, Hashable {
    public struct Sent: Sendable, Hashable {
        public var packets = 0
        public var octets = 0
        /// Packets that carried earlier sound once more (RFC 2198).
        public var redundant = 0
        /// Encoded, and not taken by the network thread in time.
        public var dropped = 0
        /// Refused by the kernel, or by SRTP.
        public var failed = 0
        /// Of the last second, dB below full scale; nil for digital silence.
        public var levelDbfs: Double?
        public init() {}
    }

    public struct Received: Sendable, Hashable {
        public var packets = 0
        public var octets = 0
        public var lost = 0
        /// Came after their turn to be played.
        public var late = 0
        /// Malformed, or failed authentication.
        public var invalid = 0
        /// From a source that is not, or not yet, the peer's.
        public var foreign = 0
        /// Of numbers far from all that had come before.
        public var outOfWindow = 0
        /// Found no room on the way to the audio loop.
        public var dropped = 0
        /// Did not come, and were brought by a later packet (RFC 2198).
        public var recovered = 0
        /// Milliseconds of sound that had to be made up.
        public var concealedMs = 0.0
        public var levelDbfs: Double?
        public init() {}
    }

    /// How the peer receives us, as it reports it.
    public struct Remote: Sendable, Hashable {
        /// Percent of our packets lost between its last two reports.
        public var lostPercent = 0.0
        /// Percent that came too late since the call began; nil where it does not say.
        public var latePercent: Double?
        /// Its mean opinion score of us, 1.0...5.0; nil where it does not say.
        public var mos: Double?
        public init() {}
    }

    /// The gates of the call (handset-control(7)).
    public struct Gate: Sendable, Hashable {
        public var held = false
        public var muted = false
        public var earmuffed = false
        /// Whether the audio loop has acknowledged them.
        public var applied = true
        public init() {}
    }

    public var id: CallID
    public var codec: String?
    public var security: String?
    public var sent = Sent()
    public var received = Received()
    public var jitterMs = 0.0
    /// nil before the first RTCP round trip.
    public var roundTripMs: Double?
    public var bufferMs = 0.0
    /// Where the delay is.
    public var delayMs = DelayParts()
    /// Mean opinion score (ITU-T G.107) of what is heard here, 1.0...4.5: of the last seconds, of the whole call and of its
    /// worst seconds; nil before the first measurement.
    public var mos: Double?
    public var meanMos: Double?
    public var lowestMos: Double?
    public var remote = Remote()
    public var playout = PlayoutDecisions()
    public var gate = Gate()

    public init(id: CallID) { self.id = id }

    public var json: JSONValue {
        [
            "id": .string(id.description), "codec": JSONValue(codec), "security": JSONValue(security),
            "sent": sent.json, "received": received.json,
            "jitterMs": JSONValue(thousandths: jitterMs), "roundTripMs": JSONValue(thousandths: roundTripMs),
            "bufferMs": JSONValue(thousandths: bufferMs), "delayMs": delayMs.json, "mos": JSONValue(thousandths: mos),
            "meanMos": JSONValue(thousandths: meanMos), "lowestMos": JSONValue(thousandths: lowestMos),
            "remote": [
                "lostPercent": JSONValue(thousandths: remote.lostPercent),
                "latePercent": JSONValue(thousandths: remote.latePercent), "mos": JSONValue(thousandths: remote.mos),
            ],
            "playout": playout.json,
            "gate": [
                "held": .bool(gate.held), "muted": .bool(gate.muted), "earmuffed": .bool(gate.earmuffed),
                "applied": .bool(gate.applied),
            ],
        ]
    }

    public init?(json: JSONValue) {
        guard let id = json["id"]?.string.flatMap({ CallID($0) }) else { return nil }
        self.init(id: id)
        codec = json["codec"]?.string
        security = json["security"]?.string
        sent = json["sent"].map(Sent.init(json:)) ?? Sent()
        received = json["received"].map(Received.init(json:)) ?? Received()
        jitterMs = json["jitterMs"]?.double ?? 0
        roundTripMs = json["roundTripMs"]?.double
        bufferMs = json["bufferMs"]?.double ?? 0
        delayMs = json["delayMs"].map(DelayParts.init(json:)) ?? .init()
        mos = json["mos"]?.double
        meanMos = json["meanMos"]?.double
        lowestMos = json["lowestMos"]?.double
        remote.lostPercent = json["remote"]?["lostPercent"]?.double ?? 0
        remote.latePercent = json["remote"]?["latePercent"]?.double
        remote.mos = json["remote"]?["mos"]?.double
        playout = json["playout"].map(PlayoutDecisions.init(json:)) ?? .init()
        gate.held = json["gate"]?["held"]?.bool ?? false
        gate.muted = json["gate"]?["muted"]?.bool ?? false
        gate.earmuffed = json["gate"]?["earmuffed"]?.bool ?? false
        gate.applied = json["gate"]?["applied"]?.bool ?? false
    }
}

/// Figures of the audio loop in the present or the last session.
public struct LoopFigures: Sendable, Hashable {
    public var turns = 0
    public var xruns = 0
    /// nil before the first.
    public var lastXrun: LastXrun?
    public var periodMs = 0.0
    /// What is to lie ahead of the loudspeaker when a turn is due; 0 where that is no card.
    public var playbackFillMs = 0.0
    /// Work of a turn.
    public var turn = TurnTimes()
    /// How late a turn began.
    public var wake = TurnTimes()
    /// Turns that were not done when the next one was due.
    public var missedDeadlines = 0
    /// How much faster the loop turns than the loudspeaker plays, in parts per million; 0 where they have one clock.
    public var playbackDriftPpm = 0.0
    public var echo = Echo()
    public init() {}

    /// What the echo canceller has done.
    public struct Echo: Sendable, Hashable {
        /// By how much the echo is quieter than the microphone hears it (ERLE), in dB; nil where none is cancelled, or none
        /// was heard yet, or not since its way has changed.
        public var erleDb: Double?
        /// The same of the adaptive filter alone.
        public var cancelledDb: Double?
        /// From the sound's being handed to the loudspeaker to its echo's being read; nil before it is known.
        public var delayMs: Double?
        public var converged = false
        /// Times that the loudspeaker's sound was laid out anew on the microphone's clock.
        public var alignments = 0
        public init() {}

        var json: JSONValue {
            [
                "erleDb": JSONValue(thousandths: erleDb), "cancelledDb": JSONValue(thousandths: cancelledDb),
                "delayMs": JSONValue(thousandths: delayMs), "converged": .bool(converged),
                "alignments": JSONValue(alignments),
            ]
        }

        init(json: JSONValue) {
            erleDb = json["erleDb"]?.double
            cancelledDb = json["cancelledDb"]?.double
            delayMs = json["delayMs"]?.double
            converged = json["converged"]?.bool ?? false
            alignments = json["alignments"]?.integer ?? 0
        }
    }

    public var json: JSONValue {
        var members: JSONObject = [
            "turns": JSONValue(turns), "xruns": JSONValue(xruns), "periodMs": JSONValue(thousandths: periodMs),
            "playbackFillMs": JSONValue(thousandths: playbackFillMs), "lastXrun": lastXrun?.json ?? .null,
        ]
        turn.write(to: &members, as: "turnMicros")
        wake.write(to: &members, as: "wakeMicros")
        members["missedDeadlines"] = JSONValue(missedDeadlines)
        members["playbackDriftPpm"] = JSONValue(thousandths: playbackDriftPpm)
        members["echo"] = echo.json
        return .object(members)
    }

    public init(json: JSONValue) {
        turns = json["turns"]?.integer ?? 0
        xruns = json["xruns"]?.integer ?? 0
        periodMs = json["periodMs"]?.double ?? 0
        playbackFillMs = json["playbackFillMs"]?.double ?? 0
        lastXrun = json["lastXrun"].flatMap(LastXrun.init(json:))
        turn = TurnTimes(json, "turnMicros")
        wake = TurnTimes(json, "wakeMicros")
        missedDeadlines = json["missedDeadlines"]?.integer ?? 0
        playbackDriftPpm = json["playbackDriftPpm"]?.double ?? 0
        echo = json["echo"].map(Echo.init(json:)) ?? Echo()
    }
}

/// The result of `stats.get`.
public struct StatisticsReport: Sendable, Hashable {
    public var calls: [CallFigures]
    public var loop: LoopFigures
    /// Of the loop that the calls of services have to themselves; nil before the first of them.
    public var serviceLoop: LoopFigures?

    public init(calls: [CallFigures], loop: LoopFigures, serviceLoop: LoopFigures? = nil) {
        self.calls = calls
        self.loop = loop
        self.serviceLoop = serviceLoop
    }

    public var json: JSONValue {
        ["calls": .array(calls.map(\.json)), "loop": loop.json, "serviceLoop": serviceLoop?.json ?? .null]
    }

    public init?(json: JSONValue) {
        guard let calls = json["calls"]?.array else { return nil }
        self.init(
            calls: calls.compactMap(CallFigures.init(json:)), loop: json["loop"].map(LoopFigures.init(json:)) ?? .init()
        )
        if let found = json["serviceLoop"], found.object != nil { serviceLoop = LoopFigures(json: found) }
    }
}
