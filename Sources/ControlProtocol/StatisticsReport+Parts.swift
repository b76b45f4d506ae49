public import CallModel
public import FoundationEssentials

extension CallFigures.Sent {
    var json: JSONValue {
        [
            "packets": JSONValue(packets), "octets": JSONValue(octets), "redundant": JSONValue(redundant),
            "dropped": JSONValue(dropped), "failed": JSONValue(failed), "levelDbfs": JSONValue(thousandths: levelDbfs),
        ]
    }

    init(json: JSONValue) {
        self.init()
        packets = json["packets"]?.integer ?? 0
        octets = json["octets"]?.integer ?? 0
        redundant = json["redundant"]?.integer ?? 0
        dropped = json["dropped"]?.integer ?? 0
        failed = json["failed"]?.integer ?? 0
        levelDbfs = json["levelDbfs"]?.double
    }
}

extension CallFigures.Received {
    var json: JSONValue {
        [
            "packets": JSONValue(packets), "octets": JSONValue(octets), "lost": JSONValue(lost),
            "late": JSONValue(late), "invalid": JSONValue(invalid), "foreign": JSONValue(foreign),
            "outOfWindow": JSONValue(outOfWindow), "dropped": JSONValue(dropped), "recovered": JSONValue(recovered),
            "concealedMs": JSONValue(thousandths: concealedMs), "levelDbfs": JSONValue(thousandths: levelDbfs),
        ]
    }

    init(json: JSONValue) {
        self.init()
        packets = json["packets"]?.integer ?? 0
        octets = json["octets"]?.integer ?? 0
        lost = json["lost"]?.integer ?? 0
        late = json["late"]?.integer ?? 0
        invalid = json["invalid"]?.integer ?? 0
        foreign = json["foreign"]?.integer ?? 0
        outOfWindow = json["outOfWindow"]?.integer ?? 0
        dropped = json["dropped"]?.integer ?? 0
        recovered = json["recovered"]?.integer ?? 0
        concealedMs = json["concealedMs"]?.double ?? 0
        levelDbfs = json["levelDbfs"]?.double
    }
}

extension PlayoutDecisions {
    var json: JSONValue {
        var members: JSONObject = [
            "played": JSONValue(played), "recovered": JSONValue(recovered), "duplicates": JSONValue(duplicates),
            "reordered": JSONValue(reordered), "discarded": JSONValue(discarded), "strays": JSONValue(strays),
            "flushed": JSONValue(flushed), "anchorings": JSONValue(anchorings), "merges": JSONValue(merges),
        ]
        members["heardMs"] = JSONValue(thousandths: heardMilliseconds)
        members["pausedMs"] = JSONValue(thousandths: pausedMilliseconds)
        members["silentMs"] = JSONValue(thousandths: silentMilliseconds)
        members["lossConcealedMs"] = JSONValue(thousandths: lossConcealedMilliseconds)
        members["acceleratedMs"] = JSONValue(thousandths: acceleratedMilliseconds)
        members["expandedMs"] = JSONValue(thousandths: expandedMilliseconds)
        members["targetMs"] = JSONValue(thousandths: targetMilliseconds)
        members["spreadMs"] = JSONValue(thousandths: spreadMilliseconds)
        members["senderDriftPpm"] = JSONValue(thousandths: senderDriftPartsPerMillion)
        return .object(members)
    }

    init(json: JSONValue) {
        self.init()
        played = json["played"]?.integer ?? 0
        recovered = json["recovered"]?.integer ?? 0
        duplicates = json["duplicates"]?.integer ?? 0
        reordered = json["reordered"]?.integer ?? 0
        discarded = json["discarded"]?.integer ?? 0
        strays = json["strays"]?.integer ?? 0
        flushed = json["flushed"]?.integer ?? 0
        anchorings = json["anchorings"]?.integer ?? 0
        merges = json["merges"]?.integer ?? 0
        heardMilliseconds = json["heardMs"]?.double ?? 0
        pausedMilliseconds = json["pausedMs"]?.double ?? 0
        silentMilliseconds = json["silentMs"]?.double ?? 0
        lossConcealedMilliseconds = json["lossConcealedMs"]?.double ?? 0
        acceleratedMilliseconds = json["acceleratedMs"]?.double ?? 0
        expandedMilliseconds = json["expandedMs"]?.double ?? 0
        targetMilliseconds = json["targetMs"]?.double ?? 0
        spreadMilliseconds = json["spreadMs"]?.double ?? 0
        senderDriftPartsPerMillion = json["senderDriftPpm"]?.double ?? 0
    }
}

extension TurnTimes {
    /// Members whose names begin with `prefix`.
    func write(to members: inout JSONObject, as prefix: String) {
        members["\(prefix)P50"] = JSONValue(thousandths: median)
        members["\(prefix)P99"] = JSONValue(thousandths: p99)
        members["\(prefix)P999"] = JSONValue(thousandths: p999)
        members["\(prefix)Max"] = JSONValue(thousandths: longest)
    }

    init(_ json: JSONValue, _ prefix: String) {
        self.init()
        median = json["\(prefix)P50"]?.double ?? 0
        p99 = json["\(prefix)P99"]?.double ?? 0
        p999 = json["\(prefix)P999"]?.double ?? 0
        longest = json["\(prefix)Max"]?.double ?? 0
    }
}

extension DelayParts {
    var json: JSONValue {
        [
            "capture": JSONValue(thousandths: capture), "packet": JSONValue(thousandths: packet),
            "codec": JSONValue(thousandths: codec), "network": JSONValue(thousandths: network),
            "buffer": JSONValue(thousandths: buffer), "playback": JSONValue(thousandths: playback),
            "total": JSONValue(thousandths: total),
        ]
    }

    init(json: JSONValue) {
        self.init()
        capture = json["capture"]?.double ?? 0
        packet = json["packet"]?.double ?? 0
        codec = json["codec"]?.double ?? 0
        network = json["network"]?.double ?? 0
        buffer = json["buffer"]?.double ?? 0
        playback = json["playback"]?.double ?? 0
    }
}

extension LoopFigures {
    /// The last time that a sound card ran dry, or over.
    public struct LastXrun: Sendable, Hashable {
        public var time: Date
        public var cause: XrunReport.Cause
        /// How late the sound was.
        public var lateMs: Double
        /// How late it might have been.
        public var aheadMs: Double
        /// Whether the loudspeaker ran dry; else sound of the microphone was lost.
        public var isPlayback: Bool

        public init(_ report: XrunReport, now: Date) {
            time = now.addingTimeInterval(-report.age)
            cause = report.cause
            lateMs = report.lateMilliseconds
            aheadMs = report.aheadMilliseconds
            isPlayback = report.isPlayback
        }

        public var json: JSONValue {
            [
                "time": JSONValue(time), "cause": .string(cause.rawValue),
                "device": .string(isPlayback ? "playback" : "capture"), "lateMs": JSONValue(thousandths: lateMs),
                "aheadMs": JSONValue(thousandths: aheadMs),
            ]
        }

        /// nil for what is none, or of a cause that is not known here.
        public init?(json: JSONValue) {
            guard let time = json["time"]?.date,
                let cause = json["cause"]?.string.flatMap(XrunReport.Cause.init(rawValue:))
            else { return nil }
            self.time = time
            self.cause = cause
            lateMs = json["lateMs"]?.double ?? 0
            aheadMs = json["aheadMs"]?.double ?? 0
            isPlayback = json["device"]?.string == "playback"
        }
    }
}
