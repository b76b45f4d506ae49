import ControlProtocol
import EventLoop
import Glibc
import Synchronization
import Testing

@testable import HandsetDaemon

@Suite("Files that are looked at on another thread", .timeLimit(.minutes(1))) struct FileCheckTests {
    init() { EventLoop.shared.runInBackground() }

    /// A look that does not end before it is told to.
    private final class SlowDisk: Sendable {
        private let isOpen = Mutex(false)
        private let looks = Mutex(0)
        var count: Int { looks.withLock { $0 } }

        func answer() { isOpen.withLock { $0 = true } }

        func look() -> [ProblemInfo] {
            looks.withLock { $0 += 1 }
            while !isOpen.withLock({ $0 }) { usleep(1_000) }
            return [ProblemInfo(setting: "slow", message: "it took its time")]
        }
    }

    @DaemonActor private func becomes(_ condition: () -> Bool) async -> Bool {
        for _ in 0..<1_000 {
            if condition() { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    @Test("Nobody waits for a look, the last one that was asked for counts, and one goes on at a time")
    @DaemonActor func slow() async {
        let (check, disk) = (FileCheck(), SlowDisk())
        check.look { disk.look() }
        #expect(await becomes { disk.count == 1 })
        #expect(check.problems.isEmpty)
        check.look { disk.look() }
        check.look { [ProblemInfo(setting: "quick", message: "it is wrong")] }
        disk.answer()
        #expect(await becomes { check.problems.map(\.setting) == ["quick"] })
        #expect(disk.count == 1, "one that another took the place of is not begun")
    }

    @Test("Where nothing is to be looked at there is no problem, also none of a look that went on")
    @DaemonActor func nothing() async {
        let (check, disk) = (FileCheck(), SlowDisk())
        check.look { disk.look() }
        #expect(await becomes { disk.count == 1 })
        check.clear()
        disk.answer()
        try? await Task.sleep(for: .milliseconds(100))
        #expect(check.problems.isEmpty)
        check.look { [ProblemInfo(setting: "new", message: "it is wrong")] }
        #expect(await becomes { check.problems.map(\.setting) == ["new"] })
    }

    @Test("What use has found counts more than a look of before")
    @DaemonActor func use() async {
        let (check, disk) = (FileCheck(), SlowDisk())
        check.look { disk.look() }
        #expect(await becomes { disk.count == 1 })
        check.note(ProblemInfo(setting: "used", message: "it is damaged"))
        disk.answer()
        try? await Task.sleep(for: .milliseconds(100))
        #expect(check.problems.map(\.setting) == ["used"])
    }
}
