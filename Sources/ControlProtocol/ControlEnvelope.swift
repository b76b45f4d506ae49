/// A JSON-RPC request whose form is right; whether method and params mean something is `ControlRequest`'s matter.
public struct ControlEnvelope: Sendable, Hashable {
    /// String, number or null; nil for a notification, which gets no answer (JSON-RPC 2.0 §4.1).
    public var id: JSONValue?
    public var method: String
    public var params: JSONObject

    public init(id: JSONValue?, method: String, params: JSONObject = [:]) {
        self.id = id
        self.method = method
        self.params = params
    }

    /// Why a line is not a request, and the id to answer under: null where it could not be read (§5).
    public struct Malformed: Error, Sendable, Hashable {
        public var id: JSONValue
        public var error: ControlError
    }

    /// Reads one line. `jsonrpc` may be left out, for those who type.
    public init(parsing line: [UInt8]) throws(Malformed) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: line)
        } catch {
            throw Malformed(id: .null, error: .parse("not JSON: \(error.message) at byte \(error.offset)"))
        }
        guard let object = value.object else {
            let message =
                value.array == nil
                ? "a request is a JSON object"
                : "batches are not taken: send one request a line; actions that belong together are a transaction.request"
            throw Malformed(id: .null, error: .invalidRequest(message))
        }
        let id = object["id"]
        switch id {
        case nil, .null?, .string?, .integer?, .number?: break
        case .bool?, .array?, .object?:
            throw Malformed(id: .null, error: .invalidRequest("id is a string, a number or null"))
        }
        guard object["jsonrpc"] == nil || object["jsonrpc"] == .string("2.0") else {
            throw Malformed(id: id ?? .null, error: .invalidRequest("jsonrpc is \"2.0\""))
        }
        guard let method = object["method"]?.string else {
            throw Malformed(id: id ?? .null, error: .invalidRequest("method is missing, or not a string"))
        }
        switch object["params"] {
        case nil, .null?: self.init(id: id, method: method)
        case .object(let params)?: self.init(id: id, method: method, params: params)
        default: throw Malformed(id: id ?? .null, error: .invalidParams("params is an object: parameters have names"))
        }
    }

    /// The request as one line, without its line feed.
    public var line: [UInt8] {
        var object: JSONObject = ["jsonrpc": "2.0"]
        if let id { object["id"] = id }
        object["method"] = .string(method)
        if !params.members.isEmpty { object["params"] = .object(params) }
        return JSONValue.object(object).bytes
    }
}

/// What the daemon writes: an answer or an event.
public enum ControlReply: Sendable, Hashable {
    case result(id: JSONValue, JSONValue)
    case failure(id: JSONValue, ControlError)
    /// The `params` of an event.
    case event(JSONObject)

    /// The message as one line, without its line feed.
    public var line: [UInt8] {
        let object: JSONObject =
            switch self {
            case .result(let id, let result): ["jsonrpc": "2.0", "id": id, "result": result]
            case .failure(let id, let error): ["jsonrpc": "2.0", "id": id, "error": error.json]
            case .event(let params): ["jsonrpc": "2.0", "method": "event", "params": .object(params)]
            }
        return JSONValue.object(object).bytes
    }

    /// A result that is JSON text already, as one line without its line feed.
    public static func line(id: JSONValue, result: [UInt8]) -> [UInt8] {
        Array("{\"jsonrpc\":\"2.0\",\"id\":".utf8) + id.bytes + Array(",\"result\":".utf8) + result + [
            UInt8(ascii: "}")
        ]
    }

    /// Reads a line of the daemon's; nil where it is none.
    public init?(parsing line: [UInt8]) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: line) } catch { return nil }
        guard let object = value.object else { return nil }
        if object["method"] == "event", let params = object["params"]?.object {
            self = .event(params)
        } else if let result = object["result"], let id = object["id"] {
            self = .result(id: id, result)
        } else if let error = object["error"].flatMap(ControlError.init(json:)) {
            self = .failure(id: object["id"] ?? .null, error)
        } else {
            return nil
        }
    }
}
