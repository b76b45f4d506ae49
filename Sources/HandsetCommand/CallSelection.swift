internal import CallModel

/// Finds the call that is meant.
enum CallSelection {
    /// The call whose UUID is or begins with `text`.
    static func named(_ text: String, among calls: [CallSnapshot]) throws(Failure) -> CallSnapshot {
        let prefix = text.lowercased()
        let matches = calls.filter { $0.id.description.hasPrefix(prefix) }
        if matches.count == 1 { return matches[0] }
        if matches.isEmpty { throw .failed("unknownCall: no call's name begins with \"\(text)\"\(list(calls))") }
        throw .failed("\"\(text)\" is the beginning of several calls' names:\(list(matches))")
    }

    /// The calls of a merge: those that are named; where that is one, what is active as well; where none is, all that are
    /// connected.
    static func merged(_ names: [String], among calls: [CallSnapshot]) throws(Failure) -> [CallID] {
        let connected = calls.filter { $0.state == .connected && $0.service == nil }
        var meant: [CallSnapshot] = []
        for name in names { meant.append(try named(name, among: calls)) }
        if names.isEmpty { meant = connected }
        if names.count == 1 { meant += connected.filter { !$0.held } }
        var ids: [CallID] = []
        for call in meant where !ids.contains(call.id) { ids.append(call.id) }
        guard ids.count > 1 else {
            throw .failed("invalidState: a group is made of two or more connected calls\(list(calls))")
        }
        return ids
    }

    /// The call that `verb` is meant for where none was named: the only one it would change, else the only one it
    /// could be about.
    static func implied(by verb: CallVerb, among calls: [CallSnapshot]) throws(Failure) -> CallSnapshot {
        let meant = candidates(for: verb, among: calls)
        guard !meant.isEmpty else { throw .failed("unknownCall: there is no \(noun(verb))\(list(calls))") }
        if meant.count == 1 || verb.isForGroup && parties(of: meant).count == 1 { return meant[0] }
        throw .failed("several calls may be meant; name one:\(list(meant))")
    }

    /// All members of the group that `verb` is meant for where none was named and it is for each of them by itself; nil
    /// where it is not so.
    static func impliedMembers(by verb: CallVerb, among calls: [CallSnapshot]) -> [CallSnapshot]? {
        let meant = candidates(for: verb, among: calls)
        return verb.isForEach && meant.count > 1 && parties(of: meant).count == 1 ? meant : nil
    }

    private static func candidates(for verb: CallVerb, among all: [CallSnapshot]) -> [CallSnapshot] {
        // A service's call is meant by name only.
        let calls = all.filter { $0.service == nil }
        let active = calls.filter { $0.state == .connected && !$0.held }
        let connected = calls.filter { $0.state == .connected }
        let candidates: [[CallSnapshot]] =
            switch verb {
            case .answer, .endAndAnswer, .reject: [calls.filter { $0.state == .incoming }]
            // A call on hold waits for its turn; one that rings might be the one that is meant.
            case .hangup: [calls.filter { !($0.state == .connected && $0.held) }, calls]
            case .hold: [active, connected]
            case .resume: [connected.filter(\.held), connected]
            case .mute: [active.filter { !$0.muted }, connected]
            case .unmute: [connected.filter(\.muted), connected]
            case .earmuff: [active.filter { !$0.earmuffed }, connected]
            case .unearmuff: [connected.filter(\.earmuffed), connected]
            case .dtmf, .record, .play: [active, connected]
            case .stopRecording: [connected.filter { $0.recording != nil }, connected]
            case .stopPlaying: [connected.filter { $0.playing != nil }, connected]
            }
        return candidates.first { !$0.isEmpty } ?? []
    }

    /// The active and the held call of `command`.
    static func swap(
        among calls: [CallSnapshot], for command: String = "swap"
    ) throws(Failure) -> (active: CallSnapshot, held: CallSnapshot) {
        let own = calls.filter { $0.state == .connected && $0.service == nil }
        let active = parties(of: own.filter { !$0.held })
        let held = parties(of: own.filter(\.held))
        guard active.count == 1, held.count == 1 else {
            throw .failed("invalidState: \(command) is for one active and one held call\(list(calls))")
        }
        return (active[0], held[0])
    }

    /// One call of each group, and the calls that are in none.
    private static func parties(of calls: [CallSnapshot]) -> [CallSnapshot] {
        calls.enumerated().filter { index, call in
            call.group == nil || !calls[..<index].contains { $0.group == call.group }
        }.map(\.element)
    }

    private static func noun(_ verb: CallVerb) -> String {
        switch verb {
        case .answer, .endAndAnswer, .reject: "incoming call"
        case .hangup: "call"
        case .hold, .resume, .mute, .unmute, .earmuff, .unearmuff, .dtmf, .record, .stopRecording, .play,
            .stopPlaying:
            "connected call"
        }
    }

    private static func list(_ calls: [CallSnapshot]) -> String {
        calls.isEmpty ? "" : "\n" + Reports.calls(calls)
    }
}

extension CallVerb {
    /// Whether it is about the whole group of the call.
    fileprivate var isForGroup: Bool {
        switch self {
        case .hold, .resume: true
        case .answer, .endAndAnswer, .reject, .hangup, .mute, .unmute, .earmuff, .unearmuff, .dtmf, .record,
            .stopRecording, .play, .stopPlaying:
            false
        }
    }

    /// Whether a group is done so by doing so each of its members.
    fileprivate var isForEach: Bool {
        switch self {
        case .hangup, .mute, .unmute, .earmuff, .unearmuff: true
        case .answer, .endAndAnswer, .reject, .hold, .resume, .dtmf, .record, .stopRecording, .play, .stopPlaying:
            false
        }
    }
}
