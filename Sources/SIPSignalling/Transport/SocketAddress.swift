internal import CLinux

/// A numeric IPv4 or IPv6 address and a port. An IPv4 address that came mapped into IPv6 is the IPv4 address.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16 octets, in network order.
    public let octets: [UInt8]
    public var port: UInt16
    /// Interface index of a link-local IPv6 address, else 0.
    public let scope: UInt32

    public init(octets: [UInt8], port: UInt16, scope: UInt32 = 0) {
        let isMapped = octets.count == 16 && octets.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        self.octets = isMapped ? Array(octets.suffix(4)) : octets
        self.port = port
        self.scope = isMapped ? 0 : scope
    }

    /// Reads a numeric address, with or without the brackets of an IPv6 reference; nil for names.
    public init?(host: String, port: UInt16) {
        let isReference = host.hasPrefix("[") && host.hasSuffix("]") && host.utf8.count > 2
        let text = isReference ? String(host.dropFirst().dropLast()) : host
        guard text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
        var address = clinux_net_address()
        guard clinux_net_parse(text, &address) == 0, !isReference || address.version == 6 else { return nil }
        self.init(address, port: port)
    }

    init(_ address: clinux_net_address, port: UInt16? = nil) {
        let all = withUnsafeBytes(of: address.octets) { Array($0) }
        self.init(
            octets: address.version == 4 ? Array(all.prefix(4)) : all, port: port ?? address.port, scope: address.scope)
    }

    public var isIPv6: Bool { octets.count == 16 }
    /// 0.0.0.0 or ::, which stand for every address of ours.
    public var isWildcard: Bool { octets.allSatisfy { $0 == 0 } }

    /// The address without port, brackets and scope; IPv6 as RFC 5952 writes it.
    public var host: String {
        guard isIPv6 else { return octets.map { String($0) }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(octets[$0]) << 8 | UInt16(octets[$0 + 1]) }
        let zeros = Self.longestZeroRun(groups)
        func text(_ range: Range<Int>) -> String {
            groups[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard zeros.count >= 2 else { return text(0..<8) }
        return text(0..<zeros.lowerBound) + "::" + text(zeros.upperBound..<8)
    }

    /// `host:port`, IPv6 in brackets.
    public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The same host, whatever the port.
    public func isSameHost(as other: SocketAddress) -> Bool { octets == other.octets }

    var raw: clinux_net_address {
        var address = clinux_net_address()
        address.version = isIPv6 ? 6 : 4
        address.port = port
        address.scope = scope
        withUnsafeMutableBytes(of: &address.octets) { $0.copyBytes(from: octets.prefix(16)) }
        return address
    }

    private static func longestZeroRun(_ groups: [UInt16]) -> Range<Int> {
        var longest = 0..<0
        var start = 0
        for (index, group) in groups.enumerated() {
            if group != 0 { start = index + 1 }
            if index + 1 - start > longest.count { longest = start..<(index + 1) }
        }
        return longest
    }
}
