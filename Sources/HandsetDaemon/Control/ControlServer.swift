internal import CLinux
internal import CallModel
public import ControlProtocol
public import EventLoop
internal import FoundationEssentials
internal import Glibc

/// The control socket: several clients, each request answered under its id, events to whoever subscribes.
@DaemonActor public final class ControlServer {
    /// Connections at once, at most.
    public nonisolated static let maximumClients = 64

    /// The name of this run of the daemon, in which the events are numbered.
    public let instance: String
    /// Something about the socket or its group that is not as configured, for the log.
    public private(set) var warning: String?
    unowned let backend: any ControlBackend
    private let group: gid_t?
    private var listener: ControlListener?
    private var watch: DescriptorWatch?
    private(set) var clients: [ObjectIdentifier: ControlClient] = [:]
    var log: EventLog<[UInt8]>
    var tokens = Tokens()
    /// By the call that each has.
    var errands: [CallID: Errand] = [:]
    /// How long a client that has lost its connection has to ask again under its token.
    var errandPatience = Duration.seconds(2)

    /// - Parameters:
    ///   - group: whose members may connect, besides root and our own user; empty: nobody else.
    ///   - backend: answers the requests; must outlive the server.
    public init(group: String, backend: any ControlBackend) {
        self.backend = backend
        instance = CallID().description
        log = EventLog(instance: instance)
        // Asked once, at the start, since the name service may take its time.
        let number = group.isEmpty ? -Int64(ENOENT) : clinux_group_number(group)
        self.group = gid_t(exactly: number)
        if !group.isEmpty, self.group == nil {
            warning = "there is no group \"\(group)\": only root and this user may use the control socket"
        }
    }

    /// Listens at `path`. Throws with what is wrong; who holds a path that is in use.
    public func listen(path: String) throws(ControlSocketError) {
        try start(ControlListener(path: path, group: group))
    }

    /// Listens on a socket that systemd passed; its path stays.
    public func listen(inherited descriptor: Int32) throws(ControlSocketError) {
        try start(ControlListener(inherited: descriptor))
    }

    private func start(_ listener: ControlListener) throws(ControlSocketError) {
        self.listener = listener
        warning = listener.warning ?? warning
        watch = DescriptorWatch(listener.descriptor, for: .read) { [weak self] _ in self?.accept() }
        guard watch != nil else { throw ControlSocketError(message: "the control socket cannot be watched") }
    }

    /// Ends every connection and the socket, and unlinks it where it is ours.
    public func close() {
        watch?.cancel()
        watch = nil
        listener?.close()
        listener = nil
        for client in clients.values { client.close() }
    }

    /// Tells all subscribers, and keeps the event for those who come later.
    public func publish(_ event: ControlEvent) {
        let params = event.params(seq: log.sequence + 1, time: Date())
        let line = ControlReply.event(params).line + [UInt8(ascii: "\n")]
        log.append(line)
        for client in clients.values where client.isSubscribed { client.send(line) }
    }

    // MARK: Connections

    private func accept() {
        guard let listener else { return }
        while true {
            let descriptor = clinux_unix_accept(listener.descriptor)
            if descriptor == -ECONNABORTED || descriptor == -EINTR { continue }
            if descriptor < 0 {
                if descriptor != -EAGAIN { pause() }
                return
            }
            admit(descriptor)
        }
    }

    /// No descriptor is free: a connection that waits would wake the loop again and again.
    private func pause() {
        watch?.update([])
        Timer(after: .milliseconds(200)) { [weak self] in self?.watch?.update(.read) }
    }

    private func admit(_ descriptor: Int32) {
        var peer = clinux_peer()
        guard clinux_unix_peer(descriptor, &peer) == 0, mayConnect(peer, descriptor) else {
            let advice = group == nil ? "" : ", or a member of the group that control.group names"
            refuse(descriptor, "the control socket is for root and the daemon's own user\(advice)")
            return
        }
        guard clients.count < Self.maximumClients else {
            refuse(descriptor, "\(Self.maximumClients) clients are connected, and no more are taken: close one")
            return
        }
        let client = ControlClient(
            descriptor: descriptor, user: peer.uid,
            onLine: { [weak self] client, line, readAt in self?.handle(line, of: client, readAt: readAt) },
            onClose: { [weak self] client in self?.hasClosed(client) })
        if let client { clients[ObjectIdentifier(client)] = client }
    }

    private func hasClosed(_ client: ControlClient) {
        clients[ObjectIdentifier(client)] = nil
        guard !errands.isEmpty else { return }
        Timer(after: errandPatience) { [weak self] in
            guard let self else { return }
            for (call, errand) in errands where !errand.isAwaited() {
                errands[call] = nil
                errand.giveUp()
            }
        }
    }

    private func mayConnect(_ peer: clinux_peer, _ descriptor: Int32) -> Bool {
        if peer.uid == 0 || peer.uid == geteuid() { return true }
        guard let group else { return false }
        return peer.gid == group || clinux_unix_peer_in_group(descriptor, group) == 1
    }

    private func refuse(_ descriptor: Int32, _ message: String) {
        // A connection closed over what was not read is reset, and the reason lost: what was asked already is taken, and
        // nothing more comes.
        shutdown(descriptor, Int32(SHUT_RD))
        var asked = [UInt8](repeating: 0, count: 65_536)
        while Glibc.read(descriptor, &asked, asked.count) > 0 {}
        let line = ControlReply.failure(id: .null, .failed(.notPermitted, message)).line + [UInt8(ascii: "\n")]
        _ = line.withUnsafeBytes { clinux_unix_send(descriptor, $0.baseAddress, $0.count) }
        Glibc.close(descriptor)
    }
}
