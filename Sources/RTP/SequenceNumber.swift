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

/// Follows wrapping sequence numbers with a number that does not wrap.
@frozen public struct SequenceExtender: BitwiseCopyable, Sendable {
    /// The highest extended number seen; the low 16 bits are the packet's own.
    public var highest: Int64

    @inlinable @_noLocks @_noAllocation
    public init(_ first: SequenceNumber) { highest = Int64(first.rawValue) }

    /// The extended number of a packet within 32,768 of the highest one; may be negative before the first wrap.
    @inlinable @_noLocks @_noAllocation
    public mutating func extend(_ number: SequenceNumber) -> Int64 {
        let last = SequenceNumber(rawValue: UInt16(truncatingIfNeeded: highest))
        let extended = highest &+ Int64(last.distance(to: number))
        if extended > highest { highest = extended }
        return extended
    }
}

/// How far the RTP timestamp `later` is ahead of `earlier`, of the two ways round the shorter one (RFC 3550 §5.1).
@inlinable @_noLocks @_noAllocation
public func timestampDistance(from earlier: UInt32, to later: UInt32) -> Int {
    Int(Int32(truncatingIfNeeded: Int64(later) &- Int64(earlier)))
}
