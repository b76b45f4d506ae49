public import CallModel

extension CallRequest {
    public var method: ControlMethod {
        switch self {
        case .start: .callStart
        case .answer, .endAndAnswer: .callAnswer
        case .reject: .callReject
        case .end: .callEnd
        case .hold: .callHold
        case .resume: .callResume
        case .mute: .callMute
        case .unmute: .callUnmute
        case .earmuff: .callEarmuff
        case .unearmuff: .callUnearmuff
        case .dtmf: .callDTMF
        case .transfer: .callTransfer
        case .merge: .groupMerge
        case .split: .groupSplit
        }
    }

    public var params: JSONObject {
        switch self {
        case .start(let handle, let account, let id):
            var params: JSONObject = ["handle": handle.json]
            if let account { params["account"] = .string(account) }
            if let id { params["id"] = .string(id.description) }
            return params
        case .reject(let id, let reason):
            return ["id": .string(id.description), "reason": .string(reason.rawValue)]
        case .dtmf(let id, let digits):
            var params: JSONObject = ["id": .string(id.description), "digits": .string(digits.characters)]
            if let tone = digits.tone { params["toneMs"] = JSONValue(tone) }
            if let gap = digits.gap { params["gapMs"] = JSONValue(gap) }
            return params
        case .endAndAnswer(let id): return ["id": .string(id.description), "end": .bool(true)]
        case .transfer(let id, .handle(let handle)):
            return ["id": .string(id.description), "handle": handle.json]
        case .transfer(let id, .call(let other)):
            return ["id": .string(id.description), "otherId": .string(other.description)]
        case .merge(let ids): return ["ids": .array(ids.map { .string($0.description) })]
        case .answer(let id), .end(let id), .hold(let id), .resume(let id), .mute(let id), .unmute(let id),
            .earmuff(let id), .unearmuff(let id), .split(let id):
            return ["id": .string(id.description)]
        }
    }

    /// Reads the params of `method`; nil where it is the method of no action.
    init?(method: ControlMethod, params: JSONObject) throws(ControlError) {
        switch method {
        case .callStart:
            guard let handle = params["handle"] else { throw .invalidParams("handle is missing: say whom to call") }
            self = .start(
                try Handle(parameter: handle), account: try params.optionalString("account"),
                id: try params.optionalCallID("id"))
        case .callAnswer:
            let id = try params.callID("id")
            self = try params.optionalBoolean("end") == true ? .endAndAnswer(id) : .answer(id)
        case .callReject:
            let id = try params.callID("id")
            let word = try params.optionalString("reason") ?? RejectReason.declined.rawValue
            guard let reason = RejectReason(rawValue: word) else {
                throw .invalidParams("reason is \"declined\" (603) or \"busy\" (486)")
            }
            self = .reject(id, reason)
        case .callEnd: self = .end(try params.callID("id"))
        case .callHold: self = .hold(try params.callID("id"))
        case .callResume: self = .resume(try params.callID("id"))
        case .callMute: self = .mute(try params.callID("id"))
        case .callUnmute: self = .unmute(try params.callID("id"))
        case .callEarmuff: self = .earmuff(try params.callID("id"))
        case .callUnearmuff: self = .unearmuff(try params.callID("id"))
        case .callDTMF:
            let id = try params.callID("id")
            guard let read = try params.optionalString("digits").map(DigitString.init) else {
                throw .invalidParams("digits is missing")
            }
            guard var digits = read else {
                throw .invalidParams(
                    "digits are up to \(DigitString.maximumLength) of 0-9, A-D, * and #, with , for a pause and ; for a stop"
                )
            }
            digits.tone = try params.optionalInteger("toneMs", in: DigitTiming.range)
            digits.gap = try params.optionalInteger("gapMs", in: DigitTiming.range)
            self = .dtmf(id, digits)
        case .groupMerge: self = .merge(try params.callIDs("ids"))
        case .groupSplit: self = .split(try params.callID("id"))
        case .callTransfer:
            let id = try params.callID("id")
            switch (params["handle"], try params.optionalCallID("otherId")) {
            case (let handle?, nil): self = .transfer(id, to: .handle(try Handle(parameter: handle)))
            case (nil, let other?): self = .transfer(id, to: .call(other))
            default: throw .invalidParams("say whom to transfer to: either handle, or otherId for another call")
            }
        case .daemonStatus, .daemonReload, .callList, .callPlay, .callStopPlaying, .recordingStart, .recordingStop,
            .probeRun, .transactionRequest, .historyList, .historyClear,
            .dndSet, .blockAdd, .blockRemove, .blockList, .contactsAdd, .contactsRemove, .contactsList,
            .devicesList, .volumeSet, .profileSet, .ringerSet, .statsGet, .eventsSubscribe:
            return nil
        }
    }
}
