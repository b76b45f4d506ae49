internal import AudioLoop
internal import Realtime

/// One stream's rings to and from the audio loop, for the thread that its packets are on.
struct LoopRings: ~Copyable {
    private var ends: NetworkEnds?

    mutating func attach(_ ends: consuming NetworkEnds) { self.ends = consume ends }

    /// Hands everything that the loop has made to `stream`, in order, and what it tells the control side to `report`. Returns
    /// the processor on which the loop made the last packet of sound, negative where it does not know; nil: it has made none.
    @discardableResult
    mutating func drain(into stream: RTPStream, at now: UInt64, report: (StreamReport) -> Void) -> Int32? {
        guard let ends = ends.take() else { return nil }
        var processor: Int32?
        while let packet = ends.outbound.front() {
            switch packet.pointee.kind {
            case .settled:
                // What was sent before the gates closed is not to leave once more.
                stream.forgetSentSound()
                report(.settled(gates: packet.pointee.gates))
            case .ended: report(.soundEnded(packet.pointee.gates))
            case .pause, .audio:
                Self.send(packet, through: stream, at: now)
                if packet.pointee.kind == .audio { processor = packet.pointee.processor }
            }
            ends.outbound.removeFront()
        }
        self.ends = consume ends
        return processor
    }

    private static func send(_ packet: UnsafePointer<OutboundPacket>, through stream: RTPStream, at now: UInt64) {
        let count = min(max(0, packet.pointee.count), maximumPayload)
        packet.pointee.payload.span.withUnsafeBytes { payload in
            let isSound = packet.pointee.kind == .audio
            stream.send(
                SoundToSend(
                    payload: isSound ? UnsafeRawBufferPointer(rebasing: payload[..<count]) : nil,
                    marker: isSound && packet.pointee.marker, timestamp: packet.pointee.timestamp,
                    duration: packet.pointee.duration),
                at: now)
        }
    }

    /// Hands a packet to the loop. Returns whether there was room: a full ring is a loop that is not there, or a whole ring
    /// behind, so that the packet would come too late.
    mutating func deliver(_ packet: ReceivedSound) -> Bool {
        guard let ends = ends.take() else { return false }
        let count = min(packet.payload.count, maximumPayload)
        let isTaken = ends.inbound.withNextSlot { slot in
            slot.pointee.sequenceNumber = packet.sequenceNumber
            slot.pointee.payloadType = packet.payloadType
            slot.pointee.marker = packet.marker
            slot.pointee.isRecovered = packet.isRecovered
            slot.pointee.timestamp = packet.timestamp
            slot.pointee.epoch = packet.epoch
            slot.pointee.arrival = packet.arrival
            slot.pointee.count = count
            withUnsafeMutableBytes(of: &slot.pointee.payload) { bytes in
                bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: packet.payload[..<count]))
            }
        }
        self.ends = consume ends
        return isTaken
    }
}
