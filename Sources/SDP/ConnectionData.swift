/// A `c=` line, or the address part of `o=` (RFC 8866 §5.7), as it was written.
public struct ConnectionData: Sendable, Hashable {
    /// `IN` for the Internet.
    public var networkType: String
    /// `IP4` or `IP6`.
    public var addressType: String
    /// A numeric address, a host name, or a multicast address with its TTL.
    public var address: String

    public init(networkType: String = "IN", addressType: String, address: String) {
        self.networkType = networkType
        self.addressType = addressType
        self.address = address
    }

    /// The line for one of our own addresses, IPv4 or IPv6 by its form.
    public init(host: String) {
        self.init(addressType: host.utf8.contains(UInt8(ascii: ":")) ? "IP6" : "IP4", address: host)
    }

    /// The octets of a numeric unicast address of the type named, or why it is none.
    func unicastOctets() throws(SDPNegotiationError) -> [UInt8] {
        guard networkType.uppercased() == "IN" else {
            throw refused("network type \(networkType) is not supported, only IN")
        }
        let octets: [UInt8]?
        switch addressType.uppercased() {
        case "IP4": octets = NumericAddress.ipv4(address)
        case "IP6": octets = NumericAddress.ipv6(address)
        default: throw refused("address type \(addressType) is not supported, only IP4 and IP6")
        }
        guard let octets else {
            throw refused("c= holds \(address), and only numeric \(addressType) unicast addresses are taken")
        }
        let isMulticast = octets.count == 4 ? 224...239 ~= octets[0] : octets[0] == 0xFF
        guard !isMulticast else { throw refused("c= holds the multicast address \(address), only unicast is taken") }
        return octets
    }

    private func refused(_ message: String) -> SDPNegotiationError {
        SDPNegotiationError(kind: .notAcceptable, message: message)
    }
}

/// Numeric addresses in text form.
enum NumericAddress {
    /// Four decimal octets with dots.
    static func ipv4(_ text: some StringProtocol) -> [UInt8]? {
        let parts = text.split(separator: ".", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var octets: [UInt8] = []
        for part in parts {
            guard 1...3 ~= part.utf8.count, part.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let octet = UInt8(part) else {
                return nil
            }
            octets.append(octet)
        }
        return octets
    }

    /// RFC 4291 §2.2, with `::` and an IPv4 tail; no zone.
    static func ipv6(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.count <= 45 else { return nil }
        let characters = Array(text.utf8)
        guard let gap = firstDoubleColon(characters) else {
            let octets = groups(text)
            return octets?.count == 16 ? octets : nil
        }
        let head = String(decoding: characters[..<gap], as: UTF8.self)
        let tail = String(decoding: characters[(gap + 2)...], as: UTF8.self)
        guard let before = head.isEmpty ? [] : groups(head, mayEndInIPv4: false),
            let after = tail.isEmpty ? [] : groups(tail)
        else {
            return nil
        }
        guard before.count + after.count <= 14 else { return nil }
        return before + Array(repeating: 0, count: 16 - before.count - after.count) + after
    }

    private static func firstDoubleColon(_ characters: [UInt8]) -> Int? {
        let colon = UInt8(ascii: ":")
        return characters.indices.dropLast().first { characters[$0] == colon && characters[$0 + 1] == colon }
    }

    /// Hexadecimal groups with colons, the last of which may be an IPv4 address.
    private static func groups(_ text: some StringProtocol, mayEndInIPv4: Bool = true) -> [UInt8]? {
        let parts = text.split(separator: ":", maxSplits: 8, omittingEmptySubsequences: false)
        var octets: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if mayEndInIPv4, index == parts.count - 1, part.utf8.contains(UInt8(ascii: ".")) {
                guard let tail = ipv4(part) else { return nil }
                octets += tail
                continue
            }
            guard 1...4 ~= part.utf8.count, part.utf8.first != UInt8(ascii: "+"), let group = UInt16(part, radix: 16)
            else { return nil }
            octets += [UInt8(group >> 8), UInt8(group & 0xFF)]
        }
        return octets.count <= 16 ? octets : nil
    }
}
