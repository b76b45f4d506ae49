/// How SIP messages travel.
public enum SIPTransportKind: String, Sendable, Hashable, CaseIterable {
    case udp, tcp

    /// As a Via writes it.
    var viaName: String { rawValue.uppercased() }
    /// Whether the transport itself repeats what is lost.
    var isReliable: Bool { self == .tcp }
}

/// Where requests are taken: one entry of `sip.listen`.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    public var transport: SIPTransportKind
    public var address: SocketAddress

    public init(transport: SIPTransportKind, address: SocketAddress) {
        self.transport = transport
        self.address = address
    }

    /// Reads `udp:ADDRESS:PORT` or `tcp:ADDRESS:PORT`, IPv6 addresses in brackets. Port 0 lets the system choose.
    public init(parsing text: String) throws(SIPTransportError) {
        guard let first = text.firstIndex(of: ":"), let last = text.lastIndex(of: ":"), first < last,
            let transport = SIPTransportKind(rawValue: text[..<first].lowercased()),
            let port = UInt16(text[text.index(after: last)...])
        else { throw .invalidListenAddress(text) }
        let host = String(text[text.index(after: first)..<last])
        guard let address = SocketAddress(host: host, port: port), address.isIPv6 == host.hasPrefix("[") else {
            throw .invalidListenAddress(text)
        }
        self.init(transport: transport, address: address)
    }

    public var description: String { "\(transport.rawValue):\(address)" }
}

/// Why the sockets cannot be opened.
public enum SIPTransportError: Error, Hashable, Sendable, CustomStringConvertible {
    case invalidListenAddress(String)
    /// Another socket has the port; `holder` names its process where /proc tells.
    case portInUse(ListenAddress, holder: String?)
    /// The system refused for another reason; `code` is an errno.
    case failed(ListenAddress, operation: String, code: Int32)

    public var description: String {
        switch self {
        case .invalidListenAddress(let text):
            "\(text): expected udp:ADDRESS:PORT or tcp:ADDRESS:PORT with a numeric address, IPv6 in brackets"
        case .portInUse(let address, let holder):
            "\(address) is in use\(holder.map { " by \($0)" } ?? "; `ss -lnup` and `ss -lntp` show by whom")"
        case .failed(let address, let operation, let code):
            "\(address): \(operation) failed: \(SystemError.text(code))\(SystemError.advice(code))"
        }
    }
}
