internal import MediaDescription

/// Which direction to write (RFC 3264 §6.1, §8.4, RFC 6337 §5.3).
enum DirectionRule {
    /// What we offer: hold speaks of our side, the peer's hold of theirs.
    static func offer(held: Bool, remoteHeld: Bool) -> MediaDirection {
        MediaDirection(sends: !remoteHeld, receives: !held)
    }

    /// What we answer to `offered`. On hold we are never willing to receive.
    static func answer(to offered: MediaDirection, held: Bool) -> MediaDirection {
        MediaDirection(sends: offered.receives, receives: offered.sends && !held)
    }

    /// What is in force after our `offered` was answered with `answered`: never more than we offered.
    static func agreed(offered: MediaDirection, answered: MediaDirection) -> MediaDirection {
        MediaDirection(
            sends: offered.sends && answered.receives, receives: offered.receives && answered.sends)
    }
}
