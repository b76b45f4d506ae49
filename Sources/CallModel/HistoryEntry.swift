internal import FoundationEssentials

/// Figures of a call's sound at its end.
public struct CallQuality: Sendable, Hashable {
    public var packetsSent = 0
    public var packetsReceived = 0
    /// Packets that did not come.
    public var lost = 0
    /// Packets that came after their turn to be played.
    public var late = 0
    /// Milliseconds of sound that had to be made up.
    public var concealedMs = 0.0
    public var jitterMs = 0.0
    /// nil where there was no RTCP round trip.
    public var roundTripMs: Double?
    /// Mean opinion score (ITU-T G.107) of what was heard here, 1.0...4.5; nil where there was too little to tell.
    public var mos: Double?
    public init() {}
}

/// A call of the history.
public struct HistoryEntry: Sendable, Hashable {
    /// The call as it ended; one that goes on is as it was recorded last.
    public var call: CallSnapshot
    /// It came in, and nobody could answer it, or did.
    public var missed: Bool
    /// Whether somebody has looked at it since.
    public var seen: Bool

    public init(call: CallSnapshot, missed: Bool, seen: Bool) {
        self.call = call
        self.missed = missed
        self.seen = seen
    }

    /// From the beginning of the conversation to its end, in seconds; nil where one of them is not known.
    public var durationSeconds: Double? {
        guard let connected = call.connectedAt, let ended = call.endedAt else { return nil }
        return max(0, ended.timeIntervalSince(connected))
    }
}

extension CallSnapshot {
    /// Whether somebody called and should be told of it: nobody answered, or nobody was asked. One who may not call has
    /// missed us, not we them.
    ///
    /// - Parameter rang: whether it was shown to anybody; a call that was refused as busy without that counts, too.
    public func isMissed(rang: Bool) -> Bool {
        guard direction == .incoming, connectedAt == nil else { return false }
        return switch endReason {
        case .unanswered, .doNotDisturb: true
        // The daemon was interrupted, or the network was.
        case .failed: true
        case .busy: !rang
        case .localEnded, .remoteEnded, .declined, .answeredElsewhere, .declinedElsewhere, .blocked, .transferred, nil:
            false
        }
    }
}

/// Which calls of the history are wanted.
public struct HistoryQuery: Sendable, Hashable {
    /// Entries, at most, in one answer.
    public static let maximumLimit = 500

    /// 1...500
    public var limit: Int
    /// Only calls older than this one; nil: from the latest on.
    public var before: CallID?
    public var missedOnly: Bool
    /// nil: both.
    public var direction: CallDirection?
    /// Only calls with this handle, in whatever way it is written.
    public var handle: String?

    public init(
        limit: Int = 50, before: CallID? = nil, missedOnly: Bool = false, direction: CallDirection? = nil,
        handle: String? = nil
    ) {
        self.limit = min(max(1, limit), Self.maximumLimit)
        self.before = before
        self.missedOnly = missedOnly
        self.direction = direction
        self.handle = handle
    }
}
