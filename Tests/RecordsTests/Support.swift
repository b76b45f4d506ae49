import CallModel
import EventLoop
import FoundationEssentials
import Glibc
import Screening
import Synchronization

@testable import Records

/// A folder that goes with the test, and stores in it.
final class Shelf: Sendable {
    let folder: String
    private let said = Mutex<[RecordStore.Message]>([])

    init() throws {
        EventLoop.shared.runInBackground()
        folder = "/tmp/handset-records-\(CallID())"
        guard mkdir(folder, 0o700) == 0 else { throw CallError(.invalidState, "\(folder) cannot be made") }
    }

    deinit {
        chmod(folder, 0o700)
        try? FileManager.default.removeItem(atPath: folder)
    }

    var file: String { "\(folder)/\(RecordFile.name)" }
    var messages: [RecordStore.Message] { said.withLock { $0 } }
    var problems: [String] {
        messages.compactMap { if case .problem(let text) = $0 { text } else { nil } }
    }

    func open(
        limits: HistoryLimits = HistoryLimits(), country: String = "49", inMemory: Bool = false
    ) throws -> RecordStore {
        let plan = NumberPlan(countryCode: country)
        let store = RecordStore(directory: inMemory ? nil : folder, limits: limits, plan: plan) { [self] message in
            said.withLock { $0.append(message) }
        }
        guard let store else { throw CallError(.invalidState, "no store: \(messages)") }
        return store
    }
}

extension RecordStore {
    func entries(_ query: HistoryQuery = HistoryQuery(), seen: Bool = false) async throws -> [HistoryEntry] {
        try await withCheckedContinuation { (waiting: CheckedContinuation<Result<[HistoryEntry], CallError>, Never>) in
            history(query, seen: seen) { entries, _ in waiting.resume(returning: entries) }
        }.get()
    }

    /// Ends a call. Returns the missed calls that nobody has seen.
    @discardableResult
    func finished(_ call: CallSnapshot, rang: Bool = true) async -> Int? {
        await withCheckedContinuation { waiting in finish(call, rang: rang) { waiting.resume(returning: $0) } }
    }

    /// Whether a change is in the file.
    func saved(_ change: (@escaping @DaemonActor (Bool) -> Void) -> Void) async -> Bool {
        await withCheckedContinuation { waiting in change { waiting.resume(returning: $0) } }
    }
}

extension CallSnapshot {
    /// A call that came in from `value`, `seconds` after a beginning that is a day ago.
    static func incoming(_ value: String, at seconds: Double = 0) -> CallSnapshot {
        var call = CallSnapshot(
            id: CallID(), direction: .incoming, state: .incoming, handle: Handle(kind: .phoneNumber, value: value))
        call.startedConnectingAt = Date(
            timeIntervalSince1970: (Date().timeIntervalSince1970 - 86_400).rounded() + seconds)
        return call
    }

    /// Answered the moment that it came in.
    func connected() -> CallSnapshot {
        var call = self
        call.state = .connected
        call.connectedAt = startedConnectingAt
        return call
    }

    func ended(_ reason: EndReason) -> CallSnapshot {
        var call = self
        call.state = .ended
        call.endReason = reason
        call.endedAt = startedConnectingAt?.addingTimeInterval(30)
        return call
    }
}
