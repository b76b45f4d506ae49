internal import CResolver

/// Why a name gave nothing.
enum NameFailure: Error, Hashable, Sendable {
    /// It does not exist, or has no such record.
    case none
    /// No server answered: a later try may succeed.
    case again
    case failed
}

/// Where names are looked up. Blocks: never called on the event loop.
protocol NameService: Sendable {
    func services(_ name: String) throws(NameFailure) -> [SRVRecord]
    /// Ports are 0.
    func addresses(_ name: String) throws(NameFailure) -> [SocketAddress]
}

/// The system's own: libresolv for SRV, getaddrinfo (hosts file, mDNS, DNS) for addresses.
struct SystemNameService: NameService {
    func services(_ name: String) throws(NameFailure) -> [SRVRecord] {
        var records = [cresolver_srv](repeating: cresolver_srv(), count: 16)
        let count = cresolver_find_srv(name, &records, Int32(records.count))
        return try Self.services(records, count)
    }

    /// The SRV records in a DNS server's answer.
    static func services(answer: [UInt8]) throws(NameFailure) -> [SRVRecord] {
        var records = [cresolver_srv](repeating: cresolver_srv(), count: 16)
        let count = cresolver_read_srv(answer, Int32(clamping: answer.count), &records, Int32(records.count))
        return try services(records, count)
    }

    private static func services(_ records: [cresolver_srv], _ count: Int32) throws(NameFailure) -> [SRVRecord] {
        guard count > 0 else { throw failure(count) }
        return records.prefix(Int(count)).map { record in
            let target = withUnsafeBytes(of: record.target) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            return SRVRecord(
                priority: record.priority, weight: record.weight, port: record.port, target: target, ttl: record.ttl)
        }
    }

    func addresses(_ name: String) throws(NameFailure) -> [SocketAddress] {
        var found = [cresolver_address](repeating: cresolver_address(), count: 16)
        let count = cresolver_find_addresses(name, &found, Int32(found.count))
        guard count > 0 else { throw Self.failure(count) }
        return found.prefix(Int(count)).map { address in
            let octets = withUnsafeBytes(of: address.octets) { Array($0.prefix(address.version == 4 ? 4 : 16)) }
            return SocketAddress(octets: octets, port: 0, scope: address.scope)
        }
    }

    private static func failure(_ code: Int32) -> NameFailure {
        switch code {
        case Int32(CRESOLVER_NONE): .none
        case Int32(CRESOLVER_AGAIN): .again
        default: .failed
        }
    }
}
