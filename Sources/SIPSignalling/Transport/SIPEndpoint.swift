public import EventLoop
public import SIP

/// A SIP endpoint on real sockets: transports, name resolution and transactions (RFC 3261 §17, §18; RFC 3263, 3581, 6026).
///
/// All closures are called on the event loop, never from within a method of this class.
@DaemonActor public final class SIPEndpoint {
    /// A new request; retransmissions are absorbed before. Each with a transaction must be answered by `respond`. The ACK of
    /// a 2xx comes with nil. The topmost Via has `received` and `rport` filled in.
    public var onRequest: (@DaemonActor (ServerTransactionID?, SIPMessage, SIPSource) -> Void)?
    /// Asked before anything is answered, malformed requests included: false is silence, and the end of the connection it
    /// came by. Without a filter everyone is let in.
    public var filter: (@DaemonActor (SIPMessage, SIPSource) -> Bool)?
    /// A TCP connection that requests may have come by is gone.
    public var onFlowClosed: (@DaemonActor (SIPSource) -> Void)?

    let transports: TransportLayer
    let resolver: Resolver
    var table: TransactionTable
    var timers: [TransactionKey: [TransactionTimer: Timer]] = [:]
    var clients: [TransactionKey: ClientLeg] = [:]
    var requests: [ClientTransactionID: ClientRequest] = [:]
    /// The way back for each server transaction.
    var sources: [TransactionKey: ReplyRoute] = [:]
    private var nextRequest: UInt64 = 1
    private(set) var isClosed = false

    /// Opens the sockets. IPv4 and IPv6 are apart: `[::]` takes IPv6 only.
    public convenience init(listen: [ListenAddress]) throws(SIPTransportError) {
        try self.init(listen: listen, times: TransactionTimes(), resolver: Resolver())
    }

    init(listen: [ListenAddress], times: TransactionTimes, resolver: Resolver) throws(SIPTransportError) {
        transports = try TransportLayer(listen: listen)
        table = TransactionTable(times: times)
        self.resolver = resolver
        transports.onMessage = { [weak self] in self?.receive($0, from: $1) }
        transports.onRefusal = { [weak self] address, reason in self?.datagramRefused(address, reason) }
        transports.onClosed = { [weak self] source, reason in self?.connectionClosed(source, reason) }
    }

    /// Where we listen, with the ports the system chose where 0 was asked for.
    public var listening: [ListenAddress] { transports.listening }

    /// Closes all sockets. What is under way ends without a word.
    public func close() {
        isClosed = true
        for timer in timers.values.flatMap(\.values) { timer.cancel() }
        timers = [:]
        clients = [:]
        requests = [:]
        sources = [:]
        transports.close()
        (onRequest, filter, onFlowClosed) = (nil, nil, nil)
    }

    // MARK: Requests of ours

    /// Sends a request, which has no Via of ours yet: one with a new branch and rport is put on top for each server tried.
    ///
    /// Large requests go over TCP where UDP was meant, and over UDP where that is refused (RFC 3261 §18.1.1). A server
    /// that does not answer, cannot be reached or says 503 is followed by the next one of its name.
    @discardableResult
    public func send(
        _ request: SIPMessage, to target: SIPTarget, _ handler: @escaping @DaemonActor (ClientTransactionEvent) -> Void
    ) -> ClientTransactionID {
        let client = ClientRequest(id: takeID(), request: request, handler: handler)
        requests[client.id] = client
        resolveWay(target) { [weak self] result in
            guard let self, self.requests[client.id] != nil else { return }
            if client.isCancelled { return self.fail(client, .cancelled) }
            switch result {
            case .failure(let error): self.fail(client, .unresolvable(error.message))
            case .success(.hops(let hops)):
                client.setHops(hops)
                self.tryNext(client)
            case .success(.way(let way)):
                client.attempts = [.init(hop: way.hop, way: way)]
                self.tryNext(client)
            }
        }
        return client.id
    }

    /// Sends the ACK of a 2xx: no transaction, nothing comes back (RFC 3261 §13.2.2.4). Each retransmitted 2xx needs
    /// another call.
    public func sendACK(_ ack: SIPMessage, to target: SIPTarget) {
        resolveWay(target) { [weak self] result in
            guard let self, !self.isClosed, case .success(let found) = result else { return }
            let way: SIPSource?
            switch found {
            case .way(let fixed): way = fixed
            case .hops(let hops): way = hops.lazy.compactMap { try? self.transports.way(to: $0) }.first
            }
            guard let way else { return }
            _ = self.transports.send(self.addingVia(to: ack, over: way).serialized(), way)
        }
    }

    /// Cancels an INVITE of ours (RFC 3261 §9.1): at once, or once the first provisional answer has come. The final answer,
    /// 487 as a rule, still comes; `.failed(.cancelled)` where nothing had left. `reason` is the value of a Reason header.
    public func cancel(_ id: ClientTransactionID, reason: String? = nil) {
        guard let client = requests[id], !client.isCancelled, !client.isFinished else { return }
        client.isCancelled = true
        client.cancelReason = reason
        sendCancel(client)
    }

    // MARK: Requests of others

    /// Answers a request by its Via (RFC 3261 §18.2.2, RFC 3581). Nothing happens where its transaction is over.
    public func respond(_ id: ServerTransactionID, _ response: SIPMessage) {
        perform(table.respond(response, to: id.key, at: now), of: id.key)
    }

    /// The running INVITE that a CANCEL is meant for; nil is answered with 481 (RFC 3261 §9.2).
    public func invite(cancelledBy cancel: SIPMessage) -> ServerTransactionID? {
        table.invite(cancelledBy: cancel).map(ServerTransactionID.init)
    }

    // MARK: Addresses

    /// Where a URI leads, best first; at most 16 places. A flow leads to where it came from.
    public func resolve(
        _ target: SIPTarget, _ handler: @escaping @DaemonActor (Result<[SIPHop], ResolutionError>) -> Void
    ) {
        resolveWay(target) { result in
            handler(
                result.map { found in
                    switch found {
                    case .hops(let hops): hops
                    case .way(let way): [way.hop]
                    }
                })
        }
    }

    /// What Contact and SDP say about us to this peer: our address on the way there, and the port we listen on for this
    /// transport. nil where there is no route.
    public func localAddress(reaching hop: SIPHop) -> SocketAddress? { transports.localAddress(reaching: hop) }

    /// The same for whoever sent us something.
    public func localAddress(reaching source: SIPSource) -> SocketAddress? {
        transports.localAddress(reaching: source.hop, over: source)
    }

    /// Sends a keep-alive (RFC 5626 §3.5.1): a double CRLF, which holds bindings of NAT open. False where the connection is
    /// gone.
    @discardableResult
    public func keepAlive(_ flow: SIPSource) -> Bool {
        transports.isAlive(flow) && transports.send([0x0D, 0x0A, 0x0D, 0x0A], flow) == nil
    }

    var now: SIPInstant { SIPInstant(nanoseconds: MonotonicInstant.now.nanoseconds) }

    func takeID() -> ClientTransactionID {
        defer { nextRequest += 1 }
        return ClientTransactionID(number: nextRequest)
    }

    enum Way {
        case hops([SIPHop])
        case way(SIPSource)
    }

    /// Answers later, never from within.
    private func resolveWay(
        _ target: SIPTarget, _ done: @escaping @DaemonActor (Result<Way, ResolutionError>) -> Void
    ) {
        switch target {
        case .hop(let hop): Task { @DaemonActor in done(.success(.hops([hop]))) }
        case .flow(let flow):
            let found = transports.isAlive(flow) ? Way.way(flow) : .hops([flow.hop])
            Task { @DaemonActor in done(.success(found)) }
        case .uri(let uri):
            do throws(ResolutionError) {
                resolver.locate(try ServerQuestion(uri)) { result in
                    var random = SystemRandomNumberGenerator()
                    done(result.map { .hops($0.hops(using: &random)) })
                }
            } catch {
                let failure = error
                Task { @DaemonActor in done(.failure(failure)) }
            }
        }
    }
}
