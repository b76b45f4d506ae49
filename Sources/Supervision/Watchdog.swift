public import EventLoop

/// Feeds systemd's watchdog, but only while everything that must make progress does.
@DaemonActor public final class Watchdog {
    /// Something that makes progress.
    public struct Source {
        /// What it is called in the log.
        public var name: String
        /// A number that has changed since it was last asked for, or nil while nothing is expected of it.
        public var progress: @DaemonActor () -> UInt64?

        public init(name: String, progress: @escaping @DaemonActor () -> UInt64?) {
            self.name = name
            self.progress = progress
        }
    }

    private let sources: [Source]
    private var last: [UInt64?]
    private let feed: @DaemonActor () -> Void
    private let complain: @DaemonActor (String) -> Void

    /// - Parameter feed: tells systemd that all is well.
    /// - Parameter complain: is told the name of a source that stands still, each time.
    public init(
        sources: [Source], feed: @escaping @DaemonActor () -> Void = { ServiceManager.feedWatchdog() },
        complain: @escaping @DaemonActor (String) -> Void
    ) {
        self.sources = sources
        self.feed = feed
        self.complain = complain
        last = sources.map { _ in nil }
    }

    /// Checks four times an interval, for the life of the process.
    public func start(interval: Duration) {
        check()
        Timer(after: interval / 4) { [self] in start(interval: interval) }
    }

    /// Feeds where every source has moved, or nothing is expected of it.
    public func check() {
        var moved = true
        for (index, source) in sources.enumerated() {
            let now = source.progress()
            if let now, now == last[index] {
                moved = false
                complain(source.name)
            }
            last[index] = now
        }
        if moved { feed() }
    }
}
