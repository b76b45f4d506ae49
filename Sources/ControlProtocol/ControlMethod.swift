/// Every method of the control socket.
public enum ControlMethod: String, Sendable, Hashable, CaseIterable {
    case daemonStatus = "daemon.status"
    case daemonReload = "daemon.reload"
    case callList = "call.list"
    case callStart = "call.start"
    case callAnswer = "call.answer"
    case callReject = "call.reject"
    case callEnd = "call.end"
    case callHold = "call.hold"
    case callResume = "call.resume"
    case callMute = "call.mute"
    case callUnmute = "call.unmute"
    case callEarmuff = "call.earmuff"
    case callUnearmuff = "call.unearmuff"
    case callDTMF = "call.dtmf"
    case callTransfer = "call.transfer"
    case callPlay = "call.play"
    case callStopPlaying = "call.stopPlaying"
    case recordingStart = "recording.start"
    case recordingStop = "recording.stop"
    case probeRun = "probe.run"
    case groupMerge = "group.merge"
    case groupSplit = "group.split"
    case transactionRequest = "transaction.request"
    case historyList = "history.list"
    case historyClear = "history.clear"
    case dndSet = "dnd.set"
    case blockAdd = "block.add"
    case blockRemove = "block.remove"
    case blockList = "block.list"
    case contactsAdd = "contacts.add"
    case contactsRemove = "contacts.remove"
    case contactsList = "contacts.list"
    case devicesList = "devices.list"
    case volumeSet = "volume.set"
    case profileSet = "profile.set"
    case ringerSet = "ringer.set"
    case statsGet = "stats.get"
    case eventsSubscribe = "events.subscribe"

    /// Whether it only asks, so that it may be sent any number of times.
    public var isQuestion: Bool {
        switch self {
        case .daemonStatus, .callList, .historyList, .blockList, .contactsList, .devicesList, .statsGet,
            .eventsSubscribe:
            true
        case .daemonReload, .callStart, .callAnswer, .callReject, .callEnd, .callHold, .callResume, .callMute,
            .callUnmute, .callEarmuff, .callUnearmuff, .callDTMF, .callTransfer, .callPlay, .callStopPlaying,
            .recordingStart, .recordingStop, .probeRun, .groupMerge, .groupSplit,
            .transactionRequest, .historyClear, .dndSet, .blockAdd, .blockRemove, .contactsAdd, .contactsRemove,
            .volumeSet, .profileSet, .ringerSet:
            false
        }
    }
}
