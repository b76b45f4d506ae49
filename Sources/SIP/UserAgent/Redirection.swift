/// Where a call is still to be tried after 3xx responses (RFC 3261 §8.1.3.4): each place once, in order of q, not
/// without end.
struct Redirection: Sendable {
    static let maximumTargets = 8

    private var waiting: [SIPURI] = []
    private var seen: [SIPURI]

    init(first: SIPURI) { seen = [first] }

    /// Adds the Contacts of a 3xx in front of what was waiting.
    mutating func add(_ response: SIPMessage) {
        let offered = response.contactList.enumerated().sorted { left, right in
            (right.element.quality, left.offset) < (left.element.quality, right.offset)
        }
        var new: [SIPURI] = []
        for contact in offered.map(\.element) where seen.count < Self.maximumTargets {
            // Headers in the URI would let the redirecting server write our request.
            var uri = contact.uri
            uri.headers = []
            guard uri.scheme == "sip", !uri.host.isEmpty, !seen.contains(where: { $0.isEquivalent(to: uri) }) else {
                continue
            }
            seen.append(uri)
            new.append(uri)
        }
        waiting = new + waiting
    }

    mutating func next() -> SIPURI? { waiting.isEmpty ? nil : waiting.removeFirst() }
}
