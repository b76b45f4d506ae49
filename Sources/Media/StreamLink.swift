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
    private var ends: NetworkEnds?
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
        self.ends = consume ends
        figuresOfPlayout = playout
    }

    /// Hands everything that the loop has made to `stream`, in order.
    func drain(into stream: RTPStream, at now: UInt64) {
        guard let ends = ends.take() else { return }
        while let packet = ends.outbound.front() {
            take(packet, into: stream, at: now)
            ends.outbound.removeFront()
        }
        self.ends = consume ends
    }

    private func take(_ packet: UnsafePointer<OutboundPacket>, into stream: RTPStream, at now: UInt64) {
        switch packet.pointee.kind {
        case .settled:
            // What was sent before the gates closed is not to leave once more.
            stream.forgetSentSound()
            tell(number, .settled(gates: packet.pointee.gates))
        case .ended: tell(number, .soundEnded(packet.pointee.gates))
        case .pause:
            stream.send(
                SoundToSend(
                    payload: nil, marker: false, timestamp: packet.pointee.timestamp, duration: packet.pointee.duration),
                at: now)
        case .audio:
            let count = min(max(0, packet.pointee.count), maximumPayload)
            packet.pointee.payload.span.withUnsafeBytes { payload in
                stream.send(
                    SoundToSend(
                        payload: UnsafeRawBufferPointer(rebasing: payload[..<count]), marker: packet.pointee.marker,
                        timestamp: packet.pointee.timestamp, duration: packet.pointee.duration),
                    at: now)
            }
        }
    }

    // MARK: StreamOutput

    func send(_ datagram: UnsafeRawBufferPointer, to endpoint: Endpoint, on socket: StreamSocket) -> Bool {
        switch socket {
        case .rtp: sockets.rtp.send(datagram, to: endpoint)
        case .rtcp: sockets.rtcp.send(datagram, to: endpoint)
        }
    }

    func deliver(_ packet: ReceivedSound) {
        guard let ends = ends.take() else { return }
        let count = min(packet.payload.count, maximumPayload)
        // A full ring is a loop that is not there, or a whole ring behind: the packet would come too late.
        _ = ends.inbound.withNextSlot { slot in
            slot.pointee.sequenceNumber = packet.sequenceNumber
            slot.pointee.payloadType = packet.payloadType
            slot.pointee.marker = packet.marker
            slot.pointee.timestamp = packet.timestamp
            slot.pointee.epoch = packet.epoch
            slot.pointee.arrival = packet.arrival
            slot.pointee.count = count
            withUnsafeMutableBytes(of: &slot.pointee.payload) { bytes in
                bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: packet.payload[..<count]))
            }
        }
        self.ends = consume ends
    }

    func report(_ report: StreamReport) { tell(number, report) }

    var playout: PlayoutFigures { figuresOfPlayout?() ?? PlayoutFigures() }
}
