internal import CLinux

/// An instant of CLOCK_MONOTONIC, in nanoseconds.
public struct MonotonicInstant: Comparable, Hashable, Sendable {
    public var nanoseconds: UInt64
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    public static var now: MonotonicInstant { MonotonicInstant(nanoseconds: clinux_monotonic_ns()) }

    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    public static func + (instant: Self, duration: Duration) -> Self {
        Self(nanoseconds: instant.nanoseconds &+ duration.wholeNanoseconds)
    }

    /// Milliseconds since `earlier`, with a fraction; negative where `earlier` is later.
    public func milliseconds(since earlier: Self) -> Double {
        Double(Int64(bitPattern: nanoseconds &- earlier.nanoseconds)) / 1e6
    }
}

extension Duration {
    /// Nanoseconds of a duration that is not negative; negative ones are 0.
    var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(seconds) &* 1_000_000_000 &+ UInt64(attoseconds / 1_000_000_000)
    }
}

/// A one-shot timer of the event loop. It fires on the loop, unless cancelled; letting it go does not cancel it.
@DaemonActor public final class Timer {
    nonisolated let deadline: UInt64
    private var handler: (@DaemonActor () -> Void)?

    @discardableResult
    public init(after delay: Duration, handler: @escaping @DaemonActor () -> Void) {
        deadline = (MonotonicInstant.now + delay).nanoseconds
        self.handler = handler
        EventLoop.shared.deadlines.insert(self)
    }

    /// The handler is not called, and is let go. No effect on a timer that has fired.
    public func cancel() { handler = nil }

    nonisolated func fire() {
        DaemonActor.assumeIsolated {
            let handler = self.handler
            self.handler = nil
            handler?()
        }
    }
}

/// Timers by deadline: a binary heap. Cancelled timers stay until their time; they hold no handler.
struct DeadlineHeap {
    private var timers: [Timer] = []

    var earliest: UInt64? { timers.first?.deadline }

    mutating func insert(_ timer: Timer) {
        timers.append(timer)
        var child = timers.count - 1
        while child > 0, timers[child].deadline < timers[(child - 1) / 2].deadline {
            timers.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func removeFirst(dueBy now: UInt64) -> Timer? {
        guard let first = timers.first, first.deadline <= now else { return nil }
        timers[0] = timers[timers.count - 1]
        timers.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < timers.count && timers[child].deadline < timers[least].deadline {
                least = child
            }
            guard least != parent else { break }
            timers.swapAt(parent, least)
            parent = least
        }
        return first
    }
}
