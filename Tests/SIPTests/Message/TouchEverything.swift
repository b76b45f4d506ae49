import SIP

/// Reads `octets` as a datagram and asks for everything that a message can be asked for.
@discardableResult
func touchEverything(_ octets: [UInt8]) -> SIPMessage? {
    guard let message = try? SIPMessage(parsing: octets) else { return nil }
    _ = (message.method, message.status, message.reasonPhrase, message.requestURI?.description)
    _ = (message.topVia?.description, message.topVia?.ttl)
    _ = (try? message.vias)?.map { ($0.received, $0.rport, $0.maddr, $0.hasUniqueBranch) }
    for address in [message.from, message.to] { _ = (address?.description, address?.tag) }
    for addresses in [try? message.contacts, try? message.routes, try? message.recordRoutes] {
        for address in addresses ?? [] {
            _ = (address.description, address.uri.user, address.uri.password, address.uri.transport)
        }
        if let first = addresses?.first, let last = addresses?.last { _ = first.uri.isEquivalent(to: last.uri) }
    }
    _ = (try? message.addresses(.referTo), try? message.addresses(.pAssertedIdentity))
    _ = (message.callID, message.cseq, message.maxForwards, message.contentLength, message.contentType?.description)
    _ = (message.expires, message.minExpires, message.retryAfter, message.rseq, message.rack?.description)
    _ = (message.allow, message.supported, message.require, message.tokens(.reason), message.token(.event))
    _ = (try? ReferTarget(of: message))?.description
    _ = message.headers.first(.replaces).flatMap { try? Replaces(parsing: $0) }?.description
    _ = (StatusFragment(of: message), RequestedAnswer(of: message))
    let verdict = message.verdict(options: ["100rel"])
    _ = message.response(to: verdict, toTag: "t")?.serialized()
    _ = message.response(200, toTag: "t", recordsRoute: true).serialized()
    _ = (message.cancel().serialized(), message.ack(for: message.response(486)).serialized())
    _ = (TransactionKey(serverRequest: message), TransactionKey(response: message), MergedRequestKey(message))
    _ = TransactionKey(cancelledBy: message)
    return message
}
