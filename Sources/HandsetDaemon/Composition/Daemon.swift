internal import CallModel
internal import CallSystem
internal import ControlProtocol
internal import Controls
internal import EventLoop
internal import Media
internal import SIPSignalling
internal import Settings
internal import Supervision

/// All parts of the daemon, and their beginning and end.
@DaemonActor final class Daemon {
    private var settings: Settings
    private let configurationPath: String?
    private let endpoint: SIPEndpoint
    private let userAgent: SIPUserAgent
    private let media: MediaEngine
    private let center: CallCenter
    private let reception: Reception
    private let state: StateFolder
    private let backend: DaemonBackend
    private let server: ControlServer
    private let recordings: RecordingKeeper
    private let controls: Controls
    private let watchdog: Watchdog
    /// Reads the configuration and the lists that it names, one reload after the other.
    private lazy var reader = WorkerThread()
    typealias Reloaded = @DaemonActor (Result<ReloadReport, CallError>) -> Void
    /// Who waits for a reload that has not begun.
    private var reloads: [Reloaded] = []
    private var isReading = false
    private var settling: Timer?
    private var isStopping = false

    /// Opens everything that listens. Throws what is in the way; nothing stays open then that matters, for the process ends.
    ///
    /// - Parameter configurationPath: what `reload` reads; nil: there is no file.
    /// - Parameter inherited: a listening control socket, which is not ours to unlink.
    init(
        _ settings: Settings, configurationPath: String?, socketPath: String?, inherited: Int32?
    ) throws(StartError) {
        self.settings = settings
        self.configurationPath = configurationPath
        let addresses = try settings.listenAddresses()
        do throws(SIPTransportError) { endpoint = try SIPEndpoint(listen: addresses) } catch {
            throw StartError("sip.listen: \(error)")
        }
        userAgent = SIPUserAgent(try settings.userAgentConfiguration(), endpoint: endpoint)
        let configured = settings.state.directory
        state = StateFolder(Places().stateDirectory(configured: configured), configured: configured)
        let sound = try settings.mediaConfiguration(stateDirectory: state.path)
        do throws(MediaEngineError) { media = try MediaEngine(sound) } catch { throw StartError("\(error)") }
        center = CallCenter(signalling: userAgent, media: media, policy: settings.callPolicy)
        if let warning = state.warning { Log.write(.warning, warning) }
        reception = Reception(settings, stateDirectory: state.path)
        center.screening = reception
        center.isRingerSilent = reception.isSilent
        backend = DaemonBackend(
            center: center, signalling: userAgent, media: media, reception: reception,
            strangers: Strangers(acceptFrom: settings.direct.acceptFrom), stateDirectory: state.path)
        recordings = RecordingKeeper(settings.recording, defaultFolder: Settings.recordings(in: state.path))
        controls = Controls(host: backend)
        server = ControlServer(group: settings.control.group, backend: backend)
        watchdog = Watchdog(
            sources: [
                Watchdog.Source(name: "event loop") { UInt64(EventLoop.shared.turns) },
                Watchdog.Source(name: "audio loop") { [media] in media.loopProgress },
                Watchdog.Source(name: "network thread") { [media] in media.networkProgress },
            ],
            complain: { name in Log.write(.error, "the \(name) makes no progress; the watchdog is not fed") })
        try listen(socketPath: socketPath, inherited: inherited)
        center.onEvent = { [weak self] event in self?.took(event) }
        reception.onEvent = { [weak self] event in
            if case .ringerChanged(let ringer) = event { self?.center.isRingerSilent = ringer.silent }
            self?.server.publish(event)
            self?.controls.update()
        }
        backend.controlProblems = { [weak self] in self?.controls.problems ?? [] }
        backend.recordings = recordings
        backend.configurationPath = configurationPath
        recordings.activeFiles = { [weak center] in center?.calls.compactMap(\.recording) ?? [] }
        backend.reload = { [weak self] done in
            guard let self else { return done(.failure(Self.stopping)) }
            reload(done)
        }
    }

    private func listen(socketPath: String?, inherited: Int32?) throws(StartError) {
        do throws(ControlSocketError) {
            if let inherited {
                try server.listen(inherited: inherited)
            } else if let socketPath {
                try server.listen(path: socketPath)
            } else {
                throw ControlSocketError(
                    message:
                        "no folder for it can be made in /run, in $XDG_RUNTIME_DIR or in /tmp; name a path with --socket"
                )
            }
        } catch { throw StartError("control socket: \(error.message)") }
        if let warning = server.warning { Log.write(.notice, warning) }
    }

    /// Registers the accounts and says that the daemon is ready.
    func start() {
        userAgent.start()
        backend.recallLastDialled()
        controls.configure(settings.panel)
        checkFiles()
        ServiceManager.ready(status: "listening on \(places)")
        Log.write(.info, "handsetd \(handsetVersion) is ready: SIP on \(places)")
        if let interval = ServiceManager.watchdogInterval { watchdog.start(interval: interval) }
        if settings.mayEncrypt { MediaEngine.prepareEncryption() }
        ResidentCode.giveBack()
    }

    /// Has a look at the files that calls will need.
    private func checkFiles() {
        recordings.configure(settings.recording)
        checkSoundInputs()
        checkHoldMusic()
    }

    private func checkSoundInputs() {
        let inputs = settings.soundInputs
        guard !inputs.isEmpty else { return backend.soundInputs.clear() }
        backend.soundInputs.look {
            inputs.compactMap(\.problem).map { ProblemInfo(setting: $0.key, message: $0.message) }
        }
    }

    private func checkHoldMusic() {
        let path = settings.calls.holdMusic
        guard !path.isEmpty else { return backend.holdMusic.clear() }
        backend.holdMusic.look { HoldMusicCheck.problem(ofFile: path).map { [$0] } ?? [] }
    }

    private var places: String { endpoint.listening.map(\.description).joined(separator: ", ") }

    private func took(_ event: CallCenterEvent) {
        if case .stranger(let address, let count) = event { backend.strangers.note(address, count) }
        if case .started(let call) = event { backend.note(started: call) }
        reception.note(event)
        backend.note(event)
        recordings.note(event)
        noteHoldMusic(event)
        if case .audioActivated = event { giveBackOnceSettled() }
        controls.update()
        let advice = backend.strangers.info
        EventJournal.write(event, advice: advice, audio: media.audioStatus)
        if let event = ControlEvent(event, stranger: advice) { server.publish(event) }
    }

    /// A call that goes on looks at little of what its beginning needed.
    private func giveBackOnceSettled() {
        settling?.cancel()
        settling = Timer(after: .seconds(5)) { ResidentCode.giveBack(sparingLoop: true) }
    }

    /// What a hold has found of the hold music; another one may find it mended.
    private func noteHoldMusic(_ event: CallCenterEvent) {
        switch event {
        case .holdMusicFailed(let message): backend.holdMusic.note(HoldMusicCheck.problem(message))
        case .updated(let call, let changed):
            if changed.contains("held"), call.held, !backend.holdMusic.problems.isEmpty { checkHoldMusic() }
        default: break
        }
    }

    private static let stopping = CallError(.cancelled, "The daemon is stopping.")

    /// Reads the configuration again, and the lists that it names, and takes all of it at once; `done` is told when that
    /// is so. A wrong one changes nothing, and is logged: who sends SIGHUP hears of it nowhere else.
    func reload(_ done: @escaping Reloaded) {
        reloads.append(done)
        if !isReading { readAgain() }
    }

    /// For all who wait: who asks while it is read gets what is read after that.
    private func readAgain() {
        ServiceManager.reloading()
        guard let path = configurationPath ?? DaemonMain.existingDefault else {
            let message = "The daemon runs without a configuration file; there is none to read."
            return tell(takeReloads(), reloaded(.failure(CallError(.notSupported, message))))
        }
        let asked = takeReloads()
        isReading = true
        // A list may be long, and a disk slow.
        reader.run(
            { () -> Result<(Settings, ListFiles), SettingsError> in
                do throws(SettingsError) {
                    let settings = try Settings(contentsOf: path)
                    return .success((settings, ListFiles(settings)))
                } catch {
                    return .failure(error)
                }
            },
            then: { [weak self] found in
                guard let self, !isStopping else {
                    for done in asked { done(.failure(Self.stopping)) }
                    return
                }
                isReading = false
                switch found {
                case .success(let (settings, files)): tell(asked, reloaded(apply(settings, files)))
                case .failure(let error):
                    tell(asked, reloaded(.failure(CallError(.invalidState, "Nothing was changed: \(error)"))))
                }
                if !reloads.isEmpty, !isReading { readAgain() }
            })
    }

    private func takeReloads() -> [Reloaded] {
        defer { reloads = [] }
        return reloads
    }

    private func tell(_ asked: [Reloaded], _ result: Result<ReloadReport, CallError>) {
        for done in asked { done(result) }
    }

    /// Tells the service manager and the log.
    private func reloaded(_ result: Result<ReloadReport, CallError>) -> Result<ReloadReport, CallError> {
        switch result {
        case .success: ServiceManager.reloaded(status: "listening on \(places)")
        case .failure(let error):
            Log.write(.error, "reload: \(error.message)")
            ServiceManager.reloaded(status: "listening on \(places); the last reload failed, see the log")
        }
        return result
    }

    private func apply(_ new: Settings, _ files: ListFiles) -> Result<ReloadReport, CallError> {
        var report = ReloadReport(applied: [], needRestart: [], problems: files.problems.map(\.message))
        func note(_ key: String, _ isNew: Bool, applies: Bool) {
            guard isNew else { return }
            if applies { report.applied.append(key) } else { report.needRestart.append(key) }
        }
        do throws(StartError) {
            let agent = try new.userAgentConfiguration()
            media.reconfigure(try new.mediaConfiguration(stateDirectory: state.path))
            center.policy = new.callPolicy
            userAgent.reconfigure(agent)
            reception.reconfigure(new, files)
        } catch { return .failure(CallError(.invalidState, "Nothing was changed: \(error.message)")) }
        note("audio", new.audio != settings.audio, applies: true)
        note("rtp", new.rtp != settings.rtp, applies: true)
        note("opus", new.opus != settings.opus, applies: true)
        note("direct", new.direct != settings.direct, applies: true)
        note("calls", new.calls != settings.calls, applies: true)
        note("block", new.block != settings.block, applies: true)
        note("allow", new.allow != settings.allow, applies: true)
        note("dnd", new.dnd != settings.dnd, applies: true)
        note("contacts", new.contacts != settings.contacts, applies: true)
        note("history", new.history != settings.history, applies: true)
        note("recording", new.recording != settings.recording, applies: true)
        note("sip", new.sip != settings.sip, applies: false)
        note("control", new.control != settings.control, applies: false)
        note("state", new.state != settings.state, applies: false)
        note("controls", new.panel != settings.panel, applies: true)
        note("account", new.accounts != settings.accounts, applies: true)
        controls.configure(new.panel)
        backend.strangers.update(acceptFrom: new.direct.acceptFrom)
        // What waits for a restart is compared again next time with what is in force.
        let (sip, control, state) = (settings.sip, settings.control, settings.state)
        settings = new
        (settings.sip, settings.control, settings.state) = (sip, control, state)
        checkFiles()
        let restart = report.needRestart
        let news = report.applied.isEmpty ? "nothing is new" : "new: \(report.applied.joined(separator: ", "))"
        Log.write(.notice, "reloaded; \(news)")
        if !restart.isEmpty { Log.write(.warning, "after a restart only: \(restart.joined(separator: ", "))") }
        return .success(report)
    }

    /// Ends calls and registrations orderly, then the event loop.
    func stop() {
        guard !isStopping else { return }
        isStopping = true
        ServiceManager.stopping()
        Log.write(.info, "stopping")
        server.publish(.daemonStopping)
        center.shutDown { [self] in
            // What the calls have to say at their end comes in a later turn, and is to be recorded.
            Timer(after: .milliseconds(1)) { [self] in
                server.close()
                controls.close()
                endpoint.close()
                reception.close()
                EventLoop.shared.stop()
            }
        }
    }
}
