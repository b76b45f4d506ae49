public import SIP

/// Where a message came from and by which socket or connection: enough to answer on the same way.
public struct SIPSource: Hashable, Sendable, CustomStringConvertible {
    public let transport: SIPTransportKind
    /// The peer's end.
    public let address: SocketAddress
    /// Our end: a UDP socket, or a TCP connection.
    let socket: UInt64

    /// Numeric, without brackets.
    public var host: String { address.host }
    public var port: UInt16 { address.port }
    public var hop: SIPHop { SIPHop(transport: transport, address: address) }
    public var description: String { hop.description }
}

/// Where a request goes.
public enum SIPTarget: Hashable, Sendable {
    /// The next hop's URI, resolved after RFC 3263: the first Route of a loose router, else the Request-URI.
    case uri(SIPURI)
    /// A place already resolved; nothing else is tried.
    case hop(SIPHop)
    /// The way a message came by, as RFC 5626 asks for; a connection that is gone is made anew.
    case flow(SIPSource)
}

/// Names a request that was handed over; stays the same while servers are tried one after the other.
public struct ClientTransactionID: Hashable, Sendable {
    let number: UInt64
}

/// Names a request that came in.
public struct ServerTransactionID: Hashable, Sendable {
    let key: TransactionKey
}

/// What becomes of a request.
public enum ClientTransactionEvent: Sendable {
    /// It has left, this way. Once for each server that is tried.
    case sent(SIPSource)
    /// An answer: provisional ones, then the final one. Of an INVITE there may be several 2xx, one of each fork and
    /// each of their retransmissions.
    case response(SIPMessage, SIPSource)
    /// There is no final answer and there will be none.
    case failed(ClientTransactionFailure)
}

/// Why a request got no answer.
public enum ClientTransactionFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing came within 64 * T1: as good as 408 (RFC 3261 §8.1.3.1).
    case timedOut(String)
    /// It could not be sent anywhere: as good as 503.
    case unreachable(String)
    /// The URI leads to no address.
    case unresolvable(String)
    /// It was cancelled before it had left.
    case cancelled

    public var description: String {
        switch self {
        case .timedOut(let text), .unreachable(let text), .unresolvable(let text): text
        case .cancelled: "cancelled before it was sent"
        }
    }
}
