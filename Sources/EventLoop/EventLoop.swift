internal import CLinux
internal import Glibc
internal import Synchronization
internal import Threads

/// An epoll loop that is the executor of `DaemonActor`: descriptors, timers and Swift jobs take turns on one thread.
///
/// `@unchecked`: `jobs`, `thread` and `stopping` are locked or atomic; all else is touched by the loop's thread alone.
public final class EventLoop: SerialExecutor, @unchecked Sendable {
    public static let shared = EventLoop()

    private let jobs = Mutex<[UnownedJob]>([])
    private let thread = Atomic<UInt>(0)
    private let stopping = Atomic<Bool>(false)
    private let turnCount = Atomic<Int>(0)
    private let epoll: Int32
    private let wakeUp: Int32
    private let timer: Int32
    private var watches: [UInt64: DescriptorWatch] = [:]
    private var nextToken: UInt64 = 2
    var deadlines = DeadlineHeap()
    private var armedDeadline: UInt64 = 0

    private init() {
        epoll = clinux_epoll_create()
        wakeUp = clinux_eventfd()
        timer = clinux_timerfd()
        // Without these three nothing of the daemon can run; they fail only when a process may open no file at all.
        precondition(epoll >= 0 && wakeUp >= 0 && timer >= 0, "cannot create epoll, eventfd or timerfd")
        _ = clinux_epoll_add(epoll, wakeUp, UInt32(CLINUX_READ), 0)
        _ = clinux_epoll_add(epoll, timer, UInt32(CLINUX_READ), 1)
    }

    // MARK: Running

    /// Runs on the calling thread until `stop`.
    public func run() {
        thread.store(UInt(pthread_self()), ordering: .releasing)
        let reports = UnsafeMutablePointer<clinux_ready>.allocate(capacity: 64)
        defer { reports.deallocate() }
        while !stopping.load(ordering: .acquiring) {
            turnCount.wrappingAdd(1, ordering: .relaxed)
            runJobs()
            armTimer()
            let count = clinux_epoll_wait(epoll, reports, 64, -1)
            for index in 0..<max(0, Int(count)) { deliver(reports[index]) }
            fireTimers()
        }
        stopping.store(false, ordering: .releasing)
    }

    /// Runs the loop on a thread of its own, once a process: for tests and for programs whose main thread is not free.
    public func runInBackground() { _ = Self.background }

    private static let background: Void = {
        do throws(DetachedThread.Failure) {
            try DetachedThread.start { EventLoop.shared.run() }
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    /// Ends `run` after the turn it is in.
    public func stop() {
        stopping.store(true, ordering: .releasing)
        _ = clinux_eventfd_signal(wakeUp)
    }

    /// How many turns the loop has made: progress, for a watchdog.
    public var turns: Int { turnCount.load(ordering: .relaxed) }

    private func deliver(_ report: clinux_ready) {
        switch report.token {
        case 0: _ = clinux_eventfd_take(wakeUp)
        case 1: _ = clinux_timerfd_take(timer)
        // A watch cancelled earlier in this turn is no longer in the table.
        default: watches[report.token]?.deliver(Readiness(rawValue: report.events))
        }
    }

    // MARK: Executor

    public func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        let wasEmpty = jobs.withLock { waiting in
            waiting.append(unowned)
            return waiting.count == 1
        }
        if wasEmpty { _ = clinux_eventfd_signal(wakeUp) }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    public func checkIsolated() {
        precondition(isOnLoopThread, "not on the event loop")
    }

    public func isIsolatingCurrentContext() -> Bool? { isOnLoopThread }

    private var isOnLoopThread: Bool { thread.load(ordering: .acquiring) == UInt(pthread_self()) }

    private func runJobs() {
        let taken = jobs.withLock { waiting in
            let taken = waiting
            waiting.removeAll(keepingCapacity: true)
            return taken
        }
        for job in taken { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    // MARK: Descriptors, on the loop's thread

    func add(_ watch: DescriptorWatch, descriptor: Int32, events: Readiness) -> (token: UInt64, code: Int32) {
        let token = nextToken
        nextToken += 1
        let code = clinux_epoll_add(epoll, descriptor, events.rawValue, token)
        if code >= 0 { watches[token] = watch }
        return (token, code)
    }

    func modify(token: UInt64, descriptor: Int32, events: Readiness) {
        _ = clinux_epoll_modify(epoll, descriptor, events.rawValue, token)
    }

    func remove(token: UInt64, descriptor: Int32) {
        watches[token] = nil
        _ = clinux_epoll_remove(epoll, descriptor)
    }

    // MARK: Timers, on the loop's thread

    private func armTimer() {
        let next = deadlines.earliest ?? 0
        guard next != armedDeadline else { return }
        armedDeadline = next
        _ = clinux_timerfd_set(timer, next)
    }

    private func fireTimers() {
        let now = clinux_monotonic_ns()
        while let due = deadlines.removeFirst(dueBy: now) {
            armedDeadline = 0
            due.fire()
        }
    }
}
