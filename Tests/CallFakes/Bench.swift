import CallModel
import CallSystem
import EventLoop
import MediaDescription

/// A call center between fakes, on a virtual clock.
@DaemonActor final class Bench {
    let clock = VirtualClock()
    let log = Log()
    let signalling: FakeSignalling
    let media: FakeMedia
    let center: CallCenter
    private(set) var events: [CallCenterEvent] = []

    /// The end of a request, once it has one.
    final class Outcome {
        fileprivate(set) var results: [Result<ActionResult, CallError>] = []
        var result: ActionResult? { try? results.first?.get() }
        var failure: FailureReason? {
            if case .failure(let error) = results.first { error.reason } else { nil }
        }
    }

    init(_ policy: CallPolicy = CallPolicy(), newName: @escaping @DaemonActor () -> CallID = { CallID() }) {
        signalling = FakeSignalling(log: log, clock: clock)
        media = FakeMedia(log: log, clock: clock)
        center = CallCenter(signalling: signalling, media: media, policy: policy, clock: clock, newName: newName)
        center.onEvent = { [unowned self] in events.append($0) }
    }

    /// Asks, and lets nothing happen yet.
    func ask(_ request: CallRequest) -> Outcome {
        let outcome = Outcome()
        center.perform(request, readAt: clock.now) { outcome.results.append($0) }
        return outcome
    }

    /// Asks, and lets 100 ms pass.
    @discardableResult func perform(_ request: CallRequest) -> Outcome {
        let outcome = ask(request)
        clock.run(.milliseconds(100))
        return outcome
    }

    func transaction(_ requests: [CallRequest]) -> Result<[ActionReport], CallError>? {
        var result: Result<[ActionReport], CallError>?
        center.transaction(requests, readAt: clock.now) { result = $0 }
        clock.run(.milliseconds(500))
        return result
    }

    /// A call that comes in now.
    func incoming(
        _ user: String = "bob", answerMode: AnswerMode = .manual, replacing replaced: CallID? = nil
    ) -> CallID {
        let call = CallID()
        _ = log.name(call)
        offer(call, from: user, answerMode: answerMode, replacing: replaced)
        clock.run()
        return call
    }

    /// Has a call come in when time passes next.
    func offer(
        _ call: CallID, from user: String = "bob", answerMode: AnswerMode = .manual, replacing replaced: CallID? = nil
    ) {
        signalling.tell(
            .incoming(
                IncomingCall(
                    id: call, from: Handle(kind: .generic, value: user), displayName: "Bob", account: "office",
                    answerMode: answerMode, replaces: replaced)))
    }

    /// A call that came in and was answered.
    func answered() -> CallID {
        let call = incoming()
        perform(.answer(call))
        return call
    }

    /// A call that was dialled and rings.
    func dialled() -> CallID {
        let call = CallID()
        _ = log.name(call)
        perform(.start(Handle(kind: .generic, value: "alice"), account: nil, id: call))
        signalling.tell(.ringing(call, earlyMedia: false))
        clock.run()
        return call
    }

    func connect(_ call: CallID) {
        signalling.tell(.media(call, .plain))
        signalling.tell(.established(call))
        clock.run(.milliseconds(10))
    }

    func state(_ call: CallID) -> CallState? { center.snapshot(of: call)?.state }
    func held(_ call: CallID) -> Bool? { center.snapshot(of: call)?.held }

    /// The events since the last look.
    func takenEventsWhole() -> [CallCenterEvent] {
        defer { events = [] }
        return events
    }

    /// The events since the last look, as words: `call.updated A state,capabilities`.
    func takenEvents() -> [String] {
        defer { events = [] }
        return events.map { event in
            switch event {
            case .started(let call), .incoming(let call): "\(event.type) \(log.name(call.id))"
            case .updated(let call, let changed): "\(event.type) \(log.name(call.id)) \(changed.joined(separator: ","))"
            case .ended(let call): "\(event.type) \(log.name(call.id)) \(call.endReason?.word ?? "?")"
            case .digit(let call, let digit, let milliseconds):
                "\(event.type) \(log.name(call.id)) \(digit) \(milliseconds)"
            case .transferProgress(let call, let status): "\(event.type) \(log.name(call.id)) \(status)"
            case .quality(let call, _, let isPoor): "\(event.type) \(log.name(call.id)) \(isPoor ? "poor" : "good")"
            case .recordingEnded(let end): "\(event.type) \(log.name(end.call)) \(end.failure ?? end.file)"
            case .played(let call, let file, let completed):
                "\(event.type) \(log.name(call.id)) \(file) \(completed ? "whole" : "broken off")"
            case .account(let status): "\(event.type) \(status.name)"
            case .profileChanged(let state): "\(event.type) \(state.current.rawValue)"
            case .audioInterrupted(let message): "\(event.type) \(message)"
            case .audioActivated, .audioDeactivated, .audioResumed, .deviceFailed, .holdMusicFailed, .audioRemark:
                event.type
            case .stranger(let address, let count): "\(event.type) \(address) \(count)"
            }
        }
    }
}

extension Handle {
    static let alice = Handle(kind: .generic, value: "alice")
}
