public import EventLoop
public import FoundationEssentials

/// Where the calls have their time from: the event loop, or a test's hand.
@DaemonActor public protocol CallClock: AnyObject {
    /// Monotonic time.
    var now: MonotonicInstant { get }
    /// Time of day.
    var date: Date { get }
    /// Calls `handler` once on the event loop, `delay` from now, unless what is returned is called before.
    func schedule(after delay: Duration, _ handler: @escaping @DaemonActor () -> Void) -> @DaemonActor () -> Void
}

/// The clock of the event loop.
public final class LoopClock: CallClock {
    public nonisolated init() {}

    public var now: MonotonicInstant { .now }
    public var date: Date { Date() }

    public func schedule(
        after delay: Duration, _ handler: @escaping @DaemonActor () -> Void
    ) -> @DaemonActor () -> Void {
        let timer = Timer(after: delay, handler: handler)
        return { timer.cancel() }
    }
}
