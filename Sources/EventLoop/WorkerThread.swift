internal import Glibc
internal import Synchronization
internal import Threads

/// A thread for what may wait for a device or a disk: jobs run one after the other, and the event loop does not wait for
/// them.
public final class WorkerThread: Sendable {
    private let queue = Queue()

    public init() {
        do throws(DetachedThread.Failure) {
            try DetachedThread.start { [queue] in queue.run() }
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// Jobs that were given still run; then the thread ends.
    deinit { queue.add(nil) }

    /// Carries out `job` after those before it.
    public func run(_ job: @escaping @Sendable () -> Void) { queue.add(job) }

    /// Carries out `job`, and then `then` on the event loop.
    public func run<Result: Sendable>(
        _ job: @escaping @Sendable () -> Result, then: @escaping @DaemonActor @Sendable (Result) -> Void
    ) {
        queue.add {
            let result = job()
            Task { @DaemonActor in then(result) }
        }
    }

    /// Waits until all jobs given before are done, `seconds` at most. For the end of the program: it blocks.
    public func finish(within seconds: Int) {
        let done = Semaphore()
        queue.add { done.signal() }
        done.wait(atMost: seconds)
    }

    /// `@unchecked`: it is made for being shared, and its address is constant.
    private final class Semaphore: @unchecked Sendable {
        private let semaphore: UnsafeMutablePointer<sem_t>

        init() {
            semaphore = .allocate(capacity: 1)
            sem_init(semaphore, 0, 0)
        }

        deinit {
            sem_destroy(semaphore)
            semaphore.deallocate()
        }

        func signal() { sem_post(semaphore) }

        func wait() { while sem_wait(semaphore) != 0 {} }

        func wait(atMost seconds: Int) {
            var deadline = timespec()
            clock_gettime(CLOCK_REALTIME, &deadline)
            deadline.tv_sec += seconds
            while sem_timedwait(semaphore, &deadline) != 0, errno == EINTR {}
        }
    }

    private final class Queue: Sendable {
        private let jobs = Mutex<[(@Sendable () -> Void)?]>([])
        private let waiting = Semaphore()

        /// nil ends the thread.
        func add(_ job: (@Sendable () -> Void)?) {
            jobs.withLock { $0.append(job) }
            waiting.signal()
        }

        func run() {
            while true {
                waiting.wait()
                guard let job = jobs.withLock({ $0.removeFirst() }) else { return }
                job()
            }
        }
    }
}
