internal import EventLoop

/// When the audio session is open: before the first sound, until 2 s after the last, and 10 s with nothing but held
/// calls.
struct SessionPolicy: Sendable {
    enum Decision: Hashable, Sendable {
        case open
        /// Close then, or at once where that is past.
        case close(at: MonotonicInstant)
    }

    /// What needs sound at the moment.
    struct Need: Hashable, Sendable {
        /// Calls that may sound and are not held.
        var activeCalls = 0
        /// Calls that may sound, but are held.
        var heldCalls = 0
        /// Tones, or a ringer on the session's device.
        var hasTone = false

        var isSound: Bool { activeCalls > 0 || hasTone }
    }

    let linger: Duration
    let heldLinger: Duration
    private var need = Need()
    private var lastSound: MonotonicInstant

    init(now: MonotonicInstant, linger: Duration = .seconds(2), heldLinger: Duration = .seconds(10)) {
        lastSound = now
        self.linger = linger
        self.heldLinger = heldLinger
    }

    mutating func update(_ new: Need, at now: MonotonicInstant) -> Decision {
        if need.isSound || new.isSound { lastSound = now }
        need = new
        guard !new.isSound else { return .open }
        return .close(at: lastSound + (new.heldCalls > 0 ? heldLinger : linger))
    }
}
