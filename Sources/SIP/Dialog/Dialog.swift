/// One dialogue with one remote party (RFC 3261 §12): what a request within it must carry, and which are in order.
public struct Dialog: Sendable {
    /// What names a dialogue at our side (§12).
    public struct ID: Sendable, Hashable {
        public var callID: String
        public var localTag: String
        public var remoteTag: String

        public init(callID: String, localTag: String, remoteTag: String) {
            self.callID = callID
            self.localTag = localTag
            self.remoteTag = remoteTag
        }
    }

    public let id: ID
    /// The From of our requests and the To of theirs, tag included, as first written.
    let local: String
    let remote: String
    /// Where requests go: the peer's Contact, replaced by every target refresh (§12.2.1.2).
    public private(set) var remoteTarget: SIPURI
    /// The proxies to pass, in order, as written in Record-Route.
    public private(set) var routeSet: [NameAddress]
    /// A 2xx has been sent or received.
    public private(set) var isConfirmed: Bool
    private var localSequence: UInt32
    private var remoteSequence: UInt32?

    // MARK: Creation

    /// The dialogue that `response` (101...299) to our `request` creates (§12.1.2); nil where the response lacks a To
    /// tag. Each To tag is a dialogue of its own: a forked INVITE has several.
    public init?(caller request: SIPMessage, response: SIPMessage) {
        guard let status = response.status, (101...299).contains(status), let cseq = request.cseq,
            let local = request.headers.first(.from), let localTag = request.from?.tag,
            let remote = response.headers.first(.to), let remoteTag = response.to?.tag, !remoteTag.isEmpty,
            let callID = request.callID, let requestURI = request.requestURI
        else { return nil }
        id = ID(callID: callID, localTag: localTag, remoteTag: remoteTag)
        self.local = local
        self.remote = remote
        // Some leave Contact out of 18x; what reached them once will do until the 2xx.
        remoteTarget = response.firstContact ?? requestURI
        routeSet = Array(response.recordRouteList.reversed())
        isConfirmed = status >= 200
        localSequence = cseq.number
    }

    /// The dialogue that a response of ours with `localTag` to the peer's `request` creates (§12.1.1); nil where the
    /// request lacks what is needed for it.
    public init?(callee request: SIPMessage, localTag: String) {
        guard let cseq = request.cseq, let remote = request.headers.first(.from),
            let to = request.headers.first(.to), let callID = request.callID, let target = request.firstContact
        else { return nil }
        // RFC 2543 peers have no From tag; theirs is then the empty one (§12.1.1).
        id = ID(callID: callID, localTag: localTag, remoteTag: request.from?.tag ?? "")
        local = to + ";tag=" + localTag
        self.remote = remote
        remoteTarget = target
        routeSet = request.recordRouteList
        isConfirmed = false
        localSequence = 0
        remoteSequence = cseq.number
    }

    // MARK: Changes

    /// A 2xx was sent.
    mutating func confirm() { isConfirmed = true }

    /// A 2xx was received: its route set replaces that of the early dialogue (§13.2.2.4).
    mutating func confirm(with response: SIPMessage) {
        isConfirmed = true
        routeSet = Array(response.recordRouteList.reversed())
        refreshTarget(from: response)
    }

    /// Takes the Contact of a target refresh (INVITE, UPDATE and their 2xx); without one the target stays (§12.2).
    mutating func refreshTarget(from message: SIPMessage) {
        if let target = message.firstContact { remoteTarget = target }
    }

    /// Whether the peer's request is in order: a sequence number lower than one before is to be answered 500 (§12.2.2).
    /// ACK and CANCEL carry the number of their INVITE and are not asked about.
    mutating func takes(_ request: SIPMessage) -> Bool {
        guard let number = request.cseq?.number else { return false }
        if let last = remoteSequence, number <= last { return false }
        remoteSequence = number
        return true
    }

    // MARK: Requests

    /// The URI to which the next request is sent: the first route or the target (§12.2.1.1).
    public var nextHop: SIPURI { routeSet.first?.uri ?? remoteTarget }

    /// A new request within the dialogue, without Via, with the next sequence number.
    mutating func request(_ method: SIPMethod) -> SIPMessage {
        request(method, sequence: nextSequence())
    }

    /// The number of a request that is built by repeating another one.
    mutating func nextSequence() -> UInt32 {
        localSequence &+= 1
        return localSequence
    }

    /// The ACK of a 2xx to the INVITE with this sequence number (§13.2.2.4).
    func acknowledgement(sequence: UInt32) -> SIPMessage { request(.ack, sequence: sequence) }

    private func request(_ method: SIPMethod, sequence: UInt32) -> SIPMessage {
        var uri = remoteTarget
        var routes = routeSet
        if let first = routes.first, !first.uri.isLooseRouter {
            // A strict router wants itself in the Request-URI and the target at the end (§12.2.1.1).
            uri = first.uri
            routes.removeFirst()
            routes.append(NameAddress(uri: remoteTarget))
        }
        var message = SIPMessage(method: method, uri: uri.asRequestURI)
        for route in routes { message.headers.append(.route, route.description) }
        message.headers.append(.maxForwards, "70")
        message.headers.append(.from, local)
        message.headers.append(.to, remote)
        message.headers.append(.callID, id.callID)
        message.headers.append(.cseq, "\(sequence) \(method.rawValue)")
        return message
    }
}
