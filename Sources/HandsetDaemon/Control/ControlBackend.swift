public import CallModel
public import ControlProtocol
public import EventLoop
public import MediaDescription
public import Screening

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
    /// Records a connected call to a new file. `file`: a path or a name; nil: a name is made.
    func startRecording(
        _ call: CallID, file: String?, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void)
    func stopRecording(
        _ call: CallID, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void)
    /// Has the remote party hear a file in place of the microphone.
    func play(
        _ file: String, loops: Bool, to call: CallID, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void)
    func stopPlaying(
        to call: CallID, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void)
    /// Calls somebody, sends sound and measures what comes back; done when that is over.
    func probe(
        _ wish: ProbeWish, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ProbeReport, CallError>) -> Void)
    /// Figures of `call`, or of all; throws `unknownCall`.
    func statistics(of call: CallID?) throws(CallError) -> StatisticsReport
    /// The history, contacts, and who may ring.
    var reception: any ReceptionBackend { get }
    func listDevices(_ done: @escaping @DaemonActor (Result<[DeviceInfo], CallError>) -> Void)
    /// Sets 0...100, leaves a side that is nil; says what is set then, and whether it is kept. Fails with `deviceUnavailable`.
    func setVolume(
        capture: Int?, playback: Int?, _ done: @escaping @DaemonActor (Result<VolumeInfo, CallError>) -> Void)
    /// Chooses what is done to the microphone's sound; nil: only says how it is.
    func setProfile(_ choice: ProfileChoice?) -> ProfileState
    /// Reads the configuration again, and the lists that it names: done when all of it is in force. Fails where it is
    /// wrong, having changed nothing.
    func reload(_ done: @escaping @DaemonActor (Result<ReloadReport, CallError>) -> Void)
}

/// The part of it about the history, contacts, and who may ring, and how.
@DaemonActor public protocol ReceptionBackend: AnyObject {
    /// The calls that are wanted, the latest first; with `seen` the missed ones count as seen after it. Fails with
    /// `unknownCall` where the one is not known that they shall be older than.
    func history(
        _ query: HistoryQuery, seen: Bool,
        _ done: @escaping @DaemonActor (Result<[HistoryEntry], CallError>) -> Void)
    func clearHistory(_ done: @escaping @DaemonActor (Result<ListChange, CallError>) -> Void)
    /// Switches it; nil: only says how it is.
    func setDoNotDisturb(_ on: Bool?) -> DoNotDisturbInfo
    /// The same; what is said has whether it is kept, too.
    func setDoNotDisturb(_ on: Bool?, _ done: @escaping @DaemonActor (DoNotDisturbInfo) -> Void)
    /// Silences the ringer, or lets it sound; nil: only says how it is.
    func setSilent(_ silent: Bool?) -> RingerInfo
    /// The same; what is said has whether it is kept, too.
    func setSilent(_ silent: Bool?, _ done: @escaping @DaemonActor (RingerInfo) -> Void)
    /// - Parameter entry: one that `CallerList.accepts`.
    func block(_ entry: String, _ done: @escaping @DaemonActor (Result<ListChange, CallError>) -> Void)
    func unblock(_ entry: String, _ done: @escaping @DaemonActor (Result<ListChange, CallError>) -> Void)
    var blockReport: BlockReport { get }
    /// Adds a contact, or takes the place of the one of that name. Fails with `invalidParams` where its ring tone cannot be
    /// played, or another one has a handle of it.
    func add(_ contact: Contact, _ done: @escaping @DaemonActor (Result<ListChange, ControlError>) -> Void)
    func removeContact(
        _ name: String, _ done: @escaping @DaemonActor (Result<ListChange, CallError>) -> Void)
    /// Contacts from that number on, as many as fit into an answer.
    func contacts(from first: Int) -> ContactsReport
}
