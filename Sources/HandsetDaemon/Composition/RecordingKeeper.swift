internal import CallModel
internal import CallRecording
internal import CallSystem
internal import ControlProtocol
internal import EventLoop
internal import Glibc
internal import Settings
internal import Supervision

/// The folder of recordings while the daemon runs: whether recordings can be made in it, and which have been there for long
/// enough.
@DaemonActor final class RecordingKeeper {
    private let folderCheck = FileCheck()
    private let pruning = FileCheck()
    private var settings: Settings.Recording
    private var timer: Timer?
    /// Empty: there is none.
    private let defaultFolder: String
    /// The files that calls are recorded to now.
    var activeFiles: @DaemonActor () -> [String] = { [] }

    /// How often it is looked for recordings that are too old while no others come.
    private static let interval = Duration.seconds(3_600)

    /// - Parameter defaultFolder: where recordings are if the configuration does not say; empty: nowhere.
    init(_ settings: Settings.Recording, defaultFolder: String) {
        self.settings = settings
        self.defaultFolder = defaultFolder
    }

    /// What keeps recordings from being made or removed.
    var problems: [ProblemInfo] { folderCheck.problems + pruning.problems }

    /// Takes the settings that are in force from now on. To be called at the start, too.
    func configure(_ settings: Settings.Recording) {
        self.settings = settings
        check()
        prune()
    }

    func note(_ event: CallCenterEvent) {
        switch event {
        case .updated(let call, let changed): if changed.contains("recording"), call.recording != nil { check() }
        case .recordingEnded(let end):
            if end.failure != nil { check() }
            prune()
        default: break
        }
    }

    /// Looks whether recordings can be made: after one was begun, or could not be.
    func check() {
        let directory = settings.directory
        // Of the state directory it is told elsewhere.
        guard !directory.isEmpty else { return folderCheck.clear() }
        folderCheck.look { RecordingFolder.problem(directory).map { [$0] } ?? [] }
    }

    private func prune() {
        timer?.cancel()
        timer = nil
        let limits = RecordingLimits(days: settings.keepDays, mebibytes: settings.keepMebibytes)
        let folder = settings.directory.isEmpty ? defaultFolder : settings.directory
        guard !limits.isNone, !folder.isEmpty else { return pruning.clear() }
        let kept = Set(activeFiles().compactMap { $0.split(separator: "/").last.map(String.init) })
        pruning.look { [weak self] in
            let pruning = RecordingPruning(folder, limits: limits, now: time(nil), keeping: kept)
            if let seconds = pruning.retryAfter {
                Task { @DaemonActor [weak self] in self?.lookAgain(after: seconds) }
            }
            return Self.report(pruning, folder, limits)
        }
        timer = Timer(after: Self.interval) { [weak self] in self?.prune() }
    }

    /// Looks once more when the first of those may go that were spared.
    private func lookAgain(after seconds: Int) {
        // None: nothing is removed any more.
        guard timer != nil else { return }
        timer?.cancel()
        timer = Timer(after: min(Self.interval, .seconds(seconds))) { [weak self] in self?.prune() }
    }

    /// Logs what was removed. Returns what could not be.
    private nonisolated static func report(
        _ pruning: RecordingPruning, _ folder: String, _ limits: RecordingLimits
    ) -> [ProblemInfo] {
        for name in pruning.removed {
            Log.write(.info, "removed \(folder)/\(name), as recording.keep_days or keep_mib says")
        }
        let setting = limits.days > 0 ? "recording.keep_days" : "recording.keep_mib"
        return pruning.failures.map { ProblemInfo(setting: setting, message: "it cannot be removed: \($0)") }
    }
}
