/// The three switches of a call in one word, with a generation that tells one request from the next: the loop loads it
/// once a period, so both paths change in the same turn.
public struct GateWord: BitwiseCopyable, Hashable, Sendable {
    /// Bits 0...2 are held, muted and earmuffed; the rest is the generation.
    public var rawValue: UInt32

    @_noLocks @_noAllocation
    @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }

    @_noLocks @_noAllocation
    @inlinable public init(held: Bool = false, muted: Bool = false, earmuffed: Bool = false, generation: UInt32 = 0) {
        rawValue = (held ? 1 : 0) | (muted ? 2 : 0) | (earmuffed ? 4 : 0) | generation << 3
    }

    @inlinable public var isHeld: Bool {
        @_noLocks @_noAllocation get { rawValue & 1 != 0 }
    }
    @inlinable public var isMuted: Bool {
        @_noLocks @_noAllocation get { rawValue & 2 != 0 }
    }
    @inlinable public var isEarmuffed: Bool {
        @_noLocks @_noAllocation get { rawValue & 4 != 0 }
    }
    /// Counts requests, modulo 2^29.
    @inlinable public var generation: UInt32 {
        @_noLocks @_noAllocation get { rawValue >> 3 }
    }

    @_noLocks @_noAllocation
    @inlinable public static func == (left: GateWord, right: GateWord) -> Bool { left.rawValue == right.rawValue }
}
