/// What tells which transaction a message belongs to (RFC 3261 §17.1.3, §17.2.3).
public enum TransactionKey: Hashable, Sendable {
    /// A client transaction: the branch that we chose and the method of the request.
    case client(branch: String, method: SIPMethod)
    /// A server transaction of a client that knows RFC 3261. An ACK has the method of its INVITE.
    case server(branch: String, sentBy: String, method: SIPMethod)
    /// A server transaction of an RFC 2543 client, told by all that stays the same.
    case legacy(LegacyIdentity)

    /// What identifies a request without a unique branch.
    public struct LegacyIdentity: Hashable, Sendable {
        let uri: String
        let method: SIPMethod
        let fromTag: String?
        let callID: String
        let number: UInt32
        let via: String
    }

    /// The key of the client transaction that sends `request`; nil where its Via has no branch.
    public init?(clientRequest request: SIPMessage) {
        guard let branch = request.topVia?.branch, let method = request.method else { return nil }
        self = .client(branch: branch, method: method)
    }

    /// The key of the client transaction that `response` answers; nil where it cannot belong to one.
    public init?(response: SIPMessage) {
        guard let branch = response.topVia?.branch, let method = response.cseq?.method else { return nil }
        self = .client(branch: branch, method: method)
    }

    /// The key of the server transaction that `request` makes, repeats or, as an ACK, ends.
    ///
    /// The key of a CANCEL is its own; `cancelledBy` gives that of what it cancels.
    public init?(serverRequest request: SIPMessage) {
        guard let method = request.method else { return nil }
        self.init(request, method: method == .ack ? .invite : method)
    }

    /// The key of the INVITE transaction that `cancel` is meant for (RFC 3261 §9.2).
    public init?(cancelledBy cancel: SIPMessage) { self.init(cancel, method: .invite) }

    private init?(_ request: SIPMessage, method: SIPMethod) {
        guard let via = request.topVia else { return nil }
        if via.hasUniqueBranch, let branch = via.branch {
            let sentBy = via.host.asciiLowercased + (via.port.map { ":\($0)" } ?? "")
            self = .server(branch: branch, sentBy: sentBy, method: method)
            return
        }
        guard let uri = request.requestURI, let callID = request.callID, let cseq = request.cseq else { return nil }
        var hop = via
        hop.received = nil
        hop.wantsRport = false
        self = .legacy(
            LegacyIdentity(
                uri: uri.description, method: method, fromTag: request.from?.tag, callID: callID, number: cseq.number,
                via: hop.description))
    }
}

/// What two copies of one request have in common that came by different ways (RFC 3261 §8.2.2.2).
///
/// A request without a To tag whose key is that of a running transaction that it does not match gets 482.
public struct MergedRequestKey: Hashable, Sendable {
    private let fromTag: String
    private let callID: String
    private let cseq: CSeq

    /// nil where the request is within a dialogue, or has not what the rule needs.
    public init?(_ request: SIPMessage) {
        guard request.isRequest, let to = request.to, to.tag == nil, let fromTag = request.from?.tag,
            let callID = request.callID, let cseq = request.cseq
        else { return nil }
        self.fromTag = fromTag
        self.callID = callID
        self.cseq = cseq
    }
}
