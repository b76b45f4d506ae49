/// Why a datagram is not a compound RTCP packet (RFC 3550 A.2).
public enum RTCPParseError: Error, Hashable, Sendable {
    /// A packet, or something within it, would end after the bytes that hold it.
    case truncated
    case unsupportedVersion(UInt8)
    /// The first packet is neither SR nor RR.
    case noReport(type: UInt8)
    case invalidPadding
}

/// A datagram's RTCP packets in their order.
public struct RTCPCompound: Hashable, Sendable {
    public var packets: [RTCPPacket]

    public init(_ packets: [RTCPPacket]) { self.packets = packets }

    /// Reads a datagram as the network sent it. One wrong length condemns the whole of it: nothing after it is certain.
    public init(parsing datagram: Span<UInt8>) throws(RTCPParseError) {
        packets = []
        var position = 0
        repeat {
            guard datagram.count - position >= 4 else { throw .truncated }
            guard datagram[position] >> 6 == 2 else { throw .unsupportedVersion(datagram[position] >> 6) }
            let type = datagram[position + 1]
            guard position > 0 || type == 200 || type == 201 else { throw .noReport(type: type) }
            let end = position + 4 + 4 * Int(datagram.bigEndian16(at: position + 2))
            guard end <= datagram.count else { throw .truncated }
            var contentEnd = end
            if datagram[position] & 0x20 != 0 {
                // Only the last packet may be padded, by whole words, and not into its own header.
                let padding = Int(datagram[end - 1])
                guard end == datagram.count, padding > 0, padding % 4 == 0, end - padding >= position + 4 else {
                    throw .invalidPadding
                }
                contentEnd -= padding
            }
            let body = datagram.extracting(position + 4..<contentEnd)
            packets.append(try RTCPPacket(type: type, count: Int(datagram[position] & 0x1F), parsing: body))
            position = end
        } while position < datagram.count
    }

    /// Appends the compound packet as it goes on the wire.
    public func append(to datagram: inout [UInt8]) {
        for packet in packets { packet.append(to: &datagram) }
    }
}

extension RTCPPacket {
    /// Reads what follows the four octets common to all RTCP packets.
    init(type: UInt8, count: Int, parsing body: Span<UInt8>) throws(RTCPParseError) {
        switch type {
        case 200:
            guard body.count >= 24 else { throw .truncated }
            let ntp = UInt64(body.bigEndian32(at: 4)) << 32 | UInt64(body.bigEndian32(at: 8))
            self = .senderReport(
                source: body.bigEndian32(at: 0),
                SenderInformation(
                    ntp: NTPTime(rawValue: ntp), timestamp: body.bigEndian32(at: 12),
                    packets: body.bigEndian32(at: 16), octets: body.bigEndian32(at: 20)),
                try Self.blocks(count: count, from: 24, in: body))
        case 201:
            guard body.count >= 4 else { throw .truncated }
            self = .receiverReport(
                source: body.bigEndian32(at: 0), try Self.blocks(count: count, from: 4, in: body))
        case 202:
            self = .sourceDescription(try Self.names(chunks: count, in: body))
        case 203:
            guard body.count >= 4 * count else { throw .truncated }
            self = .goodbye(sources: (0..<count).map { body.bigEndian32(at: 4 * $0) })
        case 207:
            guard body.count >= 4 else { throw .truncated }
            self = .extendedReport(
                source: body.bigEndian32(at: 0),
                try ExtendedReportBlock.blocks(parsing: body.extracting(4..<body.count)))
        default:
            self = .other(type: type)
        }
    }

    private static func blocks(count: Int, from start: Int, in body: Span<UInt8>) throws(RTCPParseError)
        -> [ReportBlock]
    {
        // What follows the blocks is a profile's extension, and none of ours.
        guard body.count >= start + 24 * count else { throw .truncated }
        return (0..<count).map { index in
            let at = start + 24 * index
            let word = body.bigEndian32(at: at + 4)
            return ReportBlock(
                source: body.bigEndian32(at: at), fractionLost: UInt8(word >> 24),
                cumulativeLost: Int(Int32(bitPattern: word << 8) >> 8),
                extendedHighest: body.bigEndian32(at: at + 8), jitter: body.bigEndian32(at: at + 12),
                lastSenderReport: body.bigEndian32(at: at + 16),
                delaySinceLastSenderReport: body.bigEndian32(at: at + 20))
        }
    }

    private static func names(chunks: Int, in body: Span<UInt8>) throws(RTCPParseError) -> [CanonicalName] {
        var names: [CanonicalName] = []
        var position = 0
        for _ in 0..<chunks {
            guard body.count - position >= 8 else { throw .truncated }
            let source = body.bigEndian32(at: position)
            position += 4
            while true {
                guard position < body.count else { throw .truncated }
                let item = body[position]
                guard item != 0 else { break }
                guard position + 1 < body.count, position + 2 + Int(body[position + 1]) <= body.count else {
                    throw .truncated
                }
                let text = position + 2..<position + 2 + Int(body[position + 1])
                if item == 1 { names.append(CanonicalName(source: source, name: text.map { body[$0] })) }
                position = text.upperBound
            }
            // The list ends with a null octet, and more of them up to the next word.
            position = (position / 4 + 1) * 4
            guard position <= body.count else { throw .truncated }
        }
        return names
    }
}
