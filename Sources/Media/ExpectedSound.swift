internal import MediaDescription

/// Since when sound of a peer is to come. While one side holds the other, a telephone may send nothing at all, not even
/// reports: that is no outage, and what comes after it is waited for from then on.
struct ExpectedSound: Hashable, Sendable {
    /// CLOCK_MONOTONIC in nanoseconds; nil while none need come.
    private(set) var since: UInt64?

    /// - Parameters:
    ///   - direction: of our stream; nil before offer and answer are done.
    ///   - isHeld: whether we hold the call, whatever the peer said to that.
    mutating func update(_ direction: MediaDirection?, isHeld: Bool, at now: UInt64) {
        since = direction == .sendrecv && !isHeld ? since ?? now : nil
    }
}
