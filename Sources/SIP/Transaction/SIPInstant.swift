/// An instant of a monotonic clock, in nanoseconds since an arbitrary one.
public struct SIPInstant: Comparable, Hashable, Sendable {
    public var nanoseconds: UInt64

    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Saturates; a negative duration counts as none.
    public static func + (instant: Self, duration: Duration) -> Self {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return instant }
        let (whole, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isTooLate) = instant.nanoseconds.addingReportingOverflow(whole &+ UInt64(attoseconds) / 1_000_000_000)
        return Self(nanoseconds: overflows || isTooLate ? .max : sum)
    }

    /// The time from `earlier` to `later`; none where `earlier` is the later one.
    public static func - (later: Self, earlier: Self) -> Duration {
        let elapsed = later.nanoseconds > earlier.nanoseconds ? later.nanoseconds - earlier.nanoseconds : 0
        return .nanoseconds(Int64(clamping: elapsed))
    }
}
