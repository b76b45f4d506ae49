internal import CallModel

extension PlayoutDecisions {
    var json: JSONValue {
        [
            "played": JSONValue(played), "recovered": JSONValue(recovered), "duplicates": JSONValue(duplicates),
            "discarded": JSONValue(discarded), "anchorings": JSONValue(anchorings), "merges": JSONValue(merges),
            "lossConcealedMs": JSONValue(thousandths: lossConcealedMilliseconds),
            "acceleratedMs": JSONValue(thousandths: acceleratedMilliseconds),
            "expandedMs": JSONValue(thousandths: expandedMilliseconds),
            "targetMs": JSONValue(thousandths: targetMilliseconds),
            "spreadMs": JSONValue(thousandths: spreadMilliseconds),
        ]
    }

    init(json: JSONValue) {
        self.init()
        played = json["played"]?.integer ?? 0
        recovered = json["recovered"]?.integer ?? 0
        duplicates = json["duplicates"]?.integer ?? 0
        discarded = json["discarded"]?.integer ?? 0
        anchorings = json["anchorings"]?.integer ?? 0
        merges = json["merges"]?.integer ?? 0
        lossConcealedMilliseconds = json["lossConcealedMs"]?.double ?? 0
        acceleratedMilliseconds = json["acceleratedMs"]?.double ?? 0
        expandedMilliseconds = json["expandedMs"]?.double ?? 0
        targetMilliseconds = json["targetMs"]?.double ?? 0
        spreadMilliseconds = json["spreadMs"]?.double ?? 0
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
