internal import AudioLoop
internal import Realtime
internal import Synchronization

/// One stream's ties to the world: its sockets, its rings to the audio loop and the figures that the control side reads.
///
/// `@unchecked`: made by the control side and handed to the network thread, which alone calls it from then on, but for
/// `figures`, which is locked.
final class StreamLink: StreamOutput, @unchecked Sendable {
    let number: Int
    let sockets: MediaSockets
    let identity: RTPStream.Identity
    private let tell: @Sendable (Int, StreamReport) -> Void
    private let published = Mutex(StreamFigures())
    /// When they were, in nanoseconds.
    private var publishedAt: UInt64 = 0
    /// Whether they may have changed since.
    private var isStale = false
    private var rings = LoopRings()
    private var figuresOfPlayout: (@Sendable () -> PlayoutFigures)?

    init(
        number: Int, sockets: MediaSockets, identity: RTPStream.Identity,
        tell: @escaping @Sendable (Int, StreamReport) -> Void
    ) {
        self.number = number
        self.sockets = sockets
        self.identity = identity
        self.tell = tell
    }

    /// The figures as last published. On any thread.
    var figures: StreamFigures { published.withLock { $0 } }

    /// Nobody looks at every packet: they are published when the thread is awake after so long, or is woken for it after as much again.
    private static let publishingInterval: UInt64 = 50_000_000

    /// Something has happened that they may tell.
    func noteChange() { isStale = true }

    /// Whether there is something new to publish by now.
    func isPublishingDue(at now: UInt64) -> Bool { isStale && publishedAt &+ Self.publishingInterval <= now }

    /// When it is published at the latest; nil where there is nothing new.
    var publishingDeadline: UInt64? { isStale ? publishedAt &+ 2 * Self.publishingInterval : nil }

    func publish(_ figures: StreamFigures, at now: UInt64) {
        published.withLock { $0 = figures }
        publishedAt = now
        isStale = false
    }

    // MARK: Loop

    /// - Parameter playout: what the loop does with what it is given; called on the network thread.
    func attach(_ ends: consuming NetworkEnds, playout: @escaping @Sendable () -> PlayoutFigures) {
        rings.attach(ends)
        figuresOfPlayout = playout
    }

    /// Hands everything that the loop has made to `stream`, in order. Returns where it made sound, as `LoopRings` does.
    @discardableResult
    func drain(into stream: RTPStream, at now: UInt64) -> Int32? {
        rings.drain(into: stream, at: now) { report in
            // Who is told that all has been sent finds it counted.
            publish(stream.currentFigures, at: now)
            tell(number, report)
        }
    }

    // MARK: StreamOutput

    func send(_ datagram: UnsafeRawBufferPointer, to endpoint: Endpoint, on socket: StreamSocket) -> Bool {
        isStale = true
        switch socket {
        case .rtp: return sockets.rtp.send(datagram, to: endpoint)
        case .rtcp: return sockets.rtcp.send(datagram, to: endpoint)
        }
    }

    func deliver(_ packet: ReceivedSound) -> Bool { rings.deliver(packet) }

    func report(_ report: StreamReport) { tell(number, report) }

    var playout: PlayoutFigures { figuresOfPlayout?() ?? PlayoutFigures() }
}
