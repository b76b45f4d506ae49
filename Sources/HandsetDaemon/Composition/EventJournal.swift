internal import CallModel
internal import CallSystem
internal import ControlProtocol
internal import MediaDescription
internal import Supervision

/// What happens to calls, accounts and sound, in the log.
enum EventJournal {
    /// - Parameters:
    ///   - advice: makes what is said about a stranger.
    ///   - audio: the audio session as it is now.
    static func write(
        _ event: CallCenterEvent, advice: (String, Int) -> StrangerInfo, audio: @autoclosure () -> AudioStatus
    ) {
        switch event {
        case .started(let call): log(call, "call to \(call.handle.value) begins")
        case .incoming(let call): log(call, "call from \(call.handle.value) rings")
        case .updated(let call, let changed):
            guard changed.contains("state") || changed.contains("held") || changed.contains("remoteHeld") else {
                return
            }
            let held = [call.held ? "held" : nil, call.remoteHeld ? "held by the other party" : nil].compactMap { $0 }
            log(call, "call is \(([call.state.rawValue] + held).joined(separator: ", "))")
        case .ended(let call):
            var reason = call.endReason?.word ?? "unknown"
            if case .failed(let status, let text)? = call.endReason {
                reason += ": \(status.map { "\($0) " } ?? "")\(text)"
            }
            log(call, "call ended: \(reason)")
        case .digit(let call, let digit, let milliseconds): log(call, "digit \(digit) for \(milliseconds) ms")
        case .transferProgress(let call, let status): log(call, "the target of the transfer says \(status)")
        case .quality(let call, let score, let isPoor):
            log(call, "call sounds \(isPoor ? "poor" : "well again") here, MOS \(Double(Int(score * 10)) / 10)")
        case .recordingEnded(let end):
            let fields: [Log.Field: String] = [.callID: end.call.description]
            if let failure = end.failure { return Log.write(.warning, "the call is not recorded: \(failure)", fields) }
            let dropped = Int(end.droppedMilliseconds)
            let gaps = dropped > 0 ? "; the disk was too slow, \(dropped) ms are silence" : ""
            Log.write(dropped > 0 ? .warning : .info, "recorded to \(end.file)\(gaps)", fields)
        case .played(let call, let file, let completed):
            log(call, "\(file) \(completed ? "has been played" : "is no longer played")")
        case .audioActivated: opened("audio session opened", audio())
        case .audioDeactivated: Log.write(.info, "audio session closed")
        case .audioInterrupted(let message): Log.write(.warning, "audio interrupted: \(message)")
        case .audioResumed: opened("audio is back", audio())
        case .deviceFailed(let message): Log.write(.warning, "sound device passed over: \(message)")
        case .holdMusicFailed(let message): Log.write(.warning, "hold music: \(message)")
        case .audioRemark(let message): Log.write(.notice, message)
        case .profileChanged(let state): Log.write(.info, "the microphone's profile is \(state.current.rawValue)")
        case .account(let status): log(status)
        case .stranger(let address, let count):
            let stranger = advice(address, count)
            Log.write(
                .notice,
                "dropped \(count) request\(count == 1 ? "" : "s") of a stranger; to let it in: \(stranger.advice)",
                [.peer: address])
        }
    }

    /// Says what was opened, and how the audio loop runs on it.
    private static func opened(_ what: String, _ audio: AudioStatus) {
        let priority: Log.Priority = audio.scheduling.hasPrefix("SCHED_FIFO") ? .info : .warning
        Log.write(
            priority, "\(what): \(audio.capture) / \(audio.playback), \(audio.scheduling)",
            [.device: audio.playback])
    }

    private static func log(_ call: CallSnapshot, _ message: String) {
        var fields: [Log.Field: String] = [.callID: call.id.description]
        if let account = call.account { fields[.account] = account }
        Log.write(.info, message, fields)
    }

    private static func log(_ status: AccountStatus) {
        let fields: [Log.Field: String] = [.account: status.name]
        switch status.state {
        case .registered: Log.write(.info, "account \(status.name) is registered", fields)
        case .failed:
            Log.write(.warning, "account \(status.name) cannot register: \(status.lastError ?? "no answer")", fields)
        case .unregistered, .registering: Log.write(.info, "account \(status.name) is \(status.state.rawValue)", fields)
        }
    }
}
