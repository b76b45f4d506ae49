/// Names a client transaction that a machine asked for. The machine chooses it, the host brings it back.
public struct ClientToken: Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
}

/// Names a server transaction. The host chooses it, the machine brings it back with the response.
public struct ServerToken: Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
}

/// Why a request of ours got no response.
public enum RequestFailure: Sendable, Hashable {
    /// Timer B or F has fired (RFC 3261 §17.1).
    case timeout
    /// The request could not be sent: no address, connection refused, unreachable. `text` says which.
    case transport(text: String)

    /// What RFC 3261 §8.1.3.1 makes of it.
    var status: Int {
        switch self {
        case .timeout: 408
        case .transport: 503
        }
    }

    var text: String {
        switch self {
        case .timeout: "no answer"
        case .transport(let text): text
        }
    }
}
