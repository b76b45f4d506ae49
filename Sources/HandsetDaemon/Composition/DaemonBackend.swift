internal import CallModel
internal import CallSystem
internal import ControlProtocol
internal import EventLoop
internal import MediaDescription
internal import Panel
internal import Records
internal import SoundDevices
internal import Supervision

/// What the control socket gives access to: the calls, and the daemon's own state.
@DaemonActor final class DaemonBackend: ControlBackend {
    private let center: CallCenter
    private let signalling: any Signalling
    private let media: any MediaControl
    private let started = MonotonicInstant.now
    /// Reads the configuration again.
    var reload: (@DaemonActor (@escaping @DaemonActor (Result<ReloadReport, CallError>) -> Void) -> Void)?
    var strangers: Strangers
    /// Where the settings are from; nil: from no file.
    var configurationPath: String?
    /// What buttons and lights cannot do now, each a sentence.
    var controlProblems: (@DaemonActor () -> [String])?
    var recordings: RecordingKeeper?
    /// The hold music, where it cannot be played.
    let holdMusic = FileCheck()
    /// Files that stand for microphones, where they are not there.
    let soundInputs = FileCheck()
    /// Problems that are shown, at most.
    private static let maximumProblems = 64
    private(set) var lastDialled: DialledNumber?
    private let front: Reception
    private let volumeFile: VolumeFile?
    private var volumeSaves = 0
    /// The volume that is set is in the file.
    private var isVolumeSaved: Bool
    private var probes: [CallID: ProbeRun] = [:]

    /// - Parameter stateDirectory: where the volume is kept; nil: nowhere.
    init(
        center: CallCenter, signalling: any Signalling, media: any MediaControl, reception: Reception,
        strangers: Strangers,
        stateDirectory: String?
    ) {
        self.center = center
        self.signalling = signalling
        self.media = media
        front = reception
        self.strangers = strangers
        volumeFile = stateDirectory.map { VolumeFile(in: $0) }
        isVolumeSaved = stateDirectory != nil
        if let saved = volumeFile?.load() { media.volume = saved }
    }

    var calls: [CallSnapshot] { center.calls }
    var volume: AudioVolume { media.volume }

    /// Keeps whom a redial calls.
    func note(started call: CallSnapshot) {
        if call.direction == .outgoing { lastDialled = DialledNumber(handle: call.handle, account: call.account) }
    }

    /// A redial goes where the last call of an earlier run went, until this one has dialled.
    func recallLastDialled() {
        front.history(HistoryQuery(limit: 1, direction: .outgoing), seen: false) { [weak self] found in
            guard let self, lastDialled == nil, let call = try? found.get().first?.call else { return }
            lastDialled = DialledNumber(handle: call.handle, account: call.account)
        }
    }

    var reception: any ReceptionBackend { front }
    /// Missed calls that nobody has seen.
    var missedCalls: Int { front.missedCalls }

    var status: DaemonStatus {
        var status = DaemonStatus(version: handsetVersion, instance: "")
        status.configuration = configurationPath
        status.accounts = signalling.accounts.map { AccountInfo($0) }
        status.audio = AudioInfo(media.audioStatus)
        status.missedCalls = front.missedCalls
        status.doNotDisturb = front.doNotDisturb
        status.ringer = front.ringer
        status.records = RecordsInfo(path: front.store?.path, problem: front.problem)
        let controls = (controlProblems?() ?? []).map { ProblemInfo(setting: "controls", message: $0) }
        let files = soundInputs.problems + holdMusic.problems + (recordings?.problems ?? [])
        status.problems = Array((front.problems + controls + files).prefix(Self.maximumProblems))
        status.droppedRequests = signalling.droppedRequests
        // An event tells of the first of an hour only.
        status.strangers = strangers.latest.map { stranger in
            var stranger = stranger
            stranger.count = max(stranger.count, signalling.droppedRequests(from: stranger.address))
            return stranger
        }
        status.uptimeSeconds = MonotonicInstant.now.milliseconds(since: started) / 1_000
        return status
    }

    func perform(
        _ request: CallRequest, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void
    ) {
        stopProbe(where: request)
        center.perform(request, readAt: readAt, done)
    }

    /// A probe whose call is to be ended has its figures until then.
    private func stopProbe(where request: CallRequest) {
        if case .end(let call) = request { probes[call]?.stop() }
    }

    func transaction(
        _ requests: [CallRequest], readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<[ActionReport], CallError>) -> Void
    ) {
        for request in requests { stopProbe(where: request) }
        center.transaction(requests, readAt: readAt, done)
    }

    func startRecording(
        _ call: CallID, file: String?, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void
    ) {
        center.startRecording(call, file: file, readAt: readAt) { [weak self] result in
            if case .failure(let error) = result, error.reason == .fileUnusable { self?.recordings?.check() }
            done(result)
        }
    }

    func stopRecording(
        _ call: CallID, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void
    ) {
        center.stopRecording(call, readAt: readAt, done)
    }

    func play(
        _ file: String, loops: Bool, to call: CallID, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void
    ) {
        center.play(file, loops: loops, to: call, readAt: readAt, done)
    }

    func stopPlaying(
        to call: CallID, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ActionResult, CallError>) -> Void
    ) {
        center.stopPlaying(to: call, readAt: readAt, done)
    }

    func probe(
        _ wish: ProbeWish, readAt: MonotonicInstant,
        _ done: @escaping @DaemonActor (Result<ProbeReport, CallError>) -> Void
    ) {
        if let id = wish.id, probes[id] != nil || center.snapshot(of: id) != nil {
            let message = "There is a call \(id) already; choose another id."
            return done(.failure(CallError(.callAlreadyExists, message)))
        }
        let run = ProbeRun(wish, center: center, media: media, readAt: readAt) { [weak self] id, result in
            self?.probes[id] = nil
            done(result)
        }
        probes[run.call] = run
        run.begin()
    }

    /// Tells probes of what happens to their calls.
    func note(_ event: CallCenterEvent) {
        switch event {
        case .updated(let call, _), .ended(let call): probes[call.id]?.note(call)
        default: break
        }
    }

    func statistics(of call: CallID?) throws(CallError) -> StatisticsReport {
        if let call, center.snapshot(of: call) == nil {
            throw CallError(.unknownCall, "There is no call \(call).")
        }
        let wanted = call.map { [$0] } ?? center.calls.map(\.id)
        return StatisticsReport(
            calls: wanted.map { CallFigures($0, center.statistics(of: $0) ?? CallStatistics()) },
            loop: LoopFigures(media.audioStatus), serviceLoop: media.serviceStatus.map { LoopFigures($0) })
    }

    func listDevices(_ done: @escaping @DaemonActor (Result<[DeviceInfo], CallError>) -> Void) {
        let open = media.audioStatus
        // alsa-lib may ask a sound server, and that may take its time.
        Task.detached {
            let devices = SoundDevices.listDevices().map { device in
                let name = device.name.description
                let isOpen = open.state == "active" && (open.capture.contains(name) || open.playback.contains(name))
                return DeviceInfo(
                    name: name, description: device.title, capture: device.isCapture, playback: device.isPlayback,
                    open: isOpen)
            }
            await Self.deliver(devices, to: done)
        }
    }

    private static func deliver(
        _ devices: [DeviceInfo], to done: @DaemonActor (Result<[DeviceInfo], CallError>) -> Void
    ) {
        done(.success(devices))
    }

    func setVolume(
        capture: Int?, playback: Int?, _ done: @escaping @DaemonActor (Result<VolumeInfo, CallError>) -> Void
    ) {
        let old = media.volume
        let new = AudioVolume(capture: capture ?? old.capture, playback: playback ?? old.playback)
        var info = VolumeInfo(capture: new.capture, playback: new.playback)
        guard capture != nil || playback != nil else { return done(.success(info)) }
        if new != old { media.volume = new }
        // What could not be stored is tried again when it is asked for again.
        guard new != old || !isVolumeSaved else {
            info.saved = true
            return done(.success(info))
        }
        save(new) { saved in
            done(.success(VolumeInfo(capture: new.capture, playback: new.playback, saved: saved)))
        }
    }

    func setProfile(_ choice: ProfileChoice?) -> ProfileState {
        if let choice { media.profileChoice = choice }
        return media.profile
    }

    private func save(_ volume: AudioVolume, _ done: @escaping @DaemonActor (Bool) -> Void) {
        guard let volumeFile else { return done(false) }
        volumeSaves += 1
        let number = volumeSaves
        isVolumeSaved = false
        Task { [weak self] in
            var isSaved = true
            do { try await volumeFile.save(volume, number: number) } catch {
                isSaved = false
                Log.write(.warning, "\(error); it is forgotten at the daemon's end")
            }
            if let self, number == self.volumeSaves { self.isVolumeSaved = isSaved }
            done(isSaved)
        }
    }

    func reload(_ done: @escaping @DaemonActor (Result<ReloadReport, CallError>) -> Void) {
        guard let reload else {
            return done(.failure(CallError(.notSupported, "There is no configuration to reload.")))
        }
        reload(done)
    }
}
