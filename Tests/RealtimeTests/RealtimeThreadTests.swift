import Testing

@testable import Realtime

@Suite("Realtime thread") struct RealtimeThreadTests {
    @Test("It runs its body, says how it is scheduled, and is joined")
    func runs() throws {
        let cell = LockedValue(StatisticCell())
        let thread = try RealtimeThread(name: "a-name-too-long-for-the-kernel") { cell.pointer.pointee.store(1) }
        #expect(thread.join(timeoutMilliseconds: 5_000))
        #expect(thread.join(timeoutMilliseconds: 0))
        #expect(cell.pointer.pointee.value == 1)
        #expect(thread.scheduling.hasPrefix(thread.isRealtime ? "SCHED_FIFO" : "SCHED_OTHER: not permitted"))
    }

    @Test("Joining a thread that goes on is given up in time")
    func boundedJoin() throws {
        let stop = LockedValue(StatisticCell())
        let thread = try RealtimeThread(name: "lingering", priority: 0) {
            while stop.pointer.pointee.value == 0 {}
        }
        #expect(!thread.join(timeoutMilliseconds: 20))
        stop.pointer.pointee.store(1)
        #expect(thread.join(timeoutMilliseconds: 5_000))
    }

    @Test("The text says what the kernel gave and what to do about it")
    func text() {
        #expect(RealtimeThread.describe(granted: 50, wanted: 50, stackLockError: 0) == "SCHED_FIFO 50")
        #expect(RealtimeThread.describe(granted: 20, wanted: 50, stackLockError: 0).contains("RLIMIT_RTPRIO"))
        #expect(RealtimeThread.describe(granted: 0, wanted: 50, stackLockError: 0).contains("LimitRTPRIO=50"))
        #expect(RealtimeThread.describe(granted: 50, wanted: 50, stackLockError: 12).contains("LimitMEMLOCK"))
    }
}

@Suite("Locked buffer") struct LockedBufferTests {
    @Test("It is zeroed, page-aligned and at least as large as asked")
    func zeroed() {
        let buffer = LockedBuffer(byteCount: 5_000)
        let (address, size) = (UInt(bitPattern: buffer.base), buffer.byteCount)
        #expect(address % 4_096 == 0)
        #expect(size >= 5_000)
        let bytes = buffer.elements(of: UInt8.self, count: size)
        #expect(bytes.allSatisfy { $0 == 0 })
    }
}
