public import Synchronization

/// The two ends of a new ring, each for one thread.
@frozen public struct RingEnds<Element: BitwiseCopyable & Sendable>: ~Copyable {
    public let writer: RingWriter<Element>
    public let reader: RingReader<Element>

    /// Takes the pair apart.
    public consuming func split(
        _ body: (consuming RingWriter<Element>, consuming RingReader<Element>) -> Void
    ) { body(writer, reader) }
}

/// Makes a lock-free single-producer single-consumer ring of at least `capacity` elements (the next power of two), in
/// locked memory.
public func makeRing<Element: BitwiseCopyable & Sendable>(
    of type: Element.Type = Element.self, capacity: Int
) -> RingEnds<Element> {
    let memory = RingMemory<Element>(capacity: capacity)
    return RingEnds(writer: RingWriter(memory), reader: RingReader(memory))
}

/// How far each end has come. A cache line apart, so that the ends do not slow each other down.
@usableFromInline struct RingCounters: ~Copyable {
    @usableFromInline let written = Atomic<Int>(0)
    private let apart = InlineArray<15, Int>(repeating: 0)
    @usableFromInline let taken = Atomic<Int>(0)

    init() {}
}

/// The memory that both ends keep alive.
@usableFromInline final class RingMemory<Element: BitwiseCopyable>: @unchecked Sendable {
    private let memory: LockedBuffer
    let counters: UnsafeMutablePointer<RingCounters>
    let slots: UnsafeMutablePointer<Element>
    let mask: Int
    let lockError: Int32

    init(capacity: Int) {
        precondition(capacity > 0 && capacity <= 1 << 24)
        var slotCount = 1
        while slotCount < capacity { slotCount *= 2 }
        mask = slotCount - 1
        // The slots begin on a boundary that suits every element and is no cache line of the counters.
        let header = max(256, MemoryLayout<Element>.alignment)
        memory = LockedBuffer(byteCount: header + slotCount * MemoryLayout<Element>.stride)
        lockError = memory.lockError
        counters = memory.base.bindMemory(to: RingCounters.self, capacity: 1)
        counters.initialize(to: RingCounters())
        slots = (memory.base + header).bindMemory(to: Element.self, capacity: slotCount)
    }

    deinit { counters.deinitialize(count: 1) }
}
