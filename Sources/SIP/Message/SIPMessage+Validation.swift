/// What becomes of a message before anyone looks at its meaning.
public enum MessageVerdict: Hashable, Sendable {
    /// Well-formed as far as the transaction user relies on it.
    case acceptable
    /// A request that gets this answer. `unsupported` are the option tags of the Unsupported header of a 420.
    case reject(status: Int, reason: String, unsupported: [String] = [])
    /// Thrown away without an answer: responses and ACKs, and requests an answer to which would reach nobody.
    case drop
}

extension SIPMessage {
    /// Headers that may stand only once, and hold only one value.
    private static let singular: [HeaderName] = [
        .from, .to, .callID, .cseq, .maxForwards, .expires, .rseq, .rack, .contentType, .event, .referTo, .replaces,
    ]

    /// Judges a message that the network sent (RFC 3261 §8.2, §16.3, §18.1.2; the outcomes of RFC 4475).
    ///
    /// - Parameters:
    ///   - schemes: what the Request-URI's may be; others get 416.
    ///   - options: the option tags, in lower case, that a Require may name; nil leaves Require to the caller.
    public func verdict(schemes: Set<String> = ["sip", "sips", "tel"], options: Set<String>? = nil) -> MessageVerdict {
        guard topVia != nil else { return .drop }
        guard case .request(let method, let uri) = startLine else { return responseVerdict }
        let verdict = requestVerdict(method, uri, schemes: schemes, options: options)
        return method == .ack && verdict != .acceptable ? .drop : verdict
    }

    private var responseVerdict: MessageVerdict {
        let isBroken = defects.contains(.truncatedBody) || defects.contains(.malformedContentLength)
        let hasOneVia = (try? vias.count) == 1  // of several, it is not for us (RFC 3261 §8.1.3.3)
        return !hasOneVia || isBroken || from == nil || to == nil || callID == nil || cseq == nil ? .drop : .acceptable
    }

    private func requestVerdict(
        _ method: SIPMethod, _ uri: SIPURI, schemes: Set<String>, options: Set<String>?
    ) -> MessageVerdict {
        if defects.contains(.unsupportedVersion) { return .reject(status: 505, reason: ReasonPhrase.of(505)) }
        if let reason = defectReason ?? headerReason(method) { return .reject(status: 400, reason: reason) }
        guard schemes.contains(uri.scheme) else { return .reject(status: 416, reason: ReasonPhrase.of(416)) }
        if let options, method != .cancel, method != .ack {
            let unknown = headers.values(.require).filter { !options.contains($0.asciiLowercased) }
            if !unknown.isEmpty { return .reject(status: 420, reason: ReasonPhrase.of(420), unsupported: unknown) }
        }
        return .acceptable
    }

    private var defectReason: String? {
        if defects.contains(.malformedRequestLine) { return "Malformed Request-Line" }
        if let uri = requestURI, uri.isSIP, !uri.headers.isEmpty { return "Headers in Request-URI" }
        if defects.contains(.malformedHeaderLine) { return "Malformed Header" }
        if defects.contains(.malformedContentLength) { return "Malformed Content-Length" }
        if defects.contains(.truncatedBody) { return "Body Shorter Than Content-Length" }
        return nil
    }

    private func headerReason(_ method: SIPMethod) -> String? {
        for name in [HeaderName.from, .to, .callID, .cseq] where !headers.contains(name) { return "Missing \(name)" }
        for name in Self.singular where headers.all(name).count > 1 { return "Multiple \(name)" }
        if from == nil { return "Malformed From" }
        if to == nil { return "Malformed To" }
        if callID == nil { return "Malformed Call-ID" }
        guard let cseq else { return "Malformed CSeq" }
        if cseq.method != method { return "CSeq Method Does Not Match" }
        return optionalHeaderReason
    }

    private var optionalHeaderReason: String? {
        if headers.contains(.maxForwards), maxForwards == nil { return "Malformed Max-Forwards" }
        if headers.contains(.rack), rack == nil { return "Malformed RAck" }
        if headers.contains(.contentType), contentType == nil { return "Malformed Content-Type" }
        if (try? vias) == nil { return "Malformed Via" }
        if (try? contacts) == nil { return "Malformed Contact" }
        if (try? routes) == nil { return "Malformed Route" }
        if (try? recordRoutes) == nil { return "Malformed Record-Route" }
        return nil
    }
}
