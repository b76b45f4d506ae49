internal import CallModel
internal import ControlProtocol
internal import Screening

/// The history, contacts, and who may ring, as people read them.
extension Reports {
    static func history(_ entries: [HistoryEntry], in room: Table.Room? = nil) -> String {
        guard !entries.isEmpty else { return "no calls" }
        var table = Table(["WHEN", "CALL", "WITH", "ACCOUNT", "TIME", "END", "QUALITY"])
        for entry in entries {
            let call = entry.call
            let arrow = call.direction == .incoming ? "from" : "to"
            table.add([
                call.startedConnectingAt.map(LocalTime.dateAndClock) ?? "-",
                ([arrow] + marks(entry)).joined(separator: ", "), party(call), call.account ?? "-",
                entry.durationSeconds.map { duration($0) } ?? "-",
                call.endReason.map { EventLine.end($0) } ?? "goes on", call.quality.map(quality) ?? "-",
            ])
        }
        return table.text(in: room)
    }

    /// What there is to know of a past call at a glance, beside its end.
    private static func marks(_ entry: HistoryEntry) -> [String] {
        [(entry.missed, "missed\(entry.seen ? "" : " *")"), (entry.call.recording != nil, "recorded")]
            .filter(\.0).map(\.1)
    }

    /// Lost of what was to come, and what was made up for it.
    private static func quality(_ quality: CallQuality) -> String {
        let percent = lostPercent(received: quality.packetsReceived, lost: quality.lost)
        let score = quality.mos.map { ", MOS \(tenths($0))" } ?? ""
        return "\(tenths(percent)) % lost, jitter \(milliseconds(quality.jitterMs)) ms\(score)"
    }

    /// Of the packets that were to come, how many did not; more may have come than were expected.
    static func lostPercent(received: Int, lost: Int) -> Double {
        let (lost, received) = (Double(max(0, lost)), Double(max(0, received)))
        return lost > 0 ? lost / (lost + received) * 100 : 0
    }

    static func doNotDisturb(_ state: DoNotDisturbInfo) -> String {
        if state.on { return "on" }
        return state.scheduled ? "on, by the hour" : "off"
    }

    static func ringer(_ ringer: RingerInfo) -> String { ringer.silent ? "silent" : "rings" }

    static func records(_ records: RecordsInfo) -> String {
        [records.path ?? "in memory only", records.problem].compactMap { $0 }.joined(separator: "; ")
    }

    /// Of what was set and could not be stored.
    static let notKept = "forgotten at the daemon's end"

    /// The result of a request about the history, contacts, or who may ring; nil where it is none of it.
    static func reception(_ request: ControlRequest, _ result: JSONValue) -> String? {
        switch request {
        case .dndSet:
            DoNotDisturbInfo(json: result).map {
                "do not disturb: \(doNotDisturb($0))" + ($0.saved == false ? "; \(notKept)" : "")
            }
        case .ringerSet:
            RingerInfo(json: result).map { "ringer: \(ringer($0))" + ($0.saved == false ? "; \(notKept)" : "") }
        case .blockList: blocked(BlockReport(json: result))
        case .historyClear, .blockAdd, .blockRemove, .contactsAdd, .contactsRemove:
            ListChange(json: result).map { change in
                (change.changed ? "done" : "was so already") + (change.saved ? "" : "; \(notKept)")
            }
        default: nil
        }
    }

    static func blocked(_ report: BlockReport) -> String {
        guard !report.handles.isEmpty || !report.configured.isEmpty || !report.files.isEmpty else {
            return "nobody is blocked"
        }
        var table = Table(["BLOCKED", "BY"])
        for handle in report.handles { table.add([handle, "hand"]) }
        for handle in report.configured { table.add([handle, "configuration"]) }
        for file in report.files { table.add(["\(file.entries) callers", fileName(file)]) }
        return table.text
    }

    static func contacts(_ report: ContactsReport) -> String {
        guard !report.entries.isEmpty || !report.files.isEmpty else { return "no contacts" }
        var table = Table(["NAME", "HANDLES", "RING TONE", "SETTINGS", "FROM"])
        for entry in report.entries {
            let contact = entry.contact
            let settings = [
                (contact.autoAnswer, "auto-answer"), (contact.throughDoNotDisturb, "through do-not-disturb"),
            ].filter(\.0).map(\.1)
            table.add([
                contact.name, contact.handles.joined(separator: ", "),
                contact.ringTone.isEmpty ? "-" : contact.ringTone,
                settings.isEmpty ? "-" : settings.joined(separator: ", "), entry.file ?? "hand",
            ])
        }
        let wrong = report.files.filter { $0.problem != nil }.map { Table.printable(fileName($0)) }
        return ([table.text] + wrong).joined(separator: "\n")
    }

    private static func fileName(_ file: ListFileInfo) -> String {
        [file.path, file.problem].compactMap { $0 }.joined(separator: ": ")
    }
}
