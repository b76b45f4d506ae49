// What dialogues and sessions ask of a message, leniently: what is malformed counts as absent, the rest was screened.
extension SIPMessage {
    var contactList: [NameAddress] { (try? contacts) ?? [] }

    /// The one Contact that a dialogue's messages have.
    var firstContact: SIPURI? { contactList.first.map(\.uri).flatMap { $0.isSIP && !$0.host.isEmpty ? $0 : nil } }

    var recordRouteList: [NameAddress] { (try? recordRoutes) ?? [] }

    func requires(_ option: String) -> Bool { require.contains(option) }

    /// The body, where it is SDP.
    var sessionDescription: [UInt8]? { !body.isEmpty && hasDescriptionType ? body : nil }

    /// Whether the body, if there is one, is SDP. A peer that leaves out Content-Type means it.
    var hasDescriptionType: Bool { contentType?.isValue("application/sdp") ?? true }

    /// Whether SDP may be answered. Without an Accept header it may (RFC 3261 §20.1); an empty one, which would let nothing
    /// be answered, is passed over.
    var acceptsDescription: Bool {
        let types = tokens(.accept)
        return types.isEmpty
            || types.contains { type in
                ["application/sdp", "application/*", "*/*"].contains { type.isValue($0) }
            }
    }

    mutating func setSessionDescription(_ description: [UInt8]) {
        headers.set(.contentType, "application/sdp")
        body = description
    }
}

extension SIPURI {
    /// Without what may not stand in a Request-URI (RFC 3261 §19.1.1, Table 1).
    var asRequestURI: SIPURI {
        var uri = self
        uri.headers = []
        uri.parameters["method"] = nil
        return uri
    }
}

extension NameAddress {
    /// The `q` of a Contact, in thousandths; 1000 where there is none (RFC 3261 §20.10).
    var quality: Int {
        guard let text = parameters["q"] else { return 1_000 }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first.flatMap({ Int($0) }), (0...1).contains(whole) else { return 0 }
        let fraction = parts.count > 1 ? String(parts[1].prefix(3)) : ""
        let digits = fraction + String(repeating: "0", count: 3 - fraction.count)
        return min(1_000, whole * 1_000 + (Int(digits) ?? 0))
    }
}
