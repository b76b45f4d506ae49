internal import CallModel
internal import CallSystem
internal import ControlProtocol

extension CallFigures {
    init(_ id: CallID, _ statistics: CallStatistics) {
        self.init(id: id)
        codec = statistics.codec.isEmpty ? nil : statistics.codec
        security = statistics.security.isEmpty ? nil : statistics.security
        sent.packets = statistics.sent.packets
        sent.octets = statistics.sent.octets
        sent.levelDbfs = statistics.sent.levelDbfs
        received.packets = statistics.received.packets
        received.octets = statistics.received.octets
        received.levelDbfs = statistics.received.levelDbfs
        received.lost = statistics.lost
        received.late = statistics.late
        received.invalid = statistics.invalid
        received.concealedMs = statistics.concealedMilliseconds
        jitterMs = statistics.jitterMilliseconds
        roundTripMs = statistics.roundTripMilliseconds
        bufferMs = statistics.bufferMilliseconds
        sent.redundant = statistics.sentRedundant
        received.recovered = statistics.recovered
        mos = statistics.score
        meanMos = statistics.meanScore
        lowestMos = statistics.lowestScore
        remote.lostPercent = statistics.remote.lost * 100
        remote.latePercent = statistics.remote.discarded.map { $0 * 100 }
        remote.mos = statistics.remote.score
        playout = Playout(statistics.playout)
        gate.held = statistics.gates.held
        gate.muted = statistics.gates.muted
        gate.earmuffed = statistics.gates.earmuffed
        gate.applied = statistics.gatesApplied
    }
}

extension CallFigures.Playout {
    init(_ statistics: CallStatistics.Playout) {
        self.init()
        played = statistics.played
        recovered = statistics.recovered
        duplicates = statistics.duplicates
        discarded = statistics.discarded
        anchorings = statistics.anchorings
        merges = statistics.merges
        lossConcealedMs = statistics.lossConcealedMilliseconds
        acceleratedMs = statistics.acceleratedMilliseconds
        expandedMs = statistics.expandedMilliseconds
        targetMs = statistics.targetMilliseconds
        spreadMs = statistics.spreadMilliseconds
    }
}

extension LoopFigures {
    init(_ status: AudioStatus) {
        self.init()
        turns = status.turns
        xruns = status.xruns
        periodMs = status.periodMilliseconds
        turnMicrosP50 = status.work.median
        turnMicrosP99 = status.work.p99
        turnMicrosP999 = status.work.p999
        turnMicrosMax = status.work.longest
        wakeMicrosP50 = status.wake.median
        wakeMicrosP99 = status.wake.p99
        wakeMicrosP999 = status.wake.p999
        wakeMicrosMax = status.wake.longest
        missedDeadlines = status.missedDeadlines
        playbackDriftPpm = status.playbackDrift
    }
}

extension AudioInfo {
    init(_ status: AudioStatus) {
        self.init()
        state = status.state
        capture = status.capture
        playback = status.playback
        scheduling = status.scheduling
    }
}
