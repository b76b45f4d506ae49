/// What a client does when the daemon has gone.
public struct Reconnection: Sendable, Hashable {
    /// Whether it tries to come back.
    public var isWanted: Bool
    /// How long a request waits for the daemon to be back before it fails.
    public var patience: Duration

    init(isWanted: Bool, patience: Duration) {
        self.isWanted = isWanted
        self.patience = patience
    }

    /// All requests fail, and streams of events end: for a command that does one thing.
    public static let never = Reconnection(isWanted: false, patience: .zero)

    /// It tries again, after 0.1 s first and every 2 s at last, for ever.
    ///
    /// Requests wait for it, `patience` at most. One that was under way is sent again: to the same run of the daemon
    /// under the same token, so that it is not carried out twice; to another one only if it just asks.
    public static func persistent(patience: Duration = .seconds(10)) -> Reconnection {
        Reconnection(isWanted: true, patience: max(.zero, patience))
    }

    /// Milliseconds to wait before attempt `number`, counted from 0.
    static func pause(before number: Int) -> Int32 { number >= 5 ? 2_000 : 100 << Int32(number) }
}
