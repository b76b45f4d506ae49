internal import CLinux
internal import EventLoop

/// A bound UDP socket on the event loop.
@DaemonActor final class DatagramSocket {
    let id: UInt64
    /// As bound, with the port the system chose where that was 0.
    let local: SocketAddress
    private let descriptor: Int32
    private var watch: DescriptorWatch?
    private var buffer = [UInt8](repeating: 0, count: DatagramSocket.capacity)
    var onDatagram: (@DaemonActor ([UInt8], SIPSource) -> Void)?
    /// An ICMP error came back for what was sent to this address; the code is an errno.
    var onRefusal: (@DaemonActor (SocketAddress, Int32) -> Void)?

    /// The most that one turn of the loop reads, so that a flood leaves time for all else.
    private static let datagramsPerTurn = 32
    private static let capacity = 65_536

    init(_ address: ListenAddress, id: UInt64) throws(SIPTransportError) {
        var raw = address.address.raw
        let descriptor = clinux_net_udp(&raw)
        guard descriptor >= 0 else { throw .bind(address, code: descriptor) }
        self.id = id
        self.descriptor = descriptor
        local = SocketAddress.bound(descriptor) ?? address.address
        watch = DescriptorWatch(descriptor, for: .read) { [weak self] readiness in self?.ready(readiness) }
        guard watch != nil else {
            close()
            throw .failed(address, operation: "epoll", code: 0)
        }
    }

    /// 0, or a negative errno.
    func send(_ octets: [UInt8], to address: SocketAddress) -> Int32 {
        var raw = address.raw
        return Int32(clamping: min(0, clinux_net_send_to(descriptor, octets, octets.count, &raw)))
    }

    func close() {
        watch?.cancel()
        watch = nil
        onDatagram = nil
        onRefusal = nil
        _ = clinux_net_close(descriptor)
    }

    private func ready(_ readiness: Readiness) {
        if readiness.contains(.hangUp) { takeRefusals() }
        guard readiness.contains(.read) else { return }
        for _ in 0..<Self.datagramsPerTurn {
            guard watch != nil, let onDatagram else { return }  // closed by what the last one led to
            var from = clinux_net_address()
            let count = clinux_net_receive_from(descriptor, &buffer, buffer.count, &from)
            guard count >= 0 else { return }
            guard count <= buffer.count else { continue }
            onDatagram(
                Array(buffer.prefix(Int(count))),
                SIPSource(transport: .udp, address: SocketAddress(from), socket: id))
        }
    }

    private func takeRefusals() {
        for _ in 0..<Self.datagramsPerTurn {
            var to = clinux_net_address()
            let code = clinux_net_take_icmp(descriptor, &to)
            if code > 0 { onRefusal?(SocketAddress(to), code) }
            guard code != 0 else { break }
        }
        _ = clinux_net_pending_error(descriptor)
    }
}

extension SocketAddress {
    /// What a socket is bound to.
    static func bound(_ descriptor: Int32) -> SocketAddress? {
        var raw = clinux_net_address()
        return clinux_net_local(descriptor, &raw) == 0 ? SocketAddress(raw) : nil
    }

    /// The address of ours that packets to this one leave from; nil where there is no route.
    var routeSource: SocketAddress? {
        var remote = raw
        var local = clinux_net_address()
        return clinux_net_source(&remote, &local) == 0 ? SocketAddress(local) : nil
    }
}

extension SIPTransportError {
    /// What a failed bind means; `code` is a negative errno.
    static func bind(_ address: ListenAddress, code: Int32) -> SIPTransportError {
        guard -code == SystemError.addressInUse else { return .failed(address, operation: "bind", code: -code) }
        return .portInUse(address, holder: PortHolder.find(address))
    }
}
