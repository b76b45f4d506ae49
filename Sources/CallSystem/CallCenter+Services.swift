public import CallModel
public import EventLoop

/// Calls that are nobody's conversation: they ring nowhere, are counted apart, and neither hold others nor are held for them.
extension CallCenter {
    /// Calls of services at once, at most.
    static let serviceCapacity = 8

    /// All other calls, oldest first.
    var conversations: [CallRecord] { records.filter { $0.service == nil } }

    /// The one whose sound flows, of a group the oldest; nil where none does.
    var activeConversation: CallID? { conversations.first { $0.machine.isActive }?.id }

    /// Answers a call that comes in for a service.
    func serve(_ record: CallRecord) {
        guard records.count - conversations.count < Self.serviceCapacity else {
            return turnAway(record, .busy, because: .busy)
        }
        emit(.incoming(add(record)))
        ask(record.id, .answer, readAt: clock.now, nil)
        settle()
    }

    func tellService(of call: CallID) {
        guard openMedia[call] != nil, let service = record(of: call)?.service else { return }
        media.setService(call, service)
    }

    /// Dials for a service, beside whatever goes on. `done` is called once, when the INVITE has left or could not.
    public func start(
        _ service: CallService, _ handle: Handle, account: String?, id: CallID, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void
    ) {
        guard !isShuttingDown else {
            return tell(done, .failure(CallError(.cancelled, "The daemon is stopping.")))
        }
        guard record(of: id) == nil else {
            let message = "There is a call \(id) already; choose another id."
            return tell(done, .failure(CallError(.callAlreadyExists, message)))
        }
        guard records.count - conversations.count < Self.serviceCapacity else {
            let message = "There are \(Self.serviceCapacity) calls of services, and no more are made at once."
            return tell(done, .failure(CallError(.maximumCallsReached, message)))
        }
        nextFloor += 1
        let request = FloorRequest(
            number: nextFloor, request: .start(handle, account: account, id: id), call: id, readAt: readAt,
            askedAt: now,
            deadline: now, done: done, service: service)
        start(request, handle, account: account)
        settle()
    }
}
