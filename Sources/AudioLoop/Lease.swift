internal import Synchronization

/// Something in memory of the control side that the loop may use, until it has been given something else and has let go.
/// Addresses are numbers; 0 is nothing.
struct Lease: ~Copyable, Sendable {
    private let wanted = Atomic<UInt>(0)
    private let used = Atomic<UInt>(0)

    /// Control side: says what the loop is to use from its next turns on.
    func offer(_ address: UInt) { wanted.store(address, ordering: .sequentiallyConsistent) }

    /// Control side: whether the loop does not, and will not, use what is there.
    func isFree(_ address: UInt) -> Bool {
        wanted.load(ordering: .sequentiallyConsistent) != address
            && used.load(ordering: .sequentiallyConsistent) != address
    }

    /// Loop: whether something else than `address` is wanted by now.
    @_noLocks @_noAllocation
    func isOver(_ address: UInt) -> Bool { wanted.load(ordering: .relaxed) != address }

    /// Loop: takes what is wanted; 0 for nothing. What was taken before must have been let go.
    @_noLocks @_noAllocation
    func take() -> UInt {
        let address = wanted.load(ordering: .relaxed)
        guard address != 0 else { return 0 }
        used.store(address, ordering: .sequentiallyConsistent)
        // Either the control side sees that it is used, or we see that it is no longer wanted.
        guard wanted.load(ordering: .sequentiallyConsistent) == address else {
            used.store(0, ordering: .releasing)
            return 0
        }
        return address
    }

    /// Loop: does not use it any more.
    @_noLocks @_noAllocation
    func letGo() { used.store(0, ordering: .releasing) }
}
