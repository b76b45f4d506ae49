public import Synchronization

/// The reading end of a lock-free ring, for one thread at a time. See `RingWriter`.
///
/// `@unchecked`: the two counters order every access to a slot.
public struct RingReader<Element: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
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

    /// Elements the ring holds when full.
    @inlinable public var capacity: Int { mask &+ 1 }

    /// Elements waiting to be taken.
    @inlinable public var count: Int {
        counters.pointee.written.load(ordering: .acquiring) &- counters.pointee.taken.load(ordering: .relaxed)
    }

    /// Takes the oldest element, or nil when there is none.
    @inlinable public borrowing func pop() -> Element? {
        guard let slot = front() else { return nil }
        let element = slot.pointee
        removeFront()
        return element
    }

    /// The oldest element in place, or nil when there is none. Valid until `removeFront`.
    @inlinable public borrowing func front() -> UnsafePointer<Element>? {
        let taken = counters.pointee.taken.load(ordering: .relaxed)
        guard taken != counters.pointee.written.load(ordering: .acquiring) else { return nil }
        return UnsafePointer(slots + (taken & mask))
    }

    /// Gives back the slot of the element that `front` returned.
    @inlinable public borrowing func removeFront() {
        let taken = counters.pointee.taken.load(ordering: .relaxed)
        counters.pointee.taken.store(taken &+ 1, ordering: .releasing)
    }

    /// Lets `body` use the oldest element in place and takes it; `false`, without a call, when there is none.
    @inlinable public borrowing func withFront(_ body: (UnsafePointer<Element>) -> Void) -> Bool {
        guard let slot = front() else { return false }
        body(slot)
        removeFront()
        return true
    }

    /// Takes as many elements as there are and fit, in order, and returns how many.
    @inlinable public borrowing func pop(into elements: UnsafeMutableBufferPointer<Element>) -> Int {
        let taken = counters.pointee.taken.load(ordering: .relaxed)
        let waiting = counters.pointee.written.load(ordering: .acquiring) &- taken
        let moved = min(elements.count, waiting)
        var index = 0
        while index < moved {
            elements[index] = slots[(taken &+ index) & mask]
            index &+= 1
        }
        counters.pointee.taken.store(taken &+ moved, ordering: .releasing)
        return moved
    }

    /// Takes everything that waits, unseen, and returns how many elements it was.
    @inlinable public borrowing func removeAll() -> Int {
        let taken = counters.pointee.taken.load(ordering: .relaxed)
        let written = counters.pointee.written.load(ordering: .acquiring)
        counters.pointee.taken.store(written, ordering: .releasing)
        return written &- taken
    }
}
