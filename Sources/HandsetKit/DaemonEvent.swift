public import FoundationEssentials

/// Something that the daemon told.
public struct DaemonEvent: Sendable, Hashable {
    /// Where a client that has seen this event may go on: give it to `Handset.events(since:)`.
    public var cursor: EventCursor
    /// When it happened, by the daemon's clock.
    public var time: Date?
    /// As the protocol names it, such as `call.incoming`.
    public var type: String
    /// What it says; nil for a type that this version does not know.
    public var content: ControlEvent?
    /// All of it, as the daemon sent it.
    public var params: JSONObject

    /// Reads the params of a notification; nil where they have no number or no type.
    init?(_ params: JSONObject, instance: String) {
        guard let seq = params["seq"]?.integer, let type = params["type"]?.string else { return nil }
        cursor = EventCursor(instance: instance, seq: seq)
        time = params["time"]?.date
        self.type = type
        content = ControlEvent(params: params)
        self.params = params
    }
}

/// Why events are missing before the next one. Ask `Handset.calls` how things are.
public enum EventGap: Sendable, Hashable {
    /// The daemon was started anew: the calls of before are over. What it has told since follows.
    case daemonRestarted
    /// More happened while there was no connection than the daemon keeps (1,024 events).
    case tooLongAway
    /// The reader was so slow that its buffer was full; so many of the oldest were thrown away.
    case readerTooSlow(missed: Int)
}

/// What a reader of events is told.
public enum EventNotice: Sendable, Hashable {
    case event(DaemonEvent)
    case gap(EventGap)
    /// The daemon has gone. A client that reconnects tries to come back by itself.
    case disconnected(HandsetError)
    /// The daemon is back; what happened meanwhile follows.
    case reconnected
}
