/// The daemon's events from the moment it was made, in their order, each once.
///
/// It lives through losses of the connection: events of the meantime are asked for and follow. It holds `limit` events
/// for its reader; where the reader is slower than that the oldest go, and `EventGap.readerTooSlow` says how many: what
/// is read is late at most by the buffer, and memory is bounded. No other reader, and no request, waits for it.
///
/// It is for one reader: of two, each gets some of the events. It ends with `Handset.close`, with the reading task's
/// cancellation, and after `disconnected` where the client does not reconnect.
public struct EventStream: AsyncSequence, Sendable {
    public typealias Element = EventNotice
    public typealias Failure = Never

    /// Events that a stream holds for a slow reader, where nothing else is said.
    public static let defaultLimit = 1_024

    private let subscription: Subscription

    init(_ buffer: EventBuffer, of handset: Handset) { subscription = Subscription(buffer, handset) }

    public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: Subscription

        /// The next one; waits for it. nil at the end.
        public mutating func next() async -> EventNotice? { await subscription.buffer.next() }

        public mutating func next(isolation: isolated (any Actor)?) async -> EventNotice? {
            await subscription.buffer.next()
        }
    }

    /// Keeps the connection while somebody reads, and ends the buffering when nobody does.
    fileprivate final class Subscription: Sendable {
        let buffer: EventBuffer
        private let handset: Handset

        init(_ buffer: EventBuffer, _ handset: Handset) {
            self.buffer = buffer
            self.handset = handset
        }

        deinit { handset.link.remove(buffer) }
    }
}
