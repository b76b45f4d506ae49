internal import CallModel
internal import ControlProtocol
internal import FoundationEssentials
internal import HandsetKit

/// Events as lines that people read.
enum EventLine {
    /// The event as one line: time, type, and what it is about.
    static func text(_ params: JSONObject) -> String {
        let time = params["time"]?.date.map(LocalTime.preciseClock) ?? "-"
        let type = Table.printable(params["type"]?.string ?? "?")
        let padding = String(repeating: " ", count: max(1, 24 - type.count))
        let detail = ControlEvent(params: params).map(detail) ?? Table.printable(JSONValue.object(params).text)
        return time + "  " + type + (detail.isEmpty ? "" : padding + detail)
    }

    /// What is told of the connection, as one line; nil for an event.
    static func text(_ notice: EventNotice) -> String? {
        switch notice {
        case .event: nil
        case .gap(.daemonRestarted): "the daemon was started anew; the calls of before are over"
        case .gap(.tooLongAway): "more happened meanwhile than the daemon keeps: events are missing"
        case .gap(.readerTooSlow(let missed)): "this end was too slow: \(missed) events are missing"
        case .disconnected(let error): Table.printable("\(error.message); waiting for it to come back")
        case .reconnected: "connected again"
        }
    }

    private static func detail(_ event: ControlEvent) -> String {
        switch event {
        case .callStarted(let call), .callIncoming(let call): about(call)
        case .callUpdated(let call, let changed):
            "\(about(call))  \(changed.map { value($0, call) }.joined(separator: ", "))"
        case .callEnded(let call): "\(about(call))  \(end(call.endReason))"
        case .callDTMF(let call, let digit, let durationMs):
            "\(about(call))  \(Table.printable(String(digit))) for \(durationMs) ms"
        case .callQuality(let call, let mos, let poor):
            "\(about(call))  \(poor ? "sounds poor" : "sounds well again"), MOS \(Reports.tenths(mos))"
        case .callPlayed(let call, let file, let completed):
            Table.printable("\(about(call))  \(file) \(completed ? "has been played" : "is no longer played")")
        case .recordingEnded(let recording):
            Table.printable("\(recording.file)  \(Reports.duration(recording.seconds))")
        case .recordingFailed(_, let message): Table.printable(message)
        case .transferProgress(let call, let sipStatus): "\(about(call))  target: \(sipStatus)"
        case .audioActivated, .audioDeactivated, .audioResumed, .daemonStopping: ""
        case .audioInterrupted(let message), .deviceFailed(let message): Table.printable(message)
        case .accountRegistered(let account), .accountUnregistered(let account), .accountFailed(let account):
            Table.printable([account.name, account.lastError].compactMap { $0 }.joined(separator: "  "))
        case .historyChanged(let missedCalls): "\(missedCalls) missed"
        case .ringerChanged(let ringer): Reports.ringer(ringer)
        case .profileChanged(let state): Reports.profile(state)
        case .dndChanged(let state): Reports.doNotDisturb(state)
        case .requestDropped(let stranger):
            Table.printable("from \(stranger.address) (\(stranger.count)); to let it in: \(stranger.advice)")
        }
    }

    private static func about(_ call: CallSnapshot) -> String {
        Table.printable("\(call.id.description.prefix(8))  \(Reports.party(call))")
    }

    static func end(_ reason: EndReason?) -> String {
        guard case .failed(let status, let text)? = reason else { return reason?.word ?? "ended" }
        return Table.printable(
            ["failed", status.map { "SIP \($0)" }, text.isEmpty ? nil : text].compactMap { $0 }.joined(separator: ": "))
    }

    /// `name=value` of a member that has changed.
    private static func value(_ name: String, _ call: CallSnapshot) -> String {
        let value = call.json[name]
        let text = value?.string ?? value?.text ?? ""
        return Table.printable(value?.object == nil ? "\(name)=\(text)" : name)
    }
}
