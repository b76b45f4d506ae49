internal import SIP

/// One place to send a request to.
public struct SIPHop: Hashable, Sendable, CustomStringConvertible {
    public var transport: SIPTransportKind
    public var address: SocketAddress

    public init(transport: SIPTransportKind, address: SocketAddress) {
        self.transport = transport
        self.address = address
    }

    public var description: String { "\(transport.rawValue):\(address)" }
}

/// Why a URI leads nowhere.
public struct ResolutionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was looked for, what came of it, and what to do: one sentence.
    public var message: String
    public var description: String { message }
}

/// What there is to look up for a URI (RFC 3263 §4).
struct ServerQuestion: Hashable, Sendable {
    var host: String
    /// nil: the port is SRV's to say.
    var port: UInt16?
    /// nil: the transport is SRV's to say.
    var transport: SIPTransportKind?

    /// Throws for `sips:`, other schemes, and transports that are not ours.
    init(_ uri: SIPURI) throws(ResolutionError) {
        guard uri.scheme == "sip" else {
            throw ResolutionError(message: "\(uri.scheme): URIs cannot be reached, only sip: ones")
        }
        host = uri.parameters["maddr"].flatMap { $0.isEmpty ? nil : $0 } ?? uri.host
        guard !host.isEmpty else { throw ResolutionError(message: "\(uri) names no host") }
        port = uri.port
        transport = nil
        if let named = uri.transport {
            guard let known = SIPTransportKind(rawValue: named) else {
                throw ResolutionError(message: "transport \(named) of \(uri) is not supported, only udp and tcp")
            }
            transport = known
        }
    }

    /// The answer where there is nothing to look up.
    var numeric: SIPHop? {
        SocketAddress(host: host, port: port ?? 5060).map { SIPHop(transport: transport ?? .udp, address: $0) }
    }

    /// Whether SRV records can exist: not for `localhost`, mDNS and other single names, where asking only costs time.
    var mayHaveServices: Bool {
        let name = host.lowercased()
        return port == nil && name.contains(".") && !name.hasSuffix(".local") && !name.hasSuffix(".localhost")
    }
}

/// What a question found: servers by SRV with their addresses, or one without SRV.
struct LocatedServers: Sendable, Hashable {
    struct Server: Sendable, Hashable {
        var record: SRVRecord
        var hops: [SIPHop]
    }

    var servers: [Server]
    /// Seconds for which this may be used again.
    var ttl: UInt32

    /// What to try, one after the other; drawn anew each time, so that load is spread.
    func hops(using random: inout some RandomNumberGenerator) -> [SIPHop] {
        Array(SRVRecord.ordered(servers, using: &random) { $0.record }.flatMap(\.hops).prefix(16))
    }
}

/// RFC 3263 without NAPTR: SRV where no port is given, else addresses. Blocks as its name service does.
enum ServerLocator {
    static func locate(
        _ question: ServerQuestion, using names: some NameService
    ) throws(ResolutionError) -> LocatedServers {
        if let hop = question.numeric {
            return LocatedServers(servers: [server(hops: [hop])], ttl: 3_600)
        }
        if question.mayHaveServices, let found = services(question, using: names) { return found }
        do throws(NameFailure) {
            let hops = try names.addresses(question.host).map { address in
                hop(address, port: question.port ?? 5060, transport: question.transport ?? .udp)
            }
            return LocatedServers(servers: [server(hops: hops)], ttl: 60)
        } catch {
            switch error {
            case .none: throw ResolutionError(message: "\(question.host) has no address: is the name right?")
            case .again:
                throw ResolutionError(message: "no name server answered for \(question.host): is the network up?")
            case .failed: throw ResolutionError(message: "looking up \(question.host) failed")
            }
        }
    }

    /// nil where there are no records, or none that leads to an address.
    private static func services(_ question: ServerQuestion, using names: some NameService) -> LocatedServers? {
        for transport in question.transport.map({ [$0] }) ?? SIPTransportKind.allCases {
            let records: [SRVRecord]
            do throws(NameFailure) {
                records = try names.services("_sip._\(transport.rawValue).\(question.host)")
            } catch {
                if error == .again { return nil }  // the next question would wait as long, for as little
                continue
            }
            let servers = records.filter { !$0.target.isEmpty && $0.target != "." }.prefix(8).map { record in
                let addresses = (try? names.addresses(record.target)) ?? []
                return LocatedServers.Server(
                    record: record, hops: addresses.map { hop($0, port: record.port, transport: transport) })
            }
            guard servers.contains(where: { !$0.hops.isEmpty }) else { continue }
            let ttl = records.map(\.ttl).min() ?? 60
            return LocatedServers(servers: servers, ttl: min(max(ttl, 5), 3_600))
        }
        return nil
    }

    private static func hop(_ address: SocketAddress, port: UInt16, transport: SIPTransportKind) -> SIPHop {
        var address = address
        address.port = port
        return SIPHop(transport: transport, address: address)
    }

    private static func server(hops: [SIPHop]) -> LocatedServers.Server {
        .init(record: SRVRecord(priority: 0, weight: 0, port: 0, target: ""), hops: hops)
    }
}
