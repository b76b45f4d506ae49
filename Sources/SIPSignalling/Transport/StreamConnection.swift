internal import CLinux
internal import EventLoop
internal import SIP

/// A TCP connection on the event loop, ours or the peer's. Writes wait in a bounded queue; reads become messages.
@DaemonActor final class StreamConnection {
    enum State { case connecting, open, closed }

    let source: SIPSource
    /// Our end, once it is known.
    private(set) var local: SocketAddress?
    private(set) var state: State
    /// Whether a message of the peer's was let in, or we made the connection: others are closed sooner.
    var isTrusted: Bool
    private(set) var lastActivity = MonotonicInstant.now
    private let descriptor: Int32
    private var watch: DescriptorWatch?
    private var framer = StreamFramer()
    private var queue: [UInt8] = []
    private var whenOpen: [@DaemonActor () -> Void] = []
    private weak var owner: (any StreamConnectionOwner)?

    private static let maximumQueue = 256 * 1024
    private static let connectTimeout = Duration.seconds(4)
    private static let readSize = 16_384

    /// Takes over a connection that was accepted.
    init?(accepted descriptor: Int32, from address: SocketAddress, id: UInt64, owner: any StreamConnectionOwner) {
        source = SIPSource(transport: .tcp, address: address, socket: id)
        self.descriptor = descriptor
        self.owner = owner
        state = .open
        isTrusted = false
        local = SocketAddress.bound(descriptor)
        guard startWatching(.read) else { return nil }
    }

    /// Begins a connection; nil where the system refuses at once.
    init?(to address: SocketAddress, id: UInt64, owner: any StreamConnectionOwner) {
        var raw = address.raw
        descriptor = clinux_net_connect(&raw)
        source = SIPSource(transport: .tcp, address: address, socket: id)
        self.owner = owner
        state = .connecting
        isTrusted = true
        guard descriptor >= 0 else { return nil }
        local = SocketAddress.bound(descriptor)
        guard startWatching([.read, .write]) else { return nil }
        Timer(after: Self.connectTimeout) { [weak self] in
            if let self, self.state == .connecting { self.close("no answer to the connection attempt") }
        }
    }

    private func startWatching(_ events: Readiness) -> Bool {
        watch = DescriptorWatch(descriptor, for: events) { [weak self] readiness in self?.ready(readiness) }
        if watch == nil {
            state = .closed
            _ = clinux_net_close(descriptor)
        }
        return watch != nil
    }

    /// Queues `octets`; false where the connection is closed, or closes because the peer does not read. `written` is
    /// called when the connection is open, at once where it is.
    func send(_ octets: [UInt8], written: (@DaemonActor () -> Void)? = nil) -> Bool {
        guard state != .closed else { return false }
        guard queue.count + octets.count <= Self.maximumQueue else {
            close("the peer does not read")
            return false
        }
        queue += octets
        if state == .connecting {
            if let written { whenOpen.append(written) }
            return true
        }
        guard flush() else { return false }
        written?()
        return true
    }

    /// Closes and tells the owner why.
    func close(_ reason: String) {
        guard state != .closed else { return }
        state = .closed
        watch?.cancel()
        watch = nil
        whenOpen = []
        queue = []
        _ = clinux_net_close(descriptor)
        owner?.closed(self, reason: reason)
    }

    private func ready(_ readiness: Readiness) {
        if state == .connecting {
            let code = clinux_net_pending_error(descriptor)
            guard code == 0 else { return close(SystemError.text(code)) }
            guard readiness.contains(.write) else { return }
            state = .open
            local = SocketAddress.bound(descriptor) ?? local
            guard flush() else { return }
            let waiting = whenOpen
            whenOpen = []
            for handler in waiting { handler() }
        } else if readiness.contains(.write), !flush() {
            return
        }
        if readiness.contains(.read) || readiness.contains(.hangUp) { read() }
    }

    private func flush() -> Bool {
        while !queue.isEmpty {
            let count = clinux_net_write(descriptor, queue, queue.count)
            if count == -Int64(SystemError.wouldBlock) { break }
            guard count > 0 else {
                close(SystemError.text(Int32(clamping: count)))
                return false
            }
            lastActivity = .now
            queue.removeFirst(Int(count))
        }
        watch?.update(queue.isEmpty ? .read : [.read, .write])
        return true
    }

    private func read() {
        guard state == .open else { return }
        var buffer = [UInt8](repeating: 0, count: Self.readSize)
        let count = clinux_net_read(descriptor, &buffer, buffer.count)
        if count == -Int64(SystemError.wouldBlock) { return }
        guard count > 0 else {
            return close(count == 0 ? "the peer closed the connection" : SystemError.text(Int32(clamping: count)))
        }
        lastActivity = .now
        framer.append(buffer.prefix(Int(count)))
        do throws(StreamFramer.Failure) {
            while state == .open, let frame = try framer.next() {
                switch frame {
                case .message(let message): owner?.received(message, on: self)
                case .ping: if isTrusted { _ = send([0x0D, 0x0A]) }
                case .pong: break
                }
            }
        } catch {
            // What has no believable length may yet be answered, then nothing that follows can be understood.
            if case .unframed(let message) = error { owner?.received(message, on: self) }
            close("what came is no SIP")
        }
    }
}

/// What a connection tells the transport.
@DaemonActor protocol StreamConnectionOwner: AnyObject {
    func received(_ message: SIPMessage, on connection: StreamConnection)
    func closed(_ connection: StreamConnection, reason: String)
}
