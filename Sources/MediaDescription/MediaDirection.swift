/// Which way media flows, from the point of view of who wrote it (RFC 8866 §6.7, RFC 3264 §5.1).
public enum MediaDirection: String, Sendable, Hashable, CaseIterable {
    case sendrecv, sendonly, recvonly, inactive

    /// Whether the writer sends media.
    public var sends: Bool { self == .sendrecv || self == .sendonly }
    /// Whether the writer is willing to receive media.
    public var receives: Bool { self == .sendrecv || self == .recvonly }

    /// The direction with these two halves.
    public init(sends: Bool, receives: Bool) {
        switch (sends, receives) {
        case (true, true): self = .sendrecv
        case (true, false): self = .sendonly
        case (false, true): self = .recvonly
        case (false, false): self = .inactive
        }
    }

    /// The same stream seen from the other end.
    public var reversed: MediaDirection { MediaDirection(sends: receives, receives: sends) }
}
