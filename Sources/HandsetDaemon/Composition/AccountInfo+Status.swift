internal import CallSystem
internal import ControlProtocol
internal import FoundationEssentials

extension AccountInfo {
    /// `status` as control clients see it, at the wall-clock time `now`.
    init(_ status: AccountStatus, now: Date = Date()) {
        self.init(
            name: status.name, state: status.state.rawValue, reachable: status.reachable,
            expiresAt: status.expiresIn.map { now.addingTimeInterval(Double($0)) }, lastError: status.lastError)
    }
}

extension ControlEvent {
    /// What control clients are told of `event`; nil where it is nothing to them.
    ///
    /// - Parameter stranger: makes the advice for a stranger whose request was dropped.
    init?(_ event: CallCenterEvent, stranger: (String, Int) -> StrangerInfo) {
        switch event {
        case .started(let call): self = .callStarted(call)
        case .incoming(let call): self = .callIncoming(call)
        case .updated(let call, let changed): self = .callUpdated(call, changed: changed)
        case .ended(let call): self = .callEnded(call)
        case .digit(let call, let digit, let milliseconds):
            self = .callDTMF(call, digit: digit, durationMs: milliseconds)
        case .transferProgress(let call, let status): self = .transferProgress(call, sipStatus: status)
        case .audioActivated: self = .audioActivated
        case .audioDeactivated: self = .audioDeactivated
        case .audioInterrupted(let message): self = .audioInterrupted(message: message)
        case .audioResumed: self = .audioResumed
        case .deviceFailed(let message): self = .deviceFailed(message: message)
        // The status shows it.
        case .holdMusicFailed, .audioRemark: return nil
        case .profileChanged(let state): self = .profileChanged(state)
        case .quality(let call, let score, let isPoor): self = .callQuality(call, mos: score, poor: isPoor)
        case .recordingEnded(let end):
            let info = RecordingInfo(
                call: end.call, file: end.file, seconds: end.seconds, droppedMs: end.droppedMilliseconds)
            self = end.failure.map { .recordingFailed(info, message: $0) } ?? .recordingEnded(info)
        case .played(let call, let file, let completed): self = .callPlayed(call, file: file, completed: completed)
        case .account(let status):
            switch status.state {
            case .registered: self = .accountRegistered(AccountInfo(status))
            case .failed: self = .accountFailed(AccountInfo(status))
            case .unregistered: self = .accountUnregistered(AccountInfo(status))
            case .registering: return nil
            }
        case .stranger(let address, let count): self = .requestDropped(stranger(address, count))
        }
    }
}
