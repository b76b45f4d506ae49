internal import CLinux
internal import Glibc

/// Zeroed, page-aligned, prefaulted memory that the kernel was asked to keep resident, unmapped with its owner.
///
/// Where locking is refused (`RLIMIT_MEMLOCK`) the memory works all the same and may be paged out; `lockError` says so.
/// `@unchecked`: the memory's users order their accesses.
public struct LockedBuffer: ~Copyable, @unchecked Sendable {
    /// The first byte.
    public let base: UnsafeMutableRawPointer
    /// The size, rounded up to whole pages.
    public let byteCount: Int
    /// 0 where the pages are locked, else the errno value.
    public let lockError: Int32

    /// Maps at least `byteCount` bytes. Traps when the system has no memory.
    public init(byteCount: Int) {
        let page = Int(clinux_page_size())
        let size = max(1, (byteCount + page - 1) / page) * page
        var error: Int32 = 0
        guard let memory = clinux_map_locked(size, 0, &error) else {
            preconditionFailure("cannot map \(size) bytes of memory")
        }
        base = memory
        self.byteCount = size
        lockError = error
    }

    deinit { clinux_unmap(base, byteCount, 0) }

    /// The memory as elements, the first `count`. Zeroed bytes must be a valid `Element`.
    public func elements<Element: BitwiseCopyable>(
        of type: Element.Type, count: Int
    ) -> UnsafeMutableBufferPointer<Element> {
        precondition(count >= 0 && count * MemoryLayout<Element>.stride <= byteCount)
        return UnsafeMutableBufferPointer(start: base.bindMemory(to: type, capacity: count), count: count)
    }
}

/// One value in locked memory, for atomics that the loop reaches by `pointer` and others by reference.
///
/// `@unchecked`: the value is `Sendable` and never replaced.
public final class LockedValue<Value: Sendable & ~Copyable>: @unchecked Sendable {
    private let memory: LockedBuffer
    /// Valid as long as this object is.
    public let pointer: UnsafeMutablePointer<Value>

    public init(_ value: consuming Value) {
        memory = LockedBuffer(byteCount: MemoryLayout<Value>.size)
        pointer = memory.base.bindMemory(to: Value.self, capacity: 1)
        pointer.initialize(to: value)
    }

    deinit { pointer.deinitialize(count: 1) }
}
