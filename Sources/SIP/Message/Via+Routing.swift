extension Via {
    /// Where a response goes over an unreliable transport, or where a connection is gone (RFC 3261 §18.2.2, RFC 3581).
    /// The host may be a name; the port of none is 5060, with TLS 5061.
    public var responseTarget: (host: String, port: UInt16) {
        let usual: UInt16 = transport.asciiLowercased == "tls" ? 5061 : 5060
        if let maddr, !maddr.isEmpty { return (maddr, port ?? usual) }
        if let received { return (received, rport ?? port ?? usual) }
        return (host, rport ?? port ?? usual)
    }

    /// Notes where the request really came from: `received` where it is not sent-by, or rport was asked for.
    public mutating func noteSource(address: String, port: UInt16) {
        if wantsRport {
            rport = port
            received = address
        } else if host.asciiLowercased != address.asciiLowercased {
            received = address
        }
    }
}

extension SIPMessage {
    /// Notes the source of a request in its topmost Via (RFC 3261 §18.2.1, RFC 3581 §4). `address` is numeric.
    public mutating func noteSource(address: String, port: UInt16) {
        guard var via = topVia else { return }
        via.noteSource(address: address, port: port)
        headers.setFirstValue(.via, via.description)
    }
}
