public import MediaDescription

/// The directions of hold (RFC 3264 §8.4, RFC 6337 §5.3).
extension MediaDirection {
    /// What we offer: hold is `sendonly`, or `inactive` to a peer who holds us; resume is `sendrecv`, or `recvonly`
    /// while they hold us.
    public static func offer(held: Bool, remoteHeld: Bool) -> MediaDirection {
        MediaDirection(sends: !remoteHeld, receives: !held)
    }

    /// What we answer to the peer's `offer`: its mirror, less what our own hold does not receive. While we hold, sendrecv
    /// and recvonly are answered `sendonly`, sendonly and inactive `inactive`.
    public static func answer(to offer: MediaDirection, held: Bool) -> MediaDirection {
        MediaDirection(sends: offer.receives, receives: offer.sends && !held)
    }

    /// Whether an offer with this direction holds whoever is offered it.
    public var holdsPeer: Bool { !receives }
}
