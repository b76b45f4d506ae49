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

    func publish(_ figures: StreamFigures) {
        published.withLock { $0 = figures }
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
        rings.drain(into: stream, at: now) { tell(number, $0) }
    }

    // MARK: StreamOutput

    func send(_ datagram: UnsafeRawBufferPointer, to endpoint: Endpoint, on socket: StreamSocket) -> Bool {
        switch socket {
        case .rtp: sockets.rtp.send(datagram, to: endpoint)
        case .rtcp: sockets.rtcp.send(datagram, to: endpoint)
        }
    }

    func deliver(_ packet: ReceivedSound) { rings.deliver(packet) }

    func report(_ report: StreamReport) { tell(number, report) }

    var playout: PlayoutFigures { figuresOfPlayout?() ?? PlayoutFigures() }
}
