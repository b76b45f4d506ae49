internal import AudioLoop
internal import CLinux
public import CallModel
public import CallSystem
public import EventLoop
internal import MediaDescription
internal import Playout
internal import Quality
internal import SoundDevices

extension MediaEngine {
    // MARK: Tones

    public func ring(_ ring: RingKind?) {
        ringKind = ring
        ringer.isRinging = ring != nil
        updateRinger()
        updateTone()
        updateNeed()
    }

    public var ringSound: RingSound {
        get { ringer.sound }
        set {
            ringer.sound = newValue
            updateRinger()
        }
    }

    public func playTone(_ tone: CallTone?) {
        self.tone = tone
        updateTone()
        updateNeed()
    }

    private func updateTone() {
        let sound: Tone? =
            switch tone {
            case .ringBack?: .ringBack
            case .busy?: .busy
            case .congestion?: .congestion
            case .attention?: .attention
            case nil: ringKind == .callWaiting ? .callWaiting : nil
            }
        keeper.session?.setTone(sound)
    }

    func updateRinger() {
        let isWaiting = ringKind == .callWaiting
        // While a session is being opened, any of its devices may come to be taken; so may one that a call waits for.
        let mayBeTaken = keeper.isOpeningDevices || isWaiting && keeper.deviceSession == nil
        let taken =
            mayBeTaken
            ? configuration.playback : keeper.deviceSession == nil ? [] : [keeper.pair.playback].compactMap { $0 }
        ringer.update(
            configuration.ring, session: keeper.deviceSession, ringsThroughSession: !isWaiting, taken: taken,
            periodMilliseconds: configuration.periodMilliseconds)
    }

    private var ringsThroughSession: Bool {
        guard ringKind == .ring, keeper.deviceSession != nil else { return false }
        return configuration.ring.contains { $0.name.playsOnSame(as: keeper.pair.playback) }
    }

    // MARK: Session

    /// What held parties are to hear has been read, or is another.
    func holdMusicChanged() {
        for call in calls.values { call.audio?.setHoldMusic(holdMusic.clip) }
        updateNeed()
    }

    /// Opens the session, or closes it when its time has come. Hold music needs a clock, but no device: these are released as
    /// without it, and a timer turns the loop.
    func updateNeed() {
        closing?.cancel()
        closing = nil
        services.want(calls.values.contains { $0.service != nil && $0.isActivated } ? .timer : .nothing)
        let sounding = calls.values.filter { $0.isActivated && $0.service == nil }
        let held = sounding.count { $0.gates.held }
        let listening = sounding.contains { $0.gates.held && $0.parameters?.direction.sends == true }
        let hasMusic = listening && holdMusic.isToSound
        if hasMusic { holdMusic.read() }
        let need = SessionPolicy.Need(
            activeCalls: sounding.count - held, heldCalls: held,
            hasTone: tone != nil || ringKind == .callWaiting || ringsThroughSession)
        switch policy.update(need, at: .now) {
        case .open: keeper.want(.devices)
        case .close(let instant):
            let delay = instant.milliseconds(since: .now)
            guard delay > 0, keeper.wanted == .devices else { return keeper.want(hasMusic ? .timer : .nothing) }
            closing = Timer(after: .milliseconds(Int64(delay) + 1)) { [weak self] in self?.updateNeed() }
        }
    }

    /// A session has opened (it is given), is being opened, or has gone.
    func sessionChanged(_ session: (any LoopSession)?) {
        updateRinger()
        guard let session else {
            settleCalls(ofServices: false)
            watchQuality()
            return
        }
        session.setVolume(capture: volume.capture, playback: volume.playback)
        xruns.restart()
        updateProfile()
        updateTone()
        for call in calls.values where call.service == nil { attachIfPossible(call) }
        watchQuality()
    }

    /// The same with the loop of services.
    func servicesChanged(_ session: (any LoopSession)?) {
        guard session != nil else { return settleCalls(ofServices: true) }
        serviceXruns.restart()
        watchQuality()
        for call in calls.values where call.service != nil { attachIfPossible(call) }
    }

    /// No loop has them: what was asked of their gates is so.
    private func settleCalls(ofServices: Bool) {
        for call in calls.values where (call.service != nil) == ofServices && call.audio?.gatesAreSettled ?? true {
            call.settleAll()
        }
    }

    public func setService(_ call: CallID, _ service: CallService) { calls[call]?.service = service }

    /// The loop that its sound is for.
    func session(of call: MediaCall) -> (any LoopSession)? { call.service == nil ? keeper.session : services.session }

    func attachIfPossible(_ call: MediaCall) {
        guard call.isActivated, let audio = call.audio, let session = session(of: call) else { return }
        do throws(AudioSessionError) { try session.attach(audio) } catch {
            observer?.handle(.audioInterrupted(message: "call \(call.id) has no sound: \(error)"))
        }
    }

    // MARK: Figures

    public func statistics(of call: CallID) -> CallStatistics? {
        guard let known = calls[call] else { return nil }
        var statistics = CallStatistics()
        let figures = known.link.figures
        let sound = known.audio?.statistics ?? CallAudioStatistics()
        if let parameters = known.parameters {
            statistics.codec = parameters.codec.rawValue
            switch parameters.security {
            case .none: statistics.security = "none"
            case .srtp(let send, _): statistics.security = send.suite.rawValue
            }
        }
        statistics.sent.packets = figures.sentPackets
        statistics.sent.octets = figures.sentOctets
        statistics.sent.levelDbfs = sound.sentLevelDbfs
        statistics.received.packets = figures.receivedPackets
        statistics.received.octets = figures.receivedOctets
        statistics.received.levelDbfs = sound.receivedLevelDbfs
        statistics.lost = figures.lost
        statistics.late = sound.playout.late
        statistics.invalid = figures.invalid + sound.malformedPackets
        statistics.concealedMilliseconds = Double(sound.playout.concealed) / 48
        statistics.jitterMilliseconds = figures.jitter * 1_000
        statistics.roundTripMilliseconds = figures.roundTrip.map { $0 * 1_000 }
        statistics.bufferMilliseconds = sound.bufferMilliseconds
        statistics.delay = delay(of: known, sound, figures)
        statistics.sentDropped = sound.droppedPackets
        statistics.sendFailures = figures.sendFailures
        statistics.receivedDropped = figures.overruns
        statistics.foreign = figures.foreign
        statistics.outOfWindow = figures.outOfWindow
        statistics.playout = PlayoutDecisions(sound.playout, discarded: sound.discardedPackets)
        // Where SRTP knows that a packet has come before, it never comes to the buffer.
        statistics.playout.duplicates += figures.replayed
        statistics.sentRedundant = figures.sentRedundant
        statistics.recovered = figures.recovered
        statistics.score = known.quality?.recent
        statistics.meanScore = known.quality?.mean
        statistics.lowestScore = known.quality?.lowest
        statistics.remote.lost = figures.remoteLoss
        statistics.remote.discarded = figures.remoteDiscarded
        statistics.remote.score = figures.remoteScore
        statistics.gates = known.gates
        statistics.gatesApplied = known.isSettled
        return statistics
    }

    /// Where the call's delay is.
    func delay(of call: MediaCall, _ sound: CallAudioStatistics, _ figures: StreamFigures) -> DelayParts {
        var delay = DelayParts()
        guard let parameters = call.parameters else { return delay }
        let period = session(of: call)?.periodMilliseconds ?? Double(configuration.periodMilliseconds)
        if call.service == nil, let session = keeper.deviceSession?.statistics {
            delay.capture = session.captureWait
            delay.playback = session.playbackWait
        }
        // A packet leaves in the turn that has its last sample.
        delay.packet = max(Double(parameters.packetMilliseconds) - period, 0)
        delay.codec = sound.codecMilliseconds
        delay.network = (figures.roundTrip ?? 0) * 500
        delay.buffer = Double(sound.playout.waited) / 48
        return delay
    }

    public func lastHeard(of call: CallID) -> MonotonicInstant? {
        guard let heard = calls[call]?.link.figures.lastHeard, heard > 0 else { return nil }
        return MonotonicInstant(nanoseconds: heard)
    }

    public var audioStatus: AudioStatus {
        var status = AudioStatus(keeper.figures(of: .devices), Double(configuration.periodMilliseconds))
        status.scheduling = keeper.scheduling
        status.profile = profile
        explainXruns(onlyNew: true)
        status.lastXrun = xruns.report(at: clinux_monotonic_ns())
        guard let session = keeper.deviceSession else {
            status.state = keeper.isInterrupted ? "interrupted" : "inactive"
            status.capture = configuration.capture.first?.description ?? ""
            status.playback = configuration.playback.first?.description ?? ""
            return status
        }
        status.state = "active"
        status.capture = session.captureSummary
        status.playback = session.playbackSummary
        return status
    }

    public var serviceStatus: AudioStatus? {
        guard let figures = services.figures(of: .timer) else { return nil }
        var status = AudioStatus(figures, figures.periodMilliseconds)
        explainXruns(onlyNew: true)
        status.lastXrun = serviceXruns.report(at: clinux_monotonic_ns())
        return status
    }

    // MARK: Progress

    /// For a watchdog: turns of the audio loop, nil while no session is open.
    public var loopProgress: UInt64? {
        keeper.session.map { UInt64(truncatingIfNeeded: keeper.formerTurns &+ $0.statistics.turns) }
    }

    /// Turns of the network thread, nil while no session is open. It makes at least two a second.
    public var networkProgress: UInt64? {
        keeper.session == nil ? nil : UInt64(truncatingIfNeeded: network.turns)
    }
}

extension AudioStatus {
    /// The figures of a loop, and nothing else.
    fileprivate init(_ figures: SessionKeeper.Figures?, _ periodMilliseconds: Double) {
        self.init()
        self.periodMilliseconds = figures?.periodMilliseconds ?? periodMilliseconds
        guard let statistics = figures?.statistics else { return }
        turns = statistics.turns
        xruns = statistics.xruns
        work = TurnTimes(statistics.work)
        wake = TurnTimes(statistics.wake)
        missedDeadlines = statistics.missedDeadlines
        playbackFill = statistics.playbackFill
        playbackDrift = statistics.playbackDrift
        if let found = statistics.echo { echo = EchoFigures(found) }
    }
}

extension TurnTimes {
    fileprivate init(_ times: LoopTimes) {
        self.init()
        median = Double(times.median)
        p99 = Double(times.p99)
        p999 = Double(times.p999)
        longest = Double(times.longest)
    }
}

extension EchoFigures {
    fileprivate init(_ echo: EchoStatistics) {
        self.init()
        returnLossEnhancement = echo.returnLossEnhancement
        cancelled = echo.cancelled
        delayMilliseconds = echo.delayMilliseconds
        isConverged = echo.isConverged
        alignments = echo.alignments
    }
}

extension PlayoutDecisions {
    /// What the loop has counted, in samples at 48 kHz, for people.
    fileprivate init(_ counters: PlayoutCounters, discarded: Int) {
        self.init()
        played = counters.played
        recovered = counters.recovered
        duplicates = counters.duplicates
        reordered = counters.reordered
        self.discarded = discarded
        strays = counters.strays
        flushed = counters.flushed
        anchorings = counters.anchorings
        merges = counters.merges
        heardMilliseconds = Double(counters.heard) / 48
        pausedMilliseconds = Double(counters.paused) / 48
        silentMilliseconds = Double(counters.silent) / 48
        lossConcealedMilliseconds = Double(counters.concealedLost) / 48
        acceleratedMilliseconds = Double(counters.leftOut) / 48
        expandedMilliseconds = Double(counters.putIn) / 48
        targetMilliseconds = Double(counters.target) / 48
        spreadMilliseconds = Double(counters.spread) / 48
        senderDriftPartsPerMillion = Double(counters.senderDrift) / 1_000
    }
}
