public import Synchronization

/// A new lock-free single-producer single-consumer ring in locked memory, until its two ends are taken, each for one thread.
public struct Ring<Element: BitwiseCopyable & Sendable>: ~Copyable {
    // Optionals, since Swift 6.2 stops on a value of another module being taken apart under an internal import.
    private var writer: RingWriter<Element>?
    private var reader: RingReader<Element>?

    /// Makes room for at least `capacity` elements (the next power of two), 1...2^24.
    public init(capacity: Int) {
        let memory = RingMemory<Element>(capacity: capacity)
        writer = RingWriter(memory)
        reader = RingReader(memory)
    }

    /// The writing end. Traps the second time: a ring has one.
    public mutating func takeWriter() -> RingWriter<Element> {
        guard let writer = writer.take() else { preconditionFailure("the ring's writer is taken already") }
        return writer
    }

    /// The reading end. Traps the second time: a ring has one.
    public mutating func takeReader() -> RingReader<Element> {
        guard let reader = reader.take() else { preconditionFailure("the ring's reader is taken already") }
        return reader
    }
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
