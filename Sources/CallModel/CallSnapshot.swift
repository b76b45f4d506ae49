public import FoundationEssentials

/// What may be asked of a call now.
public struct CallCapabilities: Sendable, Hashable {
    public var hold: Bool
    public var group: Bool
    public var ungroup: Bool
    public var dtmf: Bool
    public var transfer: Bool

    public init(
        hold: Bool = false, group: Bool = false, ungroup: Bool = false, dtmf: Bool = false, transfer: Bool = false
    ) {
        self.hold = hold
        self.group = group
        self.ungroup = ungroup
        self.dtmf = dtmf
        self.transfer = transfer
    }
}

/// A call at one moment, as control clients see it. What is not known is nil.
public struct CallSnapshot: Sendable, Hashable {
    public var id: CallID
    public var direction: CallDirection
    public var state: CallState
    public var handle: Handle
    public var displayName: String?
    /// The account's name; nil for a direct call.
    public var account: String?
    public var held = false
    public var remoteHeld = false
    public var muted = false
    public var earmuffed = false
    /// The conference the call is in; nil outside one.
    public var group: GroupID?
    public var capabilities = CallCapabilities()
    /// The codec as its rtpmap names it.
    public var codec: String?
    /// `none`, or the SRTP suite as RFC 4568 names it.
    public var security: String?
    /// When the call was dialled or came in.
    public var startedConnectingAt: Date?
    public var connectedAt: Date?
    public var endedAt: Date?
    public var endReason: EndReason?
    /// The file that it is recorded to; at its end, and in the history, the last one. nil: none.
    public var recording: String?
    /// The file that its remote party hears in place of the microphone; nil: none.
    public var playing: String?
    /// What it is for where it is nobody's conversation.
    public var service: CallService?
    /// Figures of its sound; nil before its end, and where there was none.
    public var quality: CallQuality?

    public init(id: CallID, direction: CallDirection, state: CallState, handle: Handle) {
        self.id = id
        self.direction = direction
        self.state = state
        self.handle = handle
    }

    /// The names of the members that differ from those of `earlier`, in the order in which control clients see them.
    public func changed(since earlier: CallSnapshot) -> [String] {
        var names: [String] = []
        func note(_ name: String, _ differs: Bool) { if differs { names.append(name) } }
        note("id", id != earlier.id)
        note("direction", direction != earlier.direction)
        note("state", state != earlier.state)
        note("handle", handle != earlier.handle)
        note("displayName", displayName != earlier.displayName)
        note("account", account != earlier.account)
        note("held", held != earlier.held)
        note("remoteHeld", remoteHeld != earlier.remoteHeld)
        note("muted", muted != earlier.muted)
        note("earmuffed", earmuffed != earlier.earmuffed)
        note("group", group != earlier.group)
        note("capabilities", capabilities != earlier.capabilities)
        note("codec", codec != earlier.codec)
        note("security", security != earlier.security)
        note("startedConnectingAt", startedConnectingAt != earlier.startedConnectingAt)
        note("connectedAt", connectedAt != earlier.connectedAt)
        note("endedAt", endedAt != earlier.endedAt)
        note("endReason", endReason != earlier.endReason)
        note("recording", recording != earlier.recording)
        note("playing", playing != earlier.playing)
        note("service", service != earlier.service)
        note("quality", quality != earlier.quality)
        return names
    }
}
