/// What this user agent can do, as its messages say it.
public enum Capabilities {
    public static let allow = "INVITE, ACK, CANCEL, BYE, OPTIONS, PRACK, UPDATE, INFO, REFER, NOTIFY"
    static let methods: Set<SIPMethod> = [
        .invite, .ack, .cancel, .bye, .options, .prack, .update, .info, .refer, .notify,
    ]
    /// Option tags a Require may name.
    static let options: Set<String> = ["100rel", "replaces", "norefersub"]
    public static let supported = "100rel, replaces, norefersub"
    public static let accept = "application/sdp, application/dtmf-relay, application/dtmf"

    /// The answer to OPTIONS, in a dialogue or outside of one (RFC 3261 §11.2).
    public static func response(to request: SIPMessage, localTag: String) -> SIPMessage {
        var response = request.response(200, toTag: localTag)
        response.headers.append(.allow, allow)
        response.headers.append(.accept, accept)
        response.headers.append(.supported, supported)
        return response
    }

    /// 405 (RFC 3261 §8.2.1).
    public static func methodRefusal(of request: SIPMessage, localTag: String) -> SIPMessage {
        var response = request.response(405, toTag: localTag)
        response.headers.append(.allow, allow)
        return response
    }
}

/// What every request is asked before anyone looks at its meaning (RFC 3261 §8.2).
public enum RequestScreening {
    /// The refusal that a request gets by itself: 405, 420 or 415 with what would have been right, or 406; nil where it
    /// is acceptable. ACK is never refused, CANCEL never for an extension.
    public static func refusal(of request: SIPMessage, localTag: String) -> SIPMessage? {
        guard let method = request.method, method != .ack, method != .cancel else { return nil }
        guard Capabilities.methods.contains(method) else {
            return Capabilities.methodRefusal(of: request, localTag: localTag)
        }
        let unknown = request.require.filter { !Capabilities.options.contains($0) }
        if !unknown.isEmpty {
            var response = request.response(420, toTag: localTag)
            response.headers.append(.unsupported, unknown.joined(separator: ", "))
            return response
        }
        let encoding = request.token(.contentEncoding)
        if !request.body.isEmpty, let encoding, !encoding.isValue("identity") {
            var response = request.response(415, toTag: localTag)
            response.headers.append(.acceptEncoding, "identity")
            return response
        }
        if method == .invite, !request.body.isEmpty, !request.hasDescriptionType {
            return typeRefusal(of: request, localTag: localTag)
        }
        if method == .invite, !request.acceptsDescription {
            return request.response(406, reason: "The Answer Is application/sdp", toTag: localTag)
        }
        return nil
    }

    static func typeRefusal(of request: SIPMessage, localTag: String) -> SIPMessage {
        var response = request.response(415, toTag: localTag)
        response.headers.append(.accept, "application/sdp")
        return response
    }
}
