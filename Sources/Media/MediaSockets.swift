internal import CLinux
internal import CallSystem

/// A UDP socket, closed with its owner.
struct UDPSocket: ~Copyable {
    let descriptor: Int32
    let port: UInt16
    private let isIPv4: Int32

    /// Throws the errno value.
    init(boundTo endpoint: Endpoint) throws(SocketError) {
        var raw = endpoint.raw
        descriptor = clinux_udp_open(&raw)
        guard descriptor >= 0 else { throw SocketError(code: -descriptor) }
        port = UInt16(truncatingIfNeeded: max(0, clinux_udp_port(descriptor)))
        isIPv4 = max(0, clinux_udp_is_ipv4(descriptor))
    }

    deinit { _ = clinux_udp_close(descriptor) }

    /// Sends one datagram, never waiting. Returns whether the kernel took it.
    @discardableResult
    borrowing func send(_ datagram: UnsafeRawBufferPointer, to endpoint: Endpoint) -> Bool {
        var to = endpoint.raw
        let bytes = datagram.bindMemory(to: UInt8.self).baseAddress
        return clinux_udp_send(descriptor, isIPv4, &to, bytes, UInt32(datagram.count)) == 0
    }
}

struct SocketError: Error, Hashable {
    /// The errno value.
    var code: Int32
}

/// A call's two sockets: RTP on an even port, RTCP on the odd one above it (RFC 3550 §11).
final class MediaSockets: Sendable {
    let rtp: UDPSocket
    let rtcp: UDPSocket

    init(host: Endpoint, rtpPort: UInt16) throws(SocketError) {
        rtp = try UDPSocket(boundTo: host.with(port: rtpPort))
        rtcp = try UDPSocket(boundTo: host.with(port: rtpPort + 1))
    }

    var ports: LocalMedia { LocalMedia(rtpPort: rtp.port, rtcpPort: rtcp.port) }
}

/// The configured ports, given out in turn from a random one on, so that a call does not hear the last one's peer.
struct PortAllocator: Sendable {
    /// Even ports whose odd neighbours are in the range as well.
    let rtpPorts: [UInt16]
    let range: ClosedRange<UInt16>
    private var next: Int

    init(range: ClosedRange<UInt16>, random: UInt64) {
        self.range = range
        let first = Int(range.lowerBound) + Int(range.lowerBound) % 2
        rtpPorts = stride(from: first, to: Int(range.upperBound), by: 2).map { UInt16($0) }.filter { $0 > 0 }
        next = rtpPorts.isEmpty ? 0 : Int(random % UInt64(rtpPorts.count))
    }

    /// The first pair of ports that `open` can open, or nil where it can open none. It tries each pair once.
    mutating func allocate<Sockets>(_ open: (UInt16) -> Sockets?) -> Sockets? {
        for _ in rtpPorts.indices {
            let port = rtpPorts[next]
            next = (next + 1) % rtpPorts.count
            if let sockets = open(port) { return sockets }
        }
        return nil
    }
}
