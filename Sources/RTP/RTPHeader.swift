/// The header of an RTP packet (RFC 3550 §5.1), without what `RTPPacket` tells of its extent.
public struct RTPHeader: Hashable, Sendable {
    public var marker: Bool
    /// 0...127.
    public var payloadType: UInt8
    public var sequenceNumber: SequenceNumber
    /// Sampling time of the first sample, in units of the payload format's clock.
    public var timestamp: UInt32
    public var source: UInt32
    /// At most 15.
    public var contributingSources: [UInt32]

    public init(
        marker: Bool = false, payloadType: UInt8, sequenceNumber: SequenceNumber, timestamp: UInt32, source: UInt32,
        contributingSources: [UInt32] = []
    ) {
        self.marker = marker
        self.payloadType = payloadType & 0x7F
        self.sequenceNumber = sequenceNumber
        self.timestamp = timestamp
        self.source = source
        self.contributingSources = Array(contributingSources.prefix(15))
    }

    /// Octets of a header without contributing sources.
    public static let minimumSize = 12

    /// Appends the header as it goes on the wire; the payload follows it.
    public func append(to packet: inout [UInt8]) {
        packet.append(0x80 | UInt8(contributingSources.count & 0x0F))
        packet.append((marker ? 0x80 : 0) | payloadType & 0x7F)
        packet.append(bigEndian: sequenceNumber.rawValue)
        packet.append(bigEndian: timestamp)
        packet.append(bigEndian: source)
        for contributor in contributingSources.prefix(15) { packet.append(bigEndian: contributor) }
    }
}

/// Why bytes from the network are not the packet they should be.
public enum RTPParseError: Error, Hashable, Sendable {
    /// The packet, or something it announces, would end after its last octet.
    case truncated(byteCount: Int)
    case unsupportedVersion(UInt8)
    /// The padding count is 0 or reaches into the header.
    case invalidPadding(count: UInt8)
}

/// A received RTP packet: its header, and where in the datagram the rest lies.
public struct RTPPacket: Hashable, Sendable {
    public var header: RTPHeader
    /// The payload, without padding.
    public var payload: Range<Int>
    /// The 16 bits that say what the header extension is, where there is one (RFC 3550 §5.3.1).
    public var extensionProfile: UInt16?
    public var extensionData: Range<Int>

    /// Reads a datagram as the network sent it.
    public init(parsing packet: Span<UInt8>) throws(RTPParseError) {
        let count = packet.count
        guard count >= RTPHeader.minimumSize else { throw .truncated(byteCount: count) }
        guard packet[0] >> 6 == 2 else { throw .unsupportedVersion(packet[0] >> 6) }
        var position = RTPHeader.minimumSize
        var contributors: [UInt32] = []
        let contributorCount = Int(packet[0] & 0x0F)
        guard count >= position + 4 * contributorCount else { throw .truncated(byteCount: count) }
        for _ in 0..<contributorCount {
            contributors.append(packet.bigEndian32(at: position))
            position += 4
        }
        extensionData = position..<position
        if packet[0] & 0x10 != 0 {
            guard count >= position + 4 else { throw .truncated(byteCount: count) }
            let size = 4 * Int(packet.bigEndian16(at: position + 2))
            extensionProfile = packet.bigEndian16(at: position)
            position += 4
            guard count >= position + size else { throw .truncated(byteCount: count) }
            extensionData = position..<position + size
            position += size
        }
        var end = count
        if packet[0] & 0x20 != 0 {
            let padding = packet[count - 1]
            guard padding > 0, Int(padding) <= count - position else { throw .invalidPadding(count: padding) }
            end -= Int(padding)
        }
        payload = position..<end
        header = RTPHeader(
            marker: packet[1] & 0x80 != 0, payloadType: packet[1] & 0x7F,
            sequenceNumber: SequenceNumber(rawValue: packet.bigEndian16(at: 2)),
            timestamp: packet.bigEndian32(at: 4), source: packet.bigEndian32(at: 8),
            contributingSources: contributors)
    }
}

/// What a datagram on a media socket is, by its first two octets (RFC 5761 §4, RFC 7983 §7).
public enum MediaDatagram: Sendable, Hashable {
    case rtp, rtcp, other

    /// With RTP and RTCP on one socket, payload types 64...95 are never RTP: with the marker they look like RTCP.
    public init(classifying datagram: Span<UInt8>) {
        guard datagram.count >= 8, datagram[0] >> 6 == 2 else {
            self = .other
            return
        }
        self = (192...223).contains(datagram[1]) ? .rtcp : .rtp
    }
}
