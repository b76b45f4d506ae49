/// Finds in redundant packets (RFC 2198) the sound that has not come otherwise.
public struct RedundancyReceiver: Sendable {
    /// A packet that a later one brought.
    public struct Recovered: Hashable, Sendable {
        public var sequenceNumber: SequenceNumber
        public var timestamp: UInt32
        /// Where in the redundant payload its octets lie.
        public var bytes: Range<Int>
    }

    /// Packets remembered, so that none comes twice.
    private static let memory = 64
    private var known = [UInt32](repeating: 0, count: memory)
    private var count = 0

    public init() {}

    /// Notes sound that came in a packet of its own.
    public mutating func note(timestamp: UInt32) {
        known[count % Self.memory] = timestamp
        count += 1
    }

    private func isKnown(_ timestamp: UInt32) -> Bool {
        let filled = min(count, Self.memory)
        return known.indices.prefix(filled).contains { known[$0] == timestamp }
    }

    /// The earlier sound in a packet that has not come yet, the oldest first. The packet's own is noted, too.
    ///
    /// - Parameters:
    ///   - number: the packet's.
    ///   - payloadType: what earlier blocks must be, to be played.
    ///   - duration: of the packet's own sound, in units of the RTP clock. A block says its time but not its number: it is
    ///     counted back in packets of this length, and left out where that does not fit.
    public mutating func take(
        _ payload: RedundantPayload, number: SequenceNumber, timestamp: UInt32, payloadType: UInt8, duration: UInt32
    ) -> [Recovered] {
        defer { if !isKnown(timestamp) { note(timestamp: timestamp) } }
        guard duration > 0 else { return [] }
        var recovered: [Recovered] = []
        for block in payload.earlier where block.payloadType == payloadType && !block.bytes.isEmpty {
            let (distance, rest) = block.offset.quotientAndRemainder(dividingBy: duration)
            let earlier = timestamp &- block.offset
            guard rest == 0, distance > 0, distance <= UInt32(Self.memory), !isKnown(earlier) else { continue }
            note(timestamp: earlier)
            recovered.append(
                Recovered(
                    sequenceNumber: SequenceNumber(rawValue: number.rawValue &- UInt16(distance)), timestamp: earlier,
                    bytes: block.bytes))
        }
        return recovered.sorted { timestampDistance(from: $0.timestamp, to: $1.timestamp) > 0 }
    }
}
