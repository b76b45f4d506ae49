internal import AudioLoop
internal import CLinux
internal import CallModel
internal import CallSystem
internal import EventLoop
internal import MediaDescription
internal import SoundDevices

/// Opens and closes the audio session as it is wanted, and tries again where a device fails. The devices are opened on a
/// thread of their own.
@DaemonActor final class SessionKeeper {
    enum Want: Sendable, Hashable {
        case nothing
        /// A loop without devices, that a timer turns. Nobody is told of it.
        case timer
        case devices
    }

    /// Told when a session is there to take calls, and when it no longer is.
    var onChange: (((any LoopSession)?) -> Void)?
    /// Told when a session is about to go, whose last figures can still be had.
    var onEnd: (() -> Void)?
    var onEvent: ((MediaEvent) -> Void)?

    var configuration: MediaConfiguration
    let worker = WorkerThread()
    private let opener: SessionOpener
    private(set) var session: (any LoopSession)?
    private(set) var pair = DevicePair()
    /// What `session` is, or what is being opened.
    private var kind = Want.nothing
    private(set) var isOpening = false
    private(set) var isInterrupted = false
    private(set) var wanted = Want.nothing
    /// The last session's, once it is closed.
    private(set) var scheduling = ""
    /// Turns of sessions that have ended.
    private(set) var formerTurns = 0
    /// Figures of the last session of each kind, once it has ended.
    private var former: [Want: Figures] = [:]
    private var waiters: [@DaemonActor (CallError?) -> Void] = []
    private var retry: Timer?
    private var backOff = DeviceBackOff()
    private var openedAt = MonotonicInstant.now
    /// Why devices were passed over when the session was opened last: told when it is something else than before.
    private var passedOver: [String] = []
    /// What there was to say of the devices that were opened last: told when it is something else than before.
    private var remarks: [String] = []
    /// A device that is lost sooner than after so many milliseconds is not tried again at once.
    private static let soon = 5_000.0
    /// How often in a row a pair was opened and lost sooner than that.
    private var shortLives: [DevicePair: Int] = [:]
    /// So often, and the others are tried before it.
    private static let mostShortLives = 2
    private let ended = clinux_eventfd()
    private var endWatch: DescriptorWatch?

    init(configuration: MediaConfiguration, opener: @escaping SessionOpener) {
        self.configuration = configuration
        self.opener = opener
        endWatch = DescriptorWatch(ended, for: .read) { [weak self] _ in self?.sessionHasEnded() }
    }

    // MARK: Wanted or not

    func want(_ want: Want) {
        wanted = want
        if want != .devices {
            retry?.cancel()
            retry = nil
            backOff.reset()
            shortLives = [:]
        }
        // One that is being opened is looked at when it is open.
        guard !isOpening else {
            if want != .devices { endInterruption() }
            return
        }
        if session == nil ? want != .devices : kind != want { close() }
        if want != .nothing, session == nil, retry == nil { open() }
    }

    /// The session where it has sound devices.
    var deviceSession: (any LoopSession)? { kind == .devices ? session : nil }

    /// Figures of a session, and how long its periods are.
    struct Figures {
        var statistics: AudioSessionStatistics
        var periodMilliseconds: Double

        init(of session: any LoopSession) {
            statistics = session.statistics
            periodMilliseconds = session.periodMilliseconds
        }
    }

    /// Those of the present session of that kind, or else of the last one; nil before the first.
    func figures(of kind: Want) -> Figures? {
        if let session, self.kind == kind { return Figures(of: session) }
        return former[kind]
    }

    /// Whether devices are being opened.
    var isOpeningDevices: Bool { isOpening && kind == .devices }

    /// Calls `done` once the devices are open, or could not be opened. They must be wanted already.
    func whenOpen(_ done: @escaping @DaemonActor (CallError?) -> Void) {
        guard deviceSession == nil else {
            Task { @DaemonActor in done(nil) }
            return
        }
        waiters.append(done)
        guard !isOpening else { return }
        retry?.cancel()
        retry = nil
        open()
    }

    func shutDown() {
        want(.nothing)
        endWatch?.cancel()
        endWatch = nil
    }

    // MARK: Opening

    private func open() {
        isOpening = true
        kind = wanted
        onChange?(nil)
        let pairs = kind == .timer ? [DevicePair()] : pairsToTry
        let (period, ended) = (configuration.periodMilliseconds, ended)
        let tones = configuration.tones
        let opener = opener
        worker.run {
            Self.openFirst(of: pairs, periodMilliseconds: period, tones: tones, signalling: ended, with: opener)
        } then: { [weak self] result in
            self?.hasOpened(result)
        }
    }

    /// The last are those that open only to be lost.
    private var pairsToTry: [DevicePair] {
        let isLasting = { [shortLives] (pair: DevicePair) in shortLives[pair, default: 0] < Self.mostShortLives }
        let pairs = configuration.devicePairs
        return pairs.filter(isLasting) + pairs.filter { !isLasting($0) }
    }

    private enum Opened: Sendable {
        /// With why devices before it were passed over.
        case session(any LoopSession, DevicePair, passedOver: [String])
        /// What was tried, and why it failed.
        case failed([String])
    }

    private nonisolated static func openFirst(
        of pairs: [DevicePair], periodMilliseconds: Int, tones: CallProgressTones, signalling descriptor: Int32,
        with opener: SessionOpener
    ) -> Opened {
        var failures: [String] = []
        for pair in pairs {
            do throws(AudioSessionError) {
                let session = try opener(pair, periodMilliseconds, tones, descriptor)
                return .session(session, pair, passedOver: failures + session.passedOver)
            } catch {
                let failure = error.description
                if !failures.contains(failure) { failures.append(failure) }
            }
        }
        return .failed(failures)
    }

    private func hasOpened(_ result: Opened) {
        isOpening = false
        if kind != wanted {
            // Something else is wanted meanwhile.
            if case .session(let opened, _, _) = result { worker.run { opened.close() } }
            onChange?(nil)
            if wanted != .devices {
                letWaitersGo(CallError(.cancelled, "the call ended before the sound devices were open"))
            }
            if wanted != .nothing { open() }
            return
        }
        switch result {
        case .session(let opened, let pair, let failures):
            session = opened
            self.pair = pair
            openedAt = .now
            onChange?(opened)
            if kind == .devices {
                scheduling = opened.scheduling
                if failures != passedOver { for failure in failures { onEvent?(.deviceFailed(message: failure)) } }
                passedOver = failures
                onEvent?(isInterrupted ? .audioResumed : .audioActivated)
                isInterrupted = false
                if opened.remarks != remarks {
                    for remark in opened.remarks { onEvent?(.audioRemark(message: remark)) }
                }
                remarks = opened.remarks
                letWaitersGo(nil)
            }
            // It may have been lost before it was ours, and its signal with it.
            if opened.state != .running { sessionHasEnded() }
        case .failed(let failures):
            let message = failures.isEmpty ? "no sound device is configured" : failures.joined(separator: "; ")
            onChange?(nil)
            retryLater()
            // A call that we started goes on without sound, and no action fails that would say so.
            if kind == .devices { interrupted(message) }
            letWaitersGo(CallError(.deviceUnavailable, message))
        }
    }

    private func letWaitersGo(_ error: CallError?) {
        let waiting = waiters
        waiters = []
        for done in waiting { done(error) }
    }

    /// Told once, however many attempts follow.
    private func interrupted(_ message: String) {
        guard !isInterrupted else { return }
        isInterrupted = true
        onEvent?(.audioInterrupted(message: message))
    }

    private func retryLater() {
        retry?.cancel()
        retry = Timer(after: backOff.next()) { [weak self] in
            guard let self else { return }
            retry = nil
            if wanted != .nothing, session == nil, !isOpening { open() }
        }
    }

    // MARK: Closing

    private func close() {
        let hadDevices = deviceSession != nil
        if let old = session {
            old.stop()
            letGo(old)
        }
        if hadDevices {
            isInterrupted = false
            onEvent?(.audioDeactivated)
        } else {
            endInterruption()
        }
    }

    private func endInterruption() {
        guard isInterrupted else { return }
        isInterrupted = false
        onEvent?(.audioDeactivated)
    }

    private func letGo(_ old: any LoopSession) {
        onEnd?()
        let figures = Figures(of: old)
        formerTurns &+= figures.statistics.turns
        former[kind] = figures
        session = nil
        // Joins the loop's thread; what follows in the worker finds the devices free and the calls let go.
        worker.run { old.close() }
        onChange?(nil)
    }

    private func sessionHasEnded() {
        _ = clinux_eventfd_take(ended)
        guard let lost = session, case .lost(let message) = lost.state else { return }
        letGo(lost)
        if kind == .devices { interrupted(message) }
        guard wanted != .nothing else { return }
        if MonotonicInstant.now.milliseconds(since: openedAt) < Self.soon {
            shortLives[pair, default: 0] += 1
            retryLater()
        } else {
            shortLives[pair] = nil
            backOff.reset()
            open()
        }
    }
}
