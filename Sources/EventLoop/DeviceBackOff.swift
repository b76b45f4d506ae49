/// How long to wait before a device is tried again: 250 ms at first, then twice as long each time.
public struct DeviceBackOff: Sendable {
    private static let first = Duration.milliseconds(250)
    private let limit: Duration
    private var delay = Self.first

    /// - Parameter limit: the longest wait.
    public init(limit: Duration = .seconds(10)) { self.limit = limit }

    public mutating func next() -> Duration {
        defer { delay = min(delay * 2, limit) }
        return delay
    }

    public mutating func reset() { delay = Self.first }
}
