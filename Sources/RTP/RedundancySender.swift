/// Remembers the sound that was sent, and puts it into later packets once more (RFC 2198).
public struct RedundancySender: Sendable {
    /// How many packets back sound is remembered.
    public static let memory = 8
    /// Octets of a payload with its redundancy, at most: with all headers and SRTP it fits into an Ethernet frame.
    public static let maximumSize = 1_200

    private struct Sent: Sendable {
        var timestamp: UInt32 = 0
        var bytes: [UInt8] = []
        var isUsed = false
    }

    private var sent = [Sent](repeating: Sent(), count: memory)
    private var next = 0

    public init() {}

    /// Remembers the payload of a packet. Comes after `append` for that packet.
    public mutating func remember(_ payload: Span<UInt8>, timestamp: UInt32) {
        sent[next].isUsed = payload.count <= RedundantPayload.maximumBlockSize
        sent[next].timestamp = timestamp
        sent[next].bytes.removeAll(keepingCapacity: true)
        if sent[next].isUsed { for index in payload.indices { sent[next].bytes.append(payload[index]) } }
        next = (next + 1) % Self.memory
    }

    /// Forgets all: a codec or a payload type has changed.
    public mutating func forget() {
        for index in sent.indices { sent[index].isUsed = false }
    }

    /// Appends the payload of a redundant packet to `packet`.
    ///
    /// - Parameters:
    ///   - distances: how many packets back the sound lies that is sent again.
    ///   - duration: of a packet, in units of the RTP clock. Only what was sent just so far back goes in: before a pause
    ///     the receiver could not tell which packet it was.
    /// - Returns: how many earlier blocks are in it; where there would be none, nothing was appended.
    public func append(
        _ payload: Span<UInt8>, payloadType: UInt8, timestamp: UInt32, duration: UInt32, distances: [Int],
        to packet: inout [UInt8]
    ) -> Int {
        guard !distances.isEmpty else { return 0 }
        var size = payload.count + 1
        var blocks: [(index: Int, offset: UInt32)] = []
        for distance in distances.sorted(by: >) where (1...Self.memory).contains(distance) {
            let (offset, overflows) = duration.multipliedReportingOverflow(by: UInt32(distance))
            guard !overflows, offset > 0, offset <= RedundantPayload.maximumOffset,
                let index = sent.firstIndex(where: { $0.isUsed && timestamp &- $0.timestamp == offset }),
                size + 4 + sent[index].bytes.count <= Self.maximumSize
            else { continue }
            size += 4 + sent[index].bytes.count
            blocks.append((index, offset))
        }
        guard !blocks.isEmpty else { return 0 }
        for block in blocks {
            let word = UInt32(0x80 | payloadType & 0x7F) << 24 | block.offset << 10
            packet.append(bigEndian: word | UInt32(sent[block.index].bytes.count))
        }
        packet.append(payloadType & 0x7F)
        for block in blocks { packet.append(contentsOf: sent[block.index].bytes) }
        for index in payload.indices { packet.append(payload[index]) }
        return blocks.count
    }
}
