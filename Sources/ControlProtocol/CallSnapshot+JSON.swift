public import CallModel

extension CallSnapshot {
    /// The call as clients see it: every member, null where nothing is known.
    ///
    /// `endStatus` and `endText` say more where `endReason` is `failed`: the SIP status, and what happened.
    public var json: JSONValue {
        var (endStatus, endText): (Int?, String?) = (nil, nil)
        if case .failed(let status, let text) = endReason { (endStatus, endText) = (status, text) }
        return [
            "id": .string(id.description),
            "direction": .string(direction.rawValue),
            "state": .string(state.rawValue),
            "handle": handle.json,
            "displayName": JSONValue(displayName),
            "account": JSONValue(account),
            "held": .bool(held),
            "remoteHeld": .bool(remoteHeld),
            "muted": .bool(muted),
            "earmuffed": .bool(earmuffed),
            "group": JSONValue(group?.description),
            "capabilities": [
                "hold": .bool(capabilities.hold), "group": .bool(capabilities.group),
                "ungroup": .bool(capabilities.ungroup), "dtmf": .bool(capabilities.dtmf),
                "transfer": .bool(capabilities.transfer),
            ],
            "codec": JSONValue(codec),
            "security": JSONValue(security),
            "startedConnectingAt": JSONValue(startedConnectingAt),
            "connectedAt": JSONValue(connectedAt),
            "endedAt": JSONValue(endedAt),
            "endReason": JSONValue(endReason?.word),
            "endStatus": JSONValue(endStatus),
            "endText": JSONValue(endText),
            "recording": JSONValue(recording),
            "playing": JSONValue(playing),
            "service": JSONValue(service?.rawValue),
            "quality": quality?.json ?? .null,
        ]
    }

    /// Reads a call as `json` writes it; nil where a member is missing that every call has.
    public init?(json: JSONValue) {
        guard let id = json["id"]?.string.flatMap({ CallID($0) }),
            let direction = json["direction"]?.string.flatMap(CallDirection.init(rawValue:)),
            let state = json["state"]?.string.flatMap(CallState.init(rawValue:)),
            let kind = json["handle"]?["type"]?.string.flatMap(Handle.Kind.init(rawValue:)),
            let value = json["handle"]?["value"]?.string
        else { return nil }
        self.init(id: id, direction: direction, state: state, handle: Handle(kind: kind, value: value))
        displayName = json["displayName"]?.string
        account = json["account"]?.string
        held = json["held"]?.bool ?? false
        remoteHeld = json["remoteHeld"]?.bool ?? false
        muted = json["muted"]?.bool ?? false
        earmuffed = json["earmuffed"]?.bool ?? false
        group = json["group"]?.string.flatMap { GroupID($0) }
        if let known = json["capabilities"] {
            capabilities = CallCapabilities(
                hold: known["hold"]?.bool ?? false, group: known["group"]?.bool ?? false,
                ungroup: known["ungroup"]?.bool ?? false, dtmf: known["dtmf"]?.bool ?? false,
                transfer: known["transfer"]?.bool ?? false)
        }
        codec = json["codec"]?.string
        security = json["security"]?.string
        startedConnectingAt = json["startedConnectingAt"]?.date
        connectedAt = json["connectedAt"]?.date
        endedAt = json["endedAt"]?.date
        endReason = json["endReason"]?.string.flatMap {
            EndReason(word: $0, status: json["endStatus"]?.integer, text: json["endText"]?.string)
        }
        recording = json["recording"]?.string
        playing = json["playing"]?.string
        service = json["service"]?.string.flatMap(CallService.init(rawValue:))
        quality = json["quality"].flatMap(CallQuality.init(json:))
    }
}

extension Handle {
    public var json: JSONValue { ["type": .string(kind.rawValue), "value": .string(value)] }

    /// Reads a `handle` parameter: a string as people dial it, or `{"type", "value"}`.
    init(parameter json: JSONValue) throws(ControlError) {
        switch json {
        case .string(let text): try self.init(checking: text)
        case .object(let object):
            guard let value = object["value"]?.string else {
                throw .invalidParams("handle.value is missing, or not a string")
            }
            try self.init(checking: value)
            guard let type = object["type"], type != .null else { return }
            guard let kind = type.string.flatMap(Kind.init(rawValue:)) else {
                throw .invalidParams("handle.type is generic, phoneNumber or emailAddress")
            }
            self.kind = kind
        default: throw .invalidParams("handle is a string, or an object of type and value")
        }
    }

    private init(checking text: String) throws(ControlError) {
        do throws(CallError) { try self.init(parsing: text) } catch { throw ControlError(error) }
    }
}
