internal import CallModel
internal import CallSystem
internal import ControlProtocol
internal import FoundationEssentials

extension CallFigures {
    init(_ id: CallID, _ statistics: CallStatistics) {
        self.init(id: id)
        codec = statistics.codec.isEmpty ? nil : statistics.codec
        security = statistics.security.isEmpty ? nil : statistics.security
        sent.packets = statistics.sent.packets
        sent.octets = statistics.sent.octets
        sent.dropped = statistics.sentDropped
        sent.failed = statistics.sendFailures
        sent.levelDbfs = statistics.sent.levelDbfs
        received.packets = statistics.received.packets
        received.octets = statistics.received.octets
        received.levelDbfs = statistics.received.levelDbfs
        received.lost = statistics.lost
        received.late = statistics.late
        received.invalid = statistics.invalid
        received.foreign = statistics.foreign
        received.outOfWindow = statistics.outOfWindow
        received.dropped = statistics.receivedDropped
        received.concealedMs = statistics.concealedMilliseconds
        jitterMs = statistics.jitterMilliseconds
        roundTripMs = statistics.roundTripMilliseconds
        bufferMs = statistics.bufferMilliseconds
        delayMs = statistics.delay
        sent.redundant = statistics.sentRedundant
        received.recovered = statistics.recovered
        mos = statistics.score
        meanMos = statistics.meanScore
        lowestMos = statistics.lowestScore
        remote.lostPercent = statistics.remote.lost * 100
        remote.latePercent = statistics.remote.discarded.map { $0 * 100 }
        remote.mos = statistics.remote.score
        playout = statistics.playout
        gate.held = statistics.gates.held
        gate.muted = statistics.gates.muted
        gate.earmuffed = statistics.gates.earmuffed
        gate.applied = statistics.gatesApplied
    }
}

extension LoopFigures {
    init(_ status: AudioStatus, now: Date = Date()) {
        self.init()
        turns = status.turns
        xruns = status.xruns
        lastXrun = status.lastXrun.map { LastXrun($0, now: now) }
        playbackFillMs = status.playbackFill
        periodMs = status.periodMilliseconds
        turn = status.work
        wake = status.wake
        missedDeadlines = status.missedDeadlines
        playbackDriftPpm = status.playbackDrift
        echo.erleDb = status.echo.returnLossEnhancement
        echo.cancelledDb = status.echo.cancelled
        echo.delayMs = status.echo.delayMilliseconds
        echo.converged = status.echo.isConverged
        echo.alignments = status.echo.alignments
    }
}

extension AudioInfo {
    init(_ status: AudioStatus) {
        self.init()
        state = status.state
        capture = status.capture
        playback = status.playback
        scheduling = status.scheduling
        profile = status.profile
    }
}
