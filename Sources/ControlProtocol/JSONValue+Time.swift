public import FoundationEssentials

extension JSONValue {
    private static let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// RFC 3339 in UTC with milliseconds, or null.
    public init(_ date: Date?) {
        guard let date else {
            self = .null
            return
        }
        // The format cuts off what is less than a millisecond; half of one more makes it round.
        self = .string(Self.format.format(date.addingTimeInterval(0.0005)))
    }

    /// The instant, where this is one as `init(_: Date?)` writes it.
    public var date: Date? { string.flatMap { try? Self.format.parse($0) } }
}
