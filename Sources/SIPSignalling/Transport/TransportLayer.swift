internal import CLinux
internal import EventLoop
internal import SIP

/// The sockets of an endpoint: UDP sockets, TCP listeners and connections (RFC 3261 §18).
@DaemonActor final class TransportLayer: StreamConnectionOwner {
    /// A whole message came; its Via is as it was sent.
    var onMessage: (@DaemonActor (SIPMessage, SIPSource) -> Void)?
    /// What was sent to this peer over UDP did not reach it.
    var onRefusal: (@DaemonActor (SocketAddress, String) -> Void)?
    /// A connection is gone: what was sent over it gets no answer there.
    var onClosed: (@DaemonActor (SIPSource, String) -> Void)?

    private(set) var sockets: [DatagramSocket] = []
    private var listeners: [StreamListener] = []
    private var connections: [UInt64: StreamConnection] = [:]
    private var nextID: UInt64 = 1
    private var sweep: Timer?

    static let maximumConnections = 256
    /// A connection that nobody was let in over is closed after this, another one after `trustedIdle`.
    private static let strangerIdle = 32_000.0
    private static let trustedIdle = 7_200_000.0

    init(listen: [ListenAddress]) throws(SIPTransportError) {
        do throws(SIPTransportError) {
            for address in listen {
                switch address.transport {
                case .udp: sockets.append(try openSocket(address))
                case .tcp:
                    listeners.append(
                        try StreamListener(address) { [weak self] in self?.accept($0, from: $1) })
                }
            }
        } catch {
            close()
            throw error
        }
        scheduleSweep()
    }

    /// Where we listen, with the ports the system chose.
    var listening: [ListenAddress] {
        sockets.map { ListenAddress(transport: .udp, address: $0.local) }
            + listeners.map { ListenAddress(transport: .tcp, address: $0.local) }
    }

    func close() {
        sweep?.cancel()
        for socket in sockets { socket.close() }
        for listener in listeners { listener.close() }
        onClosed = nil
        for connection in connections.values { connection.close("we close") }
        (sockets, listeners, connections) = ([], [], [:])
    }

    // MARK: Sending

    /// The way to a place: the socket or connection that is used for it, made where there is none. Throws why not.
    func way(to hop: SIPHop) throws(ClientTransactionFailure) -> SIPSource {
        switch hop.transport {
        case .udp:
            guard let socket = socket(reaching: hop.address) else {
                throw .unreachable("no UDP socket can reach \(hop.address): see sip.listen")
            }
            return SIPSource(transport: .udp, address: hop.address, socket: socket.id)
        case .tcp:
            if let known = connections.values.first(where: { $0.state != .closed && $0.source.address == hop.address })
            {
                return known.source
            }
            guard makeRoom() else { throw .unreachable("\(Self.maximumConnections) connections are open already") }
            guard let connection = StreamConnection(to: hop.address, id: takeID(), owner: self) else {
                throw .unreachable("no connection to \(hop.address) can be begun: is there a route?")
            }
            connections[connection.source.socket] = connection
            return connection.source
        }
    }

    /// Whether the socket or connection is still there.
    func isAlive(_ way: SIPSource) -> Bool {
        way.transport == .udp ? sockets.contains { $0.id == way.socket } : connections[way.socket] != nil
    }

    /// Sends; nil where it has left or waits for its connection, else why not. `left` is called when it has left.
    func send(_ octets: [UInt8], _ way: SIPSource, left: (@DaemonActor () -> Void)? = nil) -> String? {
        switch way.transport {
        case .udp:
            guard let socket = sockets.first(where: { $0.id == way.socket }) else { return "the socket is closed" }
            let code = socket.send(octets, to: way.address)
            // A full buffer is a lost packet: the retransmission follows.
            guard code == 0 || code == -SystemError.wouldBlock else { return SystemError.text(code) }
            left?()
            return nil
        case .tcp:
            guard let connection = connections[way.socket] else { return "the connection is closed" }
            return connection.send(octets, written: left) ? nil : "the connection is closed"
        }
    }

    /// What a Via and a Contact say about us to a peer: our address on the way there, and the port we listen on.
    func localAddress(reaching hop: SIPHop, over way: SIPSource? = nil) -> SocketAddress? {
        guard var local = hop.address.routeSource else { return nil }
        let listening = listening.filter { $0.address.isIPv6 == local.isIPv6 }
        if let way, way.transport == .udp, let socket = sockets.first(where: { $0.id == way.socket }) {
            return socket.local.isWildcard
                ? SocketAddress(octets: local.octets, port: socket.local.port) : socket.local
        }
        let candidates = listening.filter { $0.transport == hop.transport }
        let best =
            candidates.first { $0.address.isSameHost(as: local) } ?? candidates.first { $0.address.isWildcard }
            ?? candidates.first
        if let best {
            local.port = best.address.port
            return best.address.isWildcard ? local : best.address
        }
        if let way, let connection = connections[way.socket], let bound = connection.local { return bound }
        local.port = listening.first?.address.port ?? 5060
        return local
    }

    /// Marks the peer of this connection as one that was let in.
    func trust(_ source: SIPSource) { connections[source.socket]?.isTrusted = true }

    /// Closes the connection of a peer nobody was let in from; silence is all it gets.
    func dropStranger(_ source: SIPSource) {
        guard let connection = connections[source.socket], !connection.isTrusted else { return }
        connection.close("a stranger")
    }

    /// The socket for a destination: bound to the address that packets leave from, else to any; one is opened where none
    /// of that family is.
    private func socket(reaching address: SocketAddress) -> DatagramSocket? {
        let family = sockets.filter { $0.local.isIPv6 == address.isIPv6 }
        if family.count > 1, let source = address.routeSource,
            let exact = family.first(where: { $0.local.isSameHost(as: source) })
        {
            return exact
        }
        if let socket = family.first(where: { $0.local.isWildcard }) ?? family.first { return socket }
        let any = SocketAddress(octets: Array(repeating: 0, count: address.octets.count), port: 0)
        guard let opened = try? openSocket(ListenAddress(transport: .udp, address: any)) else { return nil }
        sockets.append(opened)
        return opened
    }

    // MARK: Receiving

    func received(_ message: SIPMessage, on connection: StreamConnection) { onMessage?(message, connection.source) }

    func closed(_ connection: StreamConnection, reason: String) {
        connections[connection.source.socket] = nil
        // Later: a send may be what found it closed, and its caller is not told from within.
        Task { @DaemonActor in self.onClosed?(connection.source, reason) }
    }

    private func openSocket(_ address: ListenAddress) throws(SIPTransportError) -> DatagramSocket {
        let socket = try DatagramSocket(address, id: takeID())
        socket.onDatagram = { [weak self] octets, source in
            // What is no SIP at all gets nothing; keep-alives are empty.
            guard let message = try? SIPMessage(parsing: octets) else { return }
            self?.onMessage?(message, source)
        }
        socket.onRefusal = { [weak self] address, code in self?.onRefusal?(address, SystemError.text(code)) }
        return socket
    }

    private func accept(_ descriptor: Int32, from address: SocketAddress) {
        guard makeRoom() else {
            _ = clinux_net_close(descriptor)
            return
        }
        let connection = StreamConnection(accepted: descriptor, from: address, id: takeID(), owner: self)
        if let connection { connections[connection.source.socket] = connection }
    }

    private func takeID() -> UInt64 {
        defer { nextID += 1 }
        return nextID
    }

    /// Closes the stranger that has been silent longest where all places are taken.
    private func makeRoom() -> Bool {
        guard connections.count >= Self.maximumConnections else { return true }
        let strangers = connections.values.filter { !$0.isTrusted }
        guard let oldest = strangers.min(by: { $0.lastActivity < $1.lastActivity }) else { return false }
        oldest.close("others need its place")
        return true
    }

    private func scheduleSweep() {
        sweep = Timer(after: .seconds(15)) { [weak self] in
            guard let self else { return }
            let now = MonotonicInstant.now
            for connection in self.connections.values {
                let limit = connection.isTrusted ? Self.trustedIdle : Self.strangerIdle
                if now.milliseconds(since: connection.lastActivity) > limit { connection.close("idle") }
            }
            self.scheduleSweep()
        }
    }
}
