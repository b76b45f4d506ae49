/// Which slots are in use. To go through those costs as much as there are, not as much as there could be: what usually waits
/// lies within the first word, and the others are looked at only while something is in them.
struct SlotSet: BitwiseCopyable {
    /// Slots that have room for any packet.
    static var long: Int {
        @_noLocks @_noAllocation get { 64 }
    }
    /// All of them; those after the first `long` are for short packets.
    static var capacity: Int {
        @_noLocks @_noAllocation get { 256 }
    }
    private var bits: UInt64 = 0
    private var others = InlineArray<3, UInt64>(repeating: 0)
    /// How many of the others are in use.
    private var otherCount = 0

    @_noLocks @_noAllocation
    init() {}

    var isEmpty: Bool {
        @_noLocks @_noAllocation get { bits == 0 && otherCount == 0 }
    }

    var count: Int {
        @_noLocks @_noAllocation get { bits.nonzeroBitCount + otherCount }
    }

    /// The first slot that is not in use and has room for a packet that is short, or that is not; nil where all are.
    @_noLocks @_noAllocation
    func firstFree(isShort: Bool) -> Int? {
        if bits != .max { return (~bits).trailingZeroBitCount }
        guard isShort else { return nil }
        for word in 0..<3 where others[word] != .max {
            return Self.long + 64 * word + (~others[word]).trailingZeroBitCount
        }
        return nil
    }

    @_noLocks @_noAllocation
    mutating func insert(_ slot: Int) {
        let bit: UInt64 = 1 << UInt64(slot & 63)
        guard slot >= Self.long else {
            bits |= bit
            return
        }
        let word = slot / 64 - 1
        if others[word] & bit == 0 { otherCount += 1 }
        others[word] |= bit
    }

    @_noLocks @_noAllocation
    mutating func remove(_ slot: Int) {
        let bit: UInt64 = 1 << UInt64(slot & 63)
        guard slot >= Self.long else {
            bits &= ~bit
            return
        }
        let word = slot / 64 - 1
        if others[word] & bit != 0 { otherCount -= 1 }
        others[word] &= ~bit
    }

    /// Takes the first slot out; nil where none is left.
    @_noLocks @_noAllocation
    mutating func popFirst() -> Int? {
        if bits != 0 {
            let slot = bits.trailingZeroBitCount
            bits &= bits &- 1
            return slot
        }
        guard otherCount > 0 else { return nil }
        for word in 0..<3 where others[word] != 0 {
            let slot = others[word].trailingZeroBitCount
            others[word] &= others[word] &- 1
            otherCount -= 1
            return Self.long + 64 * word + slot
        }
        return nil
    }
}
