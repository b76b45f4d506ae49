public import CallModel
public import EventLoop
internal import MediaDescription

/// All calls of the daemon: carries out requests, follows the signalling, moves the sound.
@DaemonActor public final class CallCenter {
    private let signalling: any Signalling
    private let media: any MediaControl
    private let policy: CallPolicy
    private let clock: any CallClock

    /// Told of each event, in order, never from within a call of a method. Set before the first call.
    public var onEvent: (@DaemonActor (CallCenterEvent) -> Void)?

    /// Becomes the observer of `signalling` and `media`.
    public init(
        signalling: any Signalling, media: any MediaControl, policy: CallPolicy = CallPolicy(),
        clock: any CallClock = LoopClock()
    ) {
        self.signalling = signalling
        self.media = media
        self.policy = policy
        self.clock = clock
    }

    /// The calls that are not over, oldest first.
    public var calls: [CallSnapshot] { [] }

    /// The call of that name; nil where there is none or it is over.
    public func snapshot(of call: CallID) -> CallSnapshot? { nil }

    /// Figures of a call's stream; nil where there is none.
    public func statistics(of call: CallID) -> CallStatistics? { media.statistics(of: call) }

    /// Carries out `request`, which was read at `readAt`; `done` is called once, on the event loop, when it is fulfilled
    /// or has failed; never from within this method.
    public func perform(
        _ request: CallRequest, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void
    ) {
        _ = clock.schedule(after: .zero) { done(.failure(CallError(.unknownCall, "There is no such call."))) }
    }

    /// Carries out `requests` in order. They are checked as a whole first; where one cannot be carried out, none is.
    /// Where one fails, those after it fail as `cancelled`.
    ///
    /// `done` is given one report for each request, in their order, or `emptyTransaction`.
    public func transaction(
        _ requests: [CallRequest], readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<[ActionReport], CallError>) -> Void
    ) {
        _ = clock.schedule(after: .zero) { done(.failure(CallError(.emptyTransaction, "The transaction is empty."))) }
    }

    /// Ends every call, unregisters and closes the sound; `done` when that is over, after 2 s at the latest.
    public func shutDown(_ done: @escaping @DaemonActor () -> Void) {
        signalling.shutDown { [media] in
            media.shutDown()
            done()
        }
    }
}
