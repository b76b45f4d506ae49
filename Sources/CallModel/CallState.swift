/// Who began a call.
public enum CallDirection: String, Sendable, Hashable, CaseIterable {
    case incoming, outgoing
}

/// The life of a call: `incoming` or `connecting`, then `ringing` (outgoing only), `connected`, `ended`.
public enum CallState: String, Sendable, Hashable, CaseIterable {
    case incoming, connecting, ringing, connected, ended
}
