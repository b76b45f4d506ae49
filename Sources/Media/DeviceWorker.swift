internal import CLinux
internal import EventLoop
internal import Glibc
internal import Synchronization

/// A thread on which sound devices are opened and closed, one after the other, as that may take seconds: the event loop
/// does not wait for it.
final class DeviceWorker: Sendable {
    private let queue = Queue()

    init() {
        let raw = Unmanaged.passRetained(queue)
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { @Sendable raw in
                if let raw { Unmanaged<Queue>.fromOpaque(raw).takeRetainedValue().run() }
                return nil
            }, raw.toOpaque())
        precondition(code == 0, "cannot create a thread")
        pthread_detach(thread)
    }

    deinit { queue.add(nil) }

    /// Carries out `job` after those before it.
    func run(_ job: @escaping @Sendable () -> Void) { queue.add(job) }

    /// Carries out `job`, and then `then` on the event loop.
    func run<Result: Sendable>(
        _ job: @escaping @Sendable () -> Result, then: @escaping @DaemonActor @Sendable (Result) -> Void
    ) {
        queue.add {
            let result = job()
            Task { @DaemonActor in then(result) }
        }
    }

    /// `@unchecked`: the semaphore is made for being shared, and its address is constant.
    private final class Queue: @unchecked Sendable {
        private let jobs = Mutex<[(@Sendable () -> Void)?]>([])
        private let waiting: UnsafeMutablePointer<sem_t>

        init() {
            waiting = .allocate(capacity: 1)
            sem_init(waiting, 0, 0)
        }

        deinit {
            sem_destroy(waiting)
            waiting.deallocate()
        }

        /// nil ends the thread.
        func add(_ job: (@Sendable () -> Void)?) {
            jobs.withLock { $0.append(job) }
            sem_post(waiting)
        }

        func run() {
            while true {
                while sem_wait(waiting) != 0 {}
                guard let job = jobs.withLock({ $0.removeFirst() }) else { return }
                job()
            }
        }
    }
}
