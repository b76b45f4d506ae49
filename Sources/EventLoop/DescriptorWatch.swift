internal import CLinux

/// What a descriptor is ready for.
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let read = Readiness(rawValue: 1)
    public static let write = Readiness(rawValue: 2)
    /// The other end has gone, or the descriptor is in error. Always reported, asked for or not.
    public static let hangUp = Readiness(rawValue: 4)
}

/// A descriptor watched by the event loop, level-triggered, until cancelled. The descriptor stays its owner's:
/// cancel the watch first, then close it.
@DaemonActor public final class DescriptorWatch {
    private let descriptor: Int32
    private var token: UInt64?
    private var handler: (@DaemonActor (Readiness) -> Void)?

    /// Watches `descriptor`; nil where the kernel refuses (a file that cannot be polled, or one watched already).
    public init?(_ descriptor: Int32, for events: Readiness, handler: @escaping @DaemonActor (Readiness) -> Void) {
        self.descriptor = descriptor
        self.handler = handler
        let (token, code) = EventLoop.shared.add(self, descriptor: descriptor, events: events)
        guard code >= 0 else { return nil }
        self.token = token
    }

    /// Changes what is waited for.
    public func update(_ events: Readiness) {
        guard let token else { return }
        EventLoop.shared.modify(token: token, descriptor: descriptor, events: events)
    }

    /// Ends the watch; the handler is not called again and is let go.
    public func cancel() {
        guard let token else { return }
        self.token = nil
        handler = nil
        EventLoop.shared.remove(token: token, descriptor: descriptor)
    }

    nonisolated func deliver(_ events: Readiness) {
        DaemonActor.assumeIsolated { handler?(events) }
    }
}
