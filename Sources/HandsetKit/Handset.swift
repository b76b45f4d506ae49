internal import Synchronization

/// A connection to handsetd: its calls, from any Swift program.
///
/// Any number of tasks may use it at once. Requests are begun in the order in which they are made. A task that is
/// cancelled stops waiting (`HandsetError.cancelled`); what was sent is carried out all the same.
///
/// Every request that changes something carries a token by which the daemon knows it again, so that it is never carried
/// out twice, however often the connection is lost. Who wants to be sure of that over the end of their own program, too,
/// gives a `token` of their own: within an hour the daemon answers it with the first result.
///
/// ```swift
/// let handset = try await Handset.connect()
/// let call = try await handset.dial("sip:door@192.168.1.20", waiting: true).call
/// try await handset.hold(call.id)
/// ```
public final class Handset: Sendable {
    let link: Link

    private init(_ link: Link) { self.link = link }

    deinit { link.close() }

    /// Connects to the daemon. Throws `unreachable` where none answers, and `refused` where it lets this user not in.
    ///
    /// - Parameters:
    ///   - path: its control socket; nil: the places in which handsetd makes it, see handset(1).
    ///   - reconnection: what is done when the daemon goes.
    public static func connect(
        to path: String? = nil, reconnection: Reconnection = .persistent()
    ) async throws(HandsetError) -> Handset {
        let link = try Link(places: path.map { [$0] }, reconnection: reconnection)
        try await link.open()
        return Handset(link)
    }

    /// The socket at which the daemon answered last.
    public var path: String { link.state.withLock(\.path) }

    /// Ends the connection: requests fail with `closed`, streams of events end. Letting all references go does the same.
    public func close() { link.close() }

    // MARK: Requests

    /// Sends a request and returns its result as the daemon gives it.
    ///
    /// - Parameter token: by which the daemon knows it again; nil: a new one, where the request changes something.
    @discardableResult
    public func request(_ request: ControlRequest, token: String? = nil) async throws(HandsetError) -> JSONValue {
        try await send(request.envelope(id: .null), token: token)
    }

    /// Sends a request of any method, for those that have no function here.
    @discardableResult
    public func request(
        _ method: ControlMethod, _ params: JSONObject, token: String? = nil
    ) async throws(HandsetError) -> JSONValue {
        try await send(ControlEnvelope(id: .null, method, params), token: token)
    }

    private func send(_ envelope: ControlEnvelope, token: String?) async throws(HandsetError) -> JSONValue {
        var envelope = envelope
        let isQuestion = ControlMethod(rawValue: envelope.method)?.isQuestion ?? false
        if !isQuestion, envelope.params["token"] == nil {
            envelope.params["token"] = .string(token ?? CallID().description)
        }
        return try await link.ask(envelope, isQuestion: isQuestion).get()
    }

    /// Sends a request and reads its result.
    func result<Value>(
        _ request: ControlRequest, token: String? = nil, _ read: (JSONValue) -> Value?
    ) async throws(HandsetError) -> Value {
        let json = try await self.request(request, token: token)
        guard let value = read(json) else {
            throw .malformed("the daemon's answer to \(request.envelope(id: .null).method) is not understood")
        }
        return value
    }

    // MARK: Events

    /// The daemon's events, from now on, or from where an earlier reading ended.
    ///
    /// When it returns, no event of later can be missed: ask and act after it, not before.
    ///
    /// - Parameters:
    ///   - cursor: the last event that was seen, of this connection or of an earlier one; those after it come first.
    ///   - limit: events that are held for a reader that is slow, 1 at least.
    public func events(
        since cursor: EventCursor? = nil, limit: Int = EventStream.defaultLimit
    ) async throws(HandsetError) -> EventStream {
        let buffer = EventBuffer(limit: limit)
        link.add(buffer)
        let envelope = ControlRequest.eventsSubscribe(since: cursor).envelope(id: .null)
        let answer = await link.ask(envelope, isQuestion: true, reader: (buffer, cursor))
        if case .failure(let error) = answer {
            link.remove(buffer)
            throw error
        }
        return EventStream(buffer, of: self)
    }
}
