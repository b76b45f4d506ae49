internal import CLinux

/// Which addresses may call: the `accept_from` setting.
public struct AddressSet: Sendable, Hashable {
    /// An entry that is neither `lan` nor an address with or without a prefix length.
    public struct EntryError: Error, Hashable, Sendable, CustomStringConvertible {
        public var entry: String
        public var description: String {
            "\(entry): expected \"lan\", an address, or address/prefix (192.0.2.0/24, 2001:db8::/32)"
        }
    }

    /// An address and how many of its leading bits count.
    struct Network: Sendable, Hashable {
        var octets: [UInt8]
        var prefix: Int

        func contains(_ address: [UInt8]) -> Bool {
            guard address.count == octets.count else { return false }
            let whole = prefix / 8
            guard address.prefix(whole) == octets.prefix(whole) else { return false }
            let rest = prefix % 8
            return rest == 0 || (address[whole] ^ octets[whole]) >> UInt8(8 - rest) == 0
        }
    }

    private var networks: [Network] = []
    private var includesLAN = false
    private var lan: [Network] = []

    /// Nobody.
    public init() {}

    /// `lan` is loopback and the networks of our own interfaces, as they are now; `refresh` looks again.
    public init(_ entries: [String]) throws(EntryError) {
        for entry in entries {
            if entry.lowercased() == "lan" { includesLAN = true } else { networks.append(try Self.network(entry)) }
        }
        refresh()
    }

    /// For tests and for callers that know the interfaces: `lan` is loopback and `interfaces`, each `address/prefix`.
    init(_ entries: [String], interfaces: [String]) throws(EntryError) {
        try self.init(entries)
        guard includesLAN else { return }
        lan = Self.loopback
        for interface in interfaces { lan.append(try Self.network(interface)) }
    }

    /// Looks at our interfaces again: after a change of address, or before a stranger is turned away.
    public mutating func refresh() {
        guard includesLAN else { return }
        lan = Self.loopback + Self.interfaceNetworks()
    }

    public func contains(_ address: SocketAddress) -> Bool {
        networks.contains { $0.contains(address.octets) } || lan.contains { $0.contains(address.octets) }
    }

    private static let loopback = [
        Network(octets: [127, 0, 0, 0], prefix: 8),
        Network(octets: Array(repeating: 0, count: 15) + [1], prefix: 128),
    ]

    private static func network(_ entry: String) throws(EntryError) -> Network {
        let parts = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first, let address = SocketAddress(host: String(host), port: 0) else {
            throw EntryError(entry: entry)
        }
        let bits = address.octets.count * 8
        guard parts.count == 2 else { return Network(octets: address.octets, prefix: bits) }
        guard parts[1].utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let written = Int(parts[1]) else {
            throw EntryError(entry: entry)
        }
        // ::ffff:192.0.2.0/120 is 192.0.2.0/24.
        let isMapped = !address.isIPv6 && host.contains(":")
        let prefix = isMapped ? written - 96 : written
        guard 0...bits ~= prefix else { throw EntryError(entry: entry) }
        return Network(octets: address.octets, prefix: prefix)
    }

    private static func interfaceNetworks() -> [Network] {
        var found = [clinux_net_interface](repeating: clinux_net_interface(), count: 256)
        let count = clinux_net_interfaces(&found, Int32(found.count))
        return found.prefix(max(0, Int(count))).compactMap { item in
            // A prefix of 0 would be the whole Internet: a tunnel without a network of its own counts for its address.
            let octets = SocketAddress(item.address).octets
            return Network(octets: octets, prefix: item.prefix == 0 ? octets.count * 8 : Int(item.prefix))
        }
    }
}
