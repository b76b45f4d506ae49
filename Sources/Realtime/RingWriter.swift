public import Synchronization

/// The writing end of a lock-free ring, for one thread at a time. Generic, so not annotated itself: the compiler checks
/// its methods, specialised, in each annotated caller.
///
/// `@unchecked`: the two counters order every access to a slot.
public struct RingWriter<Element: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
    private let memory: RingMemory<Element>
    @usableFromInline let counters: UnsafeMutablePointer<RingCounters>
    @usableFromInline let slots: UnsafeMutablePointer<Element>
    @usableFromInline let mask: Int

    init(_ memory: RingMemory<Element>) {
        self.memory = memory
        counters = memory.counters
        slots = memory.slots
        mask = memory.mask
    }

    /// 0 where the ring's memory is locked, else the errno value.
    public var lockError: Int32 { memory.lockError }

    /// Elements the ring holds when full.
    @inlinable public var capacity: Int { mask &+ 1 }

    /// Elements that the reader has not yet taken.
    @inlinable public var count: Int {
        counters.pointee.written.load(ordering: .relaxed) &- counters.pointee.taken.load(ordering: .acquiring)
    }

    /// Adds `element`, or returns `false` and changes nothing when the ring is full.
    @inlinable public borrowing func push(_ element: Element) -> Bool {
        guard let slot = nextSlot() else { return false }
        slot.pointee = element
        commit()
        return true
    }

    /// The slot that the next `commit` hands over, to be filled in place, or nil when the ring is full. It holds an
    /// older element.
    @inlinable public borrowing func nextSlot() -> UnsafeMutablePointer<Element>? {
        let written = counters.pointee.written.load(ordering: .relaxed)
        let taken = counters.pointee.taken.load(ordering: .acquiring)
        guard written &- taken <= mask else { return nil }
        return slots + (written & mask)
    }

    /// Hands over the slot that `nextSlot` returned.
    @inlinable public borrowing func commit() {
        let written = counters.pointee.written.load(ordering: .relaxed)
        counters.pointee.written.store(written &+ 1, ordering: .releasing)
    }

    /// Lets `fill` write the next element in place and hands it over; `false`, without a call, when the ring is full.
    @inlinable public borrowing func withNextSlot(_ fill: (UnsafeMutablePointer<Element>) -> Void) -> Bool {
        guard let slot = nextSlot() else { return false }
        fill(slot)
        commit()
        return true
    }

    /// Adds as many of `elements` as there is room for, in order, and returns how many.
    @inlinable public borrowing func push(contentsOf elements: UnsafeBufferPointer<Element>) -> Int {
        let written = counters.pointee.written.load(ordering: .relaxed)
        let taken = counters.pointee.taken.load(ordering: .acquiring)
        let accepted = min(elements.count, mask &+ 1 &- (written &- taken))
        var index = 0
        while index < accepted {
            slots[(written &+ index) & mask] = elements[index]
            index &+= 1
        }
        counters.pointee.written.store(written &+ accepted, ordering: .releasing)
        return accepted
    }
}
