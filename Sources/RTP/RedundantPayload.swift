/// Why a payload is not one of RFC 2198.
public enum RedundancyError: Error, Hashable, Sendable {
    /// A header, or the block it announces, would end after the payload.
    case truncated
    /// More blocks than anybody has a use for.
    case tooManyBlocks
}

/// The payload of a packet that carries earlier sound beside its own (RFC 2198 §3), and where in it each block lies.
public struct RedundantPayload: Hashable, Sendable {
    /// Earlier blocks that are read, at most.
    public static let maximumBlocks = 8
    /// How far before its packet a block may lie, in units of the RTP clock: 14 bits.
    public static let maximumOffset = 0x3FFF
    /// Octets of an earlier block, at most: 10 bits.
    public static let maximumBlockSize = 0x3FF

    /// An earlier block.
    public struct Block: Hashable, Sendable {
        /// 0...127.
        public var payloadType: UInt8
        /// How far its timestamp is before that of the packet: 0...`maximumOffset`.
        public var offset: UInt32
        /// Where in the payload its octets lie.
        public var bytes: Range<Int>
    }

    /// In the order of the packet, which is the oldest first where its sender keeps to the RFC.
    public private(set) var earlier: [Block] = []
    /// Of the packet's own sound.
    public private(set) var primaryType: UInt8
    public private(set) var primary: Range<Int>

    /// Reads a payload as the network sent it.
    public init(parsing payload: Span<UInt8>) throws(RedundancyError) {
        var position = 0
        var sizes: [Int] = []
        var blocks: [Block] = []
        while true {
            guard position < payload.count else { throw .truncated }
            guard payload[position] & 0x80 != 0 else { break }
            guard payload.count - position >= 4 else { throw .truncated }
            guard blocks.count < Self.maximumBlocks else { throw .tooManyBlocks }
            let word = payload.bigEndian32(at: position)
            blocks.append(Block(payloadType: UInt8(word >> 24 & 0x7F), offset: word >> 10 & 0x3FFF, bytes: 0..<0))
            sizes.append(Int(word & 0x3FF))
            position += 4
        }
        primaryType = payload[position] & 0x7F
        position += 1
        for index in blocks.indices {
            guard payload.count - position >= sizes[index] else { throw .truncated }
            blocks[index].bytes = position..<position + sizes[index]
            position += sizes[index]
        }
        primary = position..<payload.count
        earlier = blocks
    }
}
