/// Which of 64 slots are in use. To go through those costs as much as there are, not as much as there could be.
struct SlotSet: BitwiseCopyable {
    static var capacity: Int {
        @_noLocks @_noAllocation get { 64 }
    }
    private var bits: UInt64 = 0

    @_noLocks @_noAllocation
    init() {}

    var isEmpty: Bool {
        @_noLocks @_noAllocation get { bits == 0 }
    }

    /// The first slot that is not in use; nil where all are.
    var firstFree: Int? {
        @_noLocks @_noAllocation get { bits == .max ? nil : (~bits).trailingZeroBitCount }
    }

    @_noLocks @_noAllocation
    mutating func insert(_ slot: Int) { bits |= 1 << UInt64(slot) }

    @_noLocks @_noAllocation
    mutating func remove(_ slot: Int) { bits &= ~(1 << UInt64(slot)) }

    /// Takes the first slot out; nil where none is left.
    @_noLocks @_noAllocation
    mutating func popFirst() -> Int? {
        guard bits != 0 else { return nil }
        let slot = bits.trailingZeroBitCount
        bits &= bits &- 1
        return slot
    }
}
