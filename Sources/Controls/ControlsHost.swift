public import CallModel
public import EventLoop
public import Panel

/// What buttons and lights have to do with: the calls, by the same requests that control clients make.
@DaemonActor public protocol ControlsHost: AnyObject {
    /// The calls that are not over, oldest first.
    var calls: [CallSnapshot] { get }
    /// How many calls came in vain.
    var missedCalls: Int { get }
    /// Whom the last outgoing call went to; nil where there was none.
    var lastDialled: DialledNumber? { get }
    /// Carries out one request; `done` is called once, on the event loop, at once or later.
    func perform(
        _ request: CallRequest, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void)
    /// Makes calls and tones louder or, below 0, softer, by so many percent.
    func changeVolume(by percent: Int)
    /// Silences the ringer, or lets it sound again.
    func toggleSilent()
    /// Takes a sentence for the log.
    func note(_ message: String, isProblem: Bool)
}
