internal import CLinux
internal import MediaDescription

/// An IP address and a port as sockets have them. IPv4 addresses are mapped into IPv6.
struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    var high: UInt64
    var low: UInt64
    var scope: UInt32
    var port: UInt16

    /// Reads a numeric address; nil where it is none.
    init?(host: String, port: UInt16) {
        var raw = clinux_endpoint()
        guard clinux_endpoint_parse(host, port, &raw) == 0 else { return nil }
        self.init(raw)
    }

    init?(_ address: MediaAddress) { self.init(host: address.host, port: address.port) }

    init(_ raw: clinux_endpoint) {
        high = raw.high
        low = raw.low
        scope = raw.scope
        port = raw.port
    }

    /// All addresses of this machine, IPv6 and IPv4.
    static func any(port: UInt16) -> Endpoint {
        Endpoint(clinux_endpoint(high: 0, low: 0, scope: 0, port: port))
    }

    var raw: clinux_endpoint { clinux_endpoint(high: high, low: low, scope: scope, port: port) }

    /// Whether something can be sent there: neither `0.0.0.0`, nor `::`, nor port 0.
    var isReachable: Bool { port != 0 && !(high == 0 && (low == 0 || low == 0xFFFF_0000_0000)) }

    func hasSameHost(as other: Endpoint) -> Bool {
        high == other.high && low == other.low && (scope == other.scope || scope == 0 || other.scope == 0)
    }

    func with(port: UInt16) -> Endpoint {
        var other = self
        other.port = port
        return other
    }

    var host: String {
        var text = [CChar](repeating: 0, count: 64)
        var raw = self.raw
        guard clinux_endpoint_format(&raw, &text, 64) == 0 else { return "?" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
