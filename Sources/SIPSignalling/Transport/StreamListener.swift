internal import CLinux
internal import EventLoop

/// A listening TCP socket on the event loop.
@DaemonActor final class StreamListener {
    /// As bound, with the port the system chose where that was 0.
    let local: SocketAddress
    private let descriptor: Int32
    private var watch: DescriptorWatch?

    private static let acceptsPerTurn = 16

    /// `accepted` owns the descriptor it is given.
    init(
        _ address: ListenAddress, accepted: @escaping @DaemonActor (Int32, SocketAddress) -> Void
    ) throws(SIPTransportError) {
        var raw = address.address.raw
        let descriptor = clinux_net_listen(&raw, 64)
        guard descriptor >= 0 else { throw .bind(address, code: descriptor) }
        self.descriptor = descriptor
        local = SocketAddress.bound(descriptor) ?? address.address
        watch = DescriptorWatch(descriptor, for: .read) { [weak self] _ in
            for _ in 0..<Self.acceptsPerTurn {
                var from = clinux_net_address()
                let connection = clinux_net_accept(descriptor, &from)
                guard connection >= 0 else {
                    if SystemError.isShortage(connection) { self?.pause() }
                    return
                }
                accepted(connection, SocketAddress(from))
            }
        }
        guard watch != nil else {
            close()
            throw .failed(address, operation: "epoll", code: 0)
        }
    }

    /// Without a descriptor to spare nothing can be accepted, and a waiting connection would wake the loop for ever.
    private func pause() {
        watch?.update([])
        Timer(after: .seconds(1)) { [weak self] in self?.watch?.update(.read) }
    }

    func close() {
        watch?.cancel()
        watch = nil
        _ = clinux_net_close(descriptor)
    }
}
