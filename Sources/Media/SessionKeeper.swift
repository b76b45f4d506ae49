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
    /// Told when a session is there to take calls, and when it no longer is.
    var onChange: (((any LoopSession)?) -> Void)?
    var onEvent: ((MediaEvent) -> Void)?

    var configuration: MediaConfiguration
    let worker = WorkerThread()
    private let opener: SessionOpener
    private(set) var session: (any LoopSession)?
    private(set) var pair = DevicePair()
    private(set) var isOpening = false
    private(set) var isInterrupted = false
    private(set) var isWanted = false
    /// The last session's, once it is closed.
    private(set) var scheduling = ""
    /// Turns of sessions that have ended.
    private(set) var formerTurns = 0
    private var waiters: [@DaemonActor (CallError?) -> Void] = []
    private var retry: Timer?
    private var backOff = DeviceBackOff()
    private var openedAt = MonotonicInstant.now
    /// Why devices were passed over when the session was opened last: told when it is something else than before.
    private var passedOver: [String] = []
    /// A device that is lost sooner than after so many milliseconds is not tried again at once.
    private static let soon = 5_000.0
    private let ended = clinux_eventfd()
    private var endWatch: DescriptorWatch?

    init(configuration: MediaConfiguration, opener: @escaping SessionOpener) {
        self.configuration = configuration
        self.opener = opener
        endWatch = DescriptorWatch(ended, for: .read) { [weak self] _ in self?.sessionHasEnded() }
    }

    // MARK: Wanted or not

    func want(_ isWanted: Bool) {
        self.isWanted = isWanted
        if isWanted {
            if session == nil, !isOpening, retry == nil { open() }
        } else {
            retry?.cancel()
            retry = nil
            backOff.reset()
            close()
        }
    }

    /// Calls `done` once the session is open, or could not be opened. It must be wanted already.
    func whenOpen(_ done: @escaping @DaemonActor (CallError?) -> Void) {
        guard session == nil else {
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
        want(false)
        endWatch?.cancel()
        endWatch = nil
    }

    // MARK: Opening

    private func open() {
        isOpening = true
        onChange?(nil)
        let (pairs, period, ended) = (configuration.devicePairs, configuration.periodMilliseconds, ended)
        let tones = configuration.tones
        let opener = opener
        worker.run {
            Self.openFirst(of: pairs, periodMilliseconds: period, tones: tones, signalling: ended, with: opener)
        } then: { [weak self] result in
            self?.hasOpened(result)
        }
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
        let waiting = waiters
        waiters = []
        switch result {
        case .session(let opened, let pair, let failures):
            guard isWanted else {
                // Nobody waits: what was wanted has ended meanwhile.
                worker.run { opened.close() }
                for done in waiting { done(CallError(.cancelled, "the call ended before the sound devices were open")) }
                return
            }
            session = opened
            self.pair = pair
            scheduling = opened.scheduling
            openedAt = .now
            onChange?(opened)
            if failures != passedOver { for failure in failures { onEvent?(.deviceFailed(message: failure)) } }
            passedOver = failures
            onEvent?(isInterrupted ? .audioResumed : .audioActivated)
            isInterrupted = false
            for done in waiting { done(nil) }
            // It may have been lost before it was ours, and its signal with it.
            if opened.state != .running { sessionHasEnded() }
        case .failed(let failures):
            let message = failures.isEmpty ? "no sound device is configured" : failures.joined(separator: "; ")
            onChange?(nil)
            if isWanted {
                retryLater()
                // A call that we started goes on without sound, and no action fails that would say so.
                interrupted(message)
            }
            for done in waiting { done(CallError(.deviceUnavailable, message)) }
        }
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
            if isWanted, session == nil, !isOpening { open() }
        }
    }

    // MARK: Closing

    private func close() {
        guard session != nil || isInterrupted else { return }
        isInterrupted = false
        if let old = session {
            old.stop()
            letGo(old)
        }
        onEvent?(.audioDeactivated)
    }

    private func letGo(_ old: any LoopSession) {
        formerTurns &+= old.statistics.turns
        session = nil
        // Joins the loop's thread; what follows in the worker finds the devices free and the calls let go.
        worker.run { old.close() }
        onChange?(nil)
    }

    private func sessionHasEnded() {
        _ = clinux_eventfd_take(ended)
        guard let lost = session, case .lost(let message) = lost.state else { return }
        letGo(lost)
        interrupted(message)
        guard isWanted else { return }
        if MonotonicInstant.now.milliseconds(since: openedAt) < Self.soon {
            retryLater()
        } else {
            backOff.reset()
            open()
        }
    }
}
