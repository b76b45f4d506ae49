internal import CLinux

/// The processors of the machine, by their numbers.
public enum Processor {
    /// That of the calling thread; negative where the system does not say.
    @_noLocks @_noAllocation
    public static func current() -> Int32 {
        // Never waits: reads what the kernel keeps in the thread's memory.
        _unsafePerformance { clinux_thread_processor() }
    }

    /// Keeps the calling thread on a processor, where that is a thread of SCHED_FIFO: another one may have to wait there.
    public static func stay(on processor: Int32) { _ = clinux_thread_stay(processor) }
}
