extension SIPMessage {
    /// A response to this request (RFC 3261 §8.2.6): Via, From, To, Call-ID and CSeq are the request's.
    ///
    /// - Parameters:
    ///   - reason: the registered phrase unless given.
    ///   - toTag: put into To where the request has none there, and the status is not 100.
    ///   - recordsRoute: whether Record-Route is taken over, as what makes a dialogue must (RFC 3261 §12.1.1).
    public func response(
        _ status: Int, reason: String? = nil, toTag: String? = nil, recordsRoute: Bool = false
    ) -> SIPMessage {
        var response = SIPMessage(status: status, reason: reason)
        for field in headers.fields {
            switch field.name {
            case .via, .from, .callID, .cseq: response.headers.append(field.name, field.value)
            case .to: response.headers.append(.to, status == 100 ? field.value : Self.tagged(field.value, toTag))
            case .recordRoute where recordsRoute: response.headers.append(.recordRoute, field.value)
            case .timestamp where status == 100: response.headers.append(.timestamp, field.value)
            default: break
            }
        }
        return response
    }

    /// The answer that a verdict asks for; nil where it asks for none.
    public func response(to verdict: MessageVerdict, toTag: String) -> SIPMessage? {
        guard isRequest, case .reject(let status, let reason, let unsupported) = verdict else { return nil }
        var response = response(status, reason: reason, toTag: toTag)
        if !unsupported.isEmpty { response.headers.append(.unsupported, unsupported.joined(separator: ", ")) }
        return response
    }

    /// The ACK of a final answer other than 2xx to this INVITE (RFC 3261 §17.1.1.3): the same hop, the same branch.
    public func ack(for response: SIPMessage) -> SIPMessage { sameHopRequest(.ack, to: response.headers.first(.to)) }

    /// The CANCEL of this request (RFC 3261 §9.1): the same hop, the same branch.
    public func cancel() -> SIPMessage { sameHopRequest(.cancel, to: headers.first(.to)) }

    private func sameHopRequest(_ method: SIPMethod, to: String?) -> SIPMessage {
        var request = SIPMessage(method: method, uri: requestURI ?? SIPURI(host: ""))
        var hasVia = false
        for field in headers.fields {
            switch field.name {
            case .via where !hasVia:
                hasVia = true
                request.headers.append(.via, topVia?.description ?? field.value)
            case .route, .from, .callID, .maxForwards: request.headers.append(field.name, field.value)
            case .to: request.headers.append(.to, to ?? field.value)
            case .cseq:
                let number = cseq?.number ?? 0
                request.headers.append(.cseq, CSeq(number: number, method: method).description)
            default: break
            }
        }
        return request
    }

    /// `value`, the text of a To header, with `tag` where it has none. Text that cannot be read stays as it is.
    private static func tagged(_ value: String, _ tag: String?) -> String {
        guard let tag, let address = try? NameAddress(parsing: value), address.tag == nil else { return value }
        var tagged = address
        tagged.tag = tag
        return tagged.description
    }
}
