public import CallModel
public import EventLoop
internal import MediaDescription

/// All calls of the daemon: carries out requests, follows the signalling, moves the sound.
///
/// Each call's decisions are its `CallMachine`'s; here are the rules among calls. At most one call is active: answering,
/// dialling or resuming another one holds it first. What observers and clients are told comes in a later turn of the
/// event loop, so that they may ask for the next thing at once.
@DaemonActor public final class CallCenter {
    let signalling: any Signalling
    let media: any MediaControl
    /// May be set at any time; calls that ring already keep the time-out they began with.
    public var policy: CallPolicy {
        didSet { if policy.mediaTimeoutSeconds != oldValue.mediaTimeoutSeconds { watchAllMedia() } }
    }
    let clock: any CallClock
    /// Names the calls that nobody else has given a name.
    let newName: @DaemonActor () -> CallID
    /// Whether calls that come in are shown and nothing rings, whatever their ring tone. The soft tone of a second call in a
    /// conversation stays.
    public var isRingerSilent = false {
        didSet { if isRingerSilent != oldValue { updateSounds() } }
    }

    /// Decides which calls ring; nil: all of them. Set before the first call.
    public weak var screening: (any CallScreening)?

    /// Told of each event, in order, never from within a call of a method. Set before the first call.
    public var onEvent: (@DaemonActor (CallCenterEvent) -> Void)?

    var records: [CallRecord] = []
    var actions: [ActionID: ActionRecord] = [:]
    var nextAction = 0
    var floor: [FloorRequest] = []
    var nextFloor = 0
    /// Calls whose sockets media has made.
    var openMedia: [CallID: LocalMedia] = [:]
    var accountsSeen: [String: AccountStatus] = [:]
    var sounds = CallSounds()
    var failureTone: CallTone?
    /// The call that is about to be answered by itself, while those who are near are warned of it.
    var callBeingWarnedOf: CallID?
    var cancelFailureTone: (@DaemonActor () -> Void)?
    var holds = 0
    var isShuttingDown = false
    /// Calls that ring at the caller's end only, and what stops that.
    var ringingOut: [CallID: @DaemonActor () -> Void] = [:]

    private var outbox: [@DaemonActor () -> Void] = []
    private var isFlushDue = false
    private var isSettling = false
    var settlesAgain = false
    private var armedDeadline: Duration?
    private var cancelTimer: (@DaemonActor () -> Void)?

    /// Becomes the observer of `signalling` and `media`.
    public init(
        signalling: any Signalling, media: any MediaControl, policy: CallPolicy = CallPolicy(),
        clock: any CallClock = LoopClock(), newName: @escaping @DaemonActor () -> CallID = { CallID() }
    ) {
        self.signalling = signalling
        self.media = media
        self.policy = policy
        self.clock = clock
        self.newName = newName
        signalling.observer = self
        media.observer = self
    }

    /// The calls that are not over, oldest first.
    public var calls: [CallSnapshot] { records.map { snapshot(of: $0) } }

    /// The call of that name; nil where there is none or it is over.
    public func snapshot(of call: CallID) -> CallSnapshot? { record(of: call).map { snapshot(of: $0) } }

    /// Figures of a call's stream; nil where there is none.
    public func statistics(of call: CallID) -> CallStatistics? { media.statistics(of: call) }

    /// Ends every call, unregisters and closes the sound; `done` when that is over, after 2 s at the latest.
    public func shutDown(_ done: @escaping @DaemonActor () -> Void) {
        isShuttingDown = true
        for waiting in floor where !waiting.isRunning {
            tell(waiting.done, .failure(CallError(.cancelled, "The daemon is stopping.")))
        }
        floor.removeAll { !$0.isRunning }
        signalling.shutDown { [media] in
            media.shutDown()
            done()
        }
        for call in records.map({ $0.id }) { follow(call, .over(.localEnded)) }
    }

    // MARK: Bookkeeping

    var now: Duration { Self.time(of: clock.now) }

    static func time(of instant: MonotonicInstant) -> Duration { .nanoseconds(Int64(clamping: instant.nanoseconds)) }

    func record(of call: CallID) -> CallRecord? { records.first { $0.id == call } }

    /// Takes a call into the list. Returns it as clients are told of it.
    func add(_ record: CallRecord) -> CallSnapshot {
        var record = record
        let snapshot = record.snapshot
        record.announced = snapshot
        records.append(record)
        return snapshot
    }

    nonisolated static func unknown(_ call: CallID) -> CallError {
        CallError(.unknownCall, "There is no call \(call); `handset calls` lists those there are.")
    }

    /// Lets the machine of `call` decide about an event that cannot be refused. No effect where there is no such call.
    func follow(_ call: CallID, _ event: CallEvent) {
        _ = handle(event, of: call)
        settle()
    }

    /// After a change: tells of it, gives the floor to who waits for it, sets the ringer and the timer.
    func settle() {
        guard !isSettling else {
            settlesAgain = true
            return
        }
        isSettling = true
        repeat {
            settlesAgain = false
            announceChanges()
            advanceFloor()
            keepOneActive()
        } while settlesAgain
        isSettling = false
        updateSounds()
        armTimer()
    }

    private func announceChanges() {
        for index in records.indices {
            let snapshot = self.snapshot(of: records[index])
            guard let announced = records[index].announced, snapshot != announced else { continue }
            records[index].announced = snapshot
            emit(.updated(snapshot, changed: snapshot.changed(since: announced)))
        }
    }

    private func armTimer() {
        let deadline = (records.map { $0.machine.nextDeadline } + [floorDeadline]).compactMap { $0 }.min()
        guard deadline != armedDeadline else { return }
        cancelTimer?()
        cancelTimer = nil
        armedDeadline = deadline
        guard let deadline else { return }
        cancelTimer = clock.schedule(after: max(.zero, deadline - now)) { [weak self] in self?.timePassed() }
    }

    private func timePassed() {
        armedDeadline = nil
        let now = now
        for record in records {
            if let deadline = record.machine.nextDeadline, deadline <= now { _ = handle(.timePassed, of: record.id) }
        }
        floorTimePassed()
        settle()
    }

    // MARK: Telling

    func emit(_ event: CallCenterEvent) {
        later { [weak self] in self?.onEvent?(event) }
    }

    func tell(_ done: Completion?, _ result: Result<ActionResult, CallError>) {
        guard let done else { return }
        later { done(result) }
    }

    /// Calls `body` after everything that waits already, in the same or the next turn of the loop.
    func later(_ body: @escaping @DaemonActor () -> Void) {
        outbox.append(body)
        guard !isFlushDue else { return }
        isFlushDue = true
        _ = clock.schedule(after: .zero) { [weak self] in self?.flush() }
    }

    private func flush() {
        isFlushDue = false
        let due = outbox
        outbox = []
        for body in due { body() }
    }
}
