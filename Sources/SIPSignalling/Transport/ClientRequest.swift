internal import EventLoop
internal import SIP

/// A request of ours and the servers it is offered to, one after the other (RFC 3263 §4.3).
@DaemonActor final class ClientRequest {
    /// One place to try.
    struct Attempt {
        var hop: SIPHop
        /// A way that is fixed: no other is looked for while it is there.
        var way: SIPSource?
        /// TCP only because the request is large: UDP to the same place follows (RFC 3261 §18.1.1).
        var isForSize = false
    }

    let id: ClientTransactionID
    /// Without a Via of ours.
    let request: SIPMessage
    let handler: @DaemonActor (ClientTransactionEvent) -> Void
    var attempts: [Attempt] = []
    /// The transaction of the attempt under way.
    var key: TransactionKey?
    var current: Attempt?
    /// Whether it was handed to the network in this attempt.
    var hasLeft = false
    /// A provisional answer came: this server has it.
    var isProceeding = false
    var isCancelled = false
    /// The Reason header of the CANCEL.
    var cancelReason: String?
    /// A final answer or a failure was told.
    var isFinished = false
    var lastFailure: ClientTransactionFailure?

    init(
        id: ClientTransactionID, request: SIPMessage, handler: @escaping @DaemonActor (ClientTransactionEvent) -> Void
    ) {
        self.id = id
        self.request = request
        self.handler = handler
    }

    /// Requests larger than this leave over TCP where UDP was meant, in octets.
    static let datagramLimit = 1_300
    /// What our Via adds, about.
    private static let viaAllowance = 120

    /// Takes the places to try, each large request over TCP before UDP.
    func setHops(_ hops: [SIPHop]) {
        let isLarge = request.serialized().count + Self.viaAllowance > Self.datagramLimit
        attempts = hops.flatMap { hop in
            guard isLarge, hop.transport == .udp else { return [Attempt(hop: hop)] }
            let stream = SIPHop(transport: .tcp, address: hop.address)
            return [Attempt(hop: stream, isForSize: true), Attempt(hop: hop)]
        }
    }

    /// The next place. After a server that answered, its other transport is not tried.
    func nextAttempt(afterAnswer: Bool) -> Attempt? {
        if afterAnswer, current?.isForSize == true, !attempts.isEmpty { attempts.removeFirst() }
        guard !attempts.isEmpty else { return nil }
        current = attempts.removeFirst()
        return current
    }
}

/// A transaction of a request of ours, and the way it takes.
struct ClientLeg {
    let client: ClientRequest
    let way: SIPSource
}
