public import Synchronization

/// A number that one thread writes and any thread reads, without a lock. Made part of a structure that lies in a
/// `LockedValue`.
public struct StatisticCell: ~Copyable, Sendable {
    @usableFromInline let number = Atomic<Int>(0)

    public init() {}

    /// The number as last stored.
    @inlinable public var value: Int {
        @_noLocks @_noAllocation get { number.load(ordering: .relaxed) }
    }

    /// Adds, wrapping. On the writing thread only.
    @_noLocks @_noAllocation
    @inlinable public func add(_ amount: Int) {
        number.store(number.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }

    /// Replaces the number. On the writing thread only.
    @_noLocks @_noAllocation
    @inlinable public func store(_ value: Int) { number.store(value, ordering: .relaxed) }
}
