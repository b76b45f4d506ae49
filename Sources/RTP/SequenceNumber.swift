/// An RTP sequence number: 16 bits that wrap (RFC 3550 §5.1).
@frozen public struct SequenceNumber: RawRepresentable, Hashable, BitwiseCopyable, Sendable {
    public var rawValue: UInt16

    @inlinable @_noLocks @_noAllocation
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The number of the packet after this one.
    @inlinable public var next: SequenceNumber {
        @_noLocks @_noAllocation get { SequenceNumber(rawValue: rawValue &+ 1) }
    }

    /// How many packets `other` is ahead, -32768...32767: of the two ways round the shorter one.
    @inlinable @_noLocks @_noAllocation
    public func distance(to other: SequenceNumber) -> Int {
        Int(Int16(truncatingIfNeeded: Int32(other.rawValue) &- Int32(rawValue)))
    }

    /// Whether this packet was sent after `other`.
    @inlinable @_noLocks @_noAllocation
    public func isNewer(than other: SequenceNumber) -> Bool { other.distance(to: self) > 0 }
}

/// How far the RTP timestamp `later` is ahead of `earlier`, of the two ways round the shorter one (RFC 3550 §5.1).
@inlinable @_noLocks @_noAllocation
public func timestampDistance(from earlier: UInt32, to later: UInt32) -> Int {
    Int(Int32(truncatingIfNeeded: Int64(later) &- Int64(earlier)))
}
