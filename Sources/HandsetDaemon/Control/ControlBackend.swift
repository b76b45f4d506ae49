public import CallModel
public import ControlProtocol
public import EventLoop

/// What the control socket gives access to. Closures are called once, on the event loop, at once or later.
@DaemonActor public protocol ControlBackend: AnyObject {
    /// The calls that are not over, oldest first.
    var calls: [CallSnapshot] { get }
    /// The daemon's state; its `instance` is filled in by the server.
    var status: DaemonStatus { get }
    /// Carries out one action. `readAt`: when the request was read from the socket.
    func perform(
        _ request: CallRequest, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void)
    /// Carries out actions in order; one report for each.
    func transaction(
        _ requests: [CallRequest], readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<[ActionReport], CallError>) -> Void)
    /// Figures of `call`, or of all; throws `unknownCall`.
    func statistics(of call: CallID?) throws(CallError) -> StatisticsReport
    func listDevices(_ done: @escaping @DaemonActor (Result<[DeviceInfo], CallError>) -> Void)
    /// Sets 0...100, leaves a side that is nil; says what is set then. Fails with `deviceUnavailable`.
    func setVolume(
        capture: Int?, playback: Int?, _ done: @escaping @DaemonActor (Result<VolumeInfo, CallError>) -> Void)
    /// Reads the configuration again; fails where it is wrong, having changed nothing.
    func reload(_ done: @escaping @DaemonActor (Result<ReloadReport, CallError>) -> Void)
}
