internal import CallModel
internal import ControlProtocol
internal import FoundationEssentials
internal import HandsetKit

/// What the monitor knows and shows. A value: what comes in changes it, and what it wants done goes out.
struct MonitorState: Sendable {
    enum Input: Sendable {
        case key(Key)
        case notice(EventNotice)
        case status(DaemonStatus)
        /// `asOf`: how many events about calls had come when it was asked for.
        case calls([CallSnapshot], asOf: Int)
        case statistics(StatisticsReport)
        /// A request has come to its end; `words` say which, or what it has brought about.
        case done(String)
        case failed(String)
    }

    enum Effect: Sendable, Hashable {
        case askStatus
        case askCalls(asOf: Int)
        /// `words` name the request for who waits for it.
        case request(words: String, ControlMethod, JSONObject)
        /// Changes the level of the loudspeaker by so much.
        case changeVolume(Int)
        case setDoNotDisturb(Bool)
        /// Calls whom we called last.
        case redial
        case redraw
        case quit
    }

    /// What is being typed.
    struct Prompt: Sendable, Hashable {
        enum Purpose: Sendable, Hashable { case dial, keys, transfer }
        var purpose: Purpose
        /// The call that it is about.
        var call: CallID?
        var text = ""
        static let limit = 255
    }

    struct Message: Sendable, Hashable {
        var text: String
        var isError = false
    }

    /// Lines of events that are kept.
    private static let eventLimit = 200

    var status: DaemonStatus?
    /// When `status` came.
    var statusTime: Date?
    var calls: [CallSnapshot] = []
    var figures: [CallID: CallFigures] = [:]
    var events: [String] = []
    var selected: CallID?
    var prompt: Prompt?
    var message: Message?
    var showsHelp = false
    /// Why there is no connection; nil where there is one.
    var disconnection: String?
    private var callEvents = 0

    /// The call that keys are about.
    var selectedCall: CallSnapshot? { calls.first { $0.id == selected } ?? calls.first }

    /// Whether calls do not ring: switched so by hand, or by the hour.
    var isQuiet: Bool { status?.doNotDisturb.active ?? false }

    /// Whether there is sound to measure.
    var hasSound: Bool { disconnection == nil && calls.contains { $0.state == .connected || $0.state == .ringing } }

    /// What is asked at the beginning.
    static let first: [Effect] = [.askStatus, .askCalls(asOf: 0)]

    mutating func handle(_ input: Input, now: Date) -> [Effect] {
        switch input {
        case .key(let key): return press(key)
        case .notice(let notice): return take(notice)
        case .status(let news):
            (status, statusTime) = (news, now)
            return []
        case .calls(let news, let asOf):
            // A call has changed since this was asked: it may be older than what the events said.
            guard asOf == callEvents else { return [.askCalls(asOf: callEvents)] }
            calls = news.filter { $0.service == nil }
            return []
        case .statistics(let report):
            figures = Dictionary(report.calls.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
            return []
        case .done(let text):
            message = Message(text: text)
            return []
        case .failed(let text):
            message = Message(text: text, isError: true)
            return []
        }
    }

    // MARK: What the daemon tells

    private mutating func take(_ notice: EventNotice) -> [Effect] {
        if let line = EventLine.text(notice) { note(line) }
        switch notice {
        case .event(let event): return take(event)
        case .disconnected(let error):
            disconnection = error.message
            figures = [:]
            return []
        case .reconnected: disconnection = nil
        case .gap(.daemonRestarted): calls = []
        case .gap: break
        }
        return [.askStatus, .askCalls(asOf: callEvents)]
    }

    private mutating func take(_ event: DaemonEvent) -> [Effect] {
        note(EventLine.text(event.params))
        switch event.content {
        case .callStarted(let call), .callIncoming(let call), .callUpdated(let call, _):
            callEvents += 1
            // Nobody here talks in a service's call.
            if call.service != nil { return [] }
            if let index = calls.firstIndex(where: { $0.id == call.id }) {
                calls[index] = call
            } else {
                calls.append(call)
            }
            return []
        case .callEnded(let call):
            callEvents += 1
            calls.removeAll { $0.id == call.id }
            figures[call.id] = nil
            if selected == call.id { selected = nil }
            if prompt?.call == call.id { prompt = nil }
            return [.askStatus]
        case .callDTMF: return []
        // Accounts, devices, and what this version does not know.
        default: return [.askStatus]
        }
    }

    private mutating func note(_ line: String) {
        events.append(line)
        if events.count > Self.eventLimit { events.removeFirst(events.count - Self.eventLimit) }
    }
}
