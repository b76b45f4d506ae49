public import CallModel

/// A JSON-RPC error object (JSON-RPC 2.0 §5.1).
public struct ControlError: Error, Sendable, Hashable {
    /// -32700, -32600, -32601, -32602, or -32000 for a failed action.
    public var code: Int
    /// What happened, to what, and what to do.
    public var message: String
    /// `data.reason`: the word programs can rely on; nil where `code` says it all.
    public var reason: String?
    /// `data.sipStatus`: the peer's final status where it was the peer who refused.
    public var sipStatus: Int?

    public static let parseErrorCode = -32700
    public static let invalidRequestCode = -32600
    public static let unknownMethodCode = -32601
    public static let invalidParamsCode = -32602
    public static let failedCode = -32000

    init(code: Int, message: String, reason: String? = nil, sipStatus: Int? = nil) {
        self.code = code
        self.message = message
        self.reason = reason
        self.sipStatus = sipStatus
    }

    /// -32700: the line is not JSON.
    public static func parse(_ message: String) -> Self { Self(code: parseErrorCode, message: message) }
    /// -32600: JSON, but not a request.
    public static func invalidRequest(_ message: String) -> Self { Self(code: invalidRequestCode, message: message) }
    /// -32601.
    public static func unknownMethod(_ message: String) -> Self { Self(code: unknownMethodCode, message: message) }
    /// -32602.
    public static func invalidParams(_ message: String) -> Self { Self(code: invalidParamsCode, message: message) }
    /// -32000 with its reason.
    public static func failed(_ reason: FailureReason, _ message: String, sipStatus: Int? = nil) -> Self {
        Self(code: failedCode, message: message, reason: reason.rawValue, sipStatus: sipStatus)
    }

    /// A failed action.
    public init(_ error: CallError) {
        self = .failed(error.reason, error.message, sipStatus: error.sipStatus)
    }

    public var json: JSONValue {
        var object: JSONObject = ["code": JSONValue(code), "message": .string(message)]
        if let reason {
            var data: JSONObject = ["reason": .string(reason)]
            if let sipStatus { data["sipStatus"] = JSONValue(sipStatus) }
            object["data"] = .object(data)
        }
        return .object(object)
    }

    public init?(json: JSONValue) {
        guard let code = json["code"]?.integer else { return nil }
        self.init(
            code: code, message: json["message"]?.string ?? "", reason: json["data"]?["reason"]?.string,
            sipStatus: json["data"]?["sipStatus"]?.integer)
    }
}
