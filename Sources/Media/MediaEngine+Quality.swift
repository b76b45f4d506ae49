internal import AudioLoop
internal import CallModel
internal import CallSystem
internal import CLinux
internal import MediaDescription
internal import Playout
internal import Quality

extension MediaEngine {
    /// Measures how a call sounds, and tells where it has become bad or good again.
    func judge(_ call: MediaCall) {
        guard let audio = call.audio, let parameters = call.parameters, call.isActivated else { return }
        // What we do not play has no sound to be judged.
        guard parameters.direction.receives, !call.gates.held else { return }
        if call.quality == nil { call.quality = QualityMeter(codec: parameters.codec) }
        call.quality?.codec = parameters.codec
        let sound = audio.statistics
        let network = call.link.figures
        let delay = delay(of: call, sound, network).total
        let lost = sound.playout.lost
        let now = clinux_monotonic_ns()
        let outage = network.outage(
            expectedSince: call.expectedSound.since, packetMilliseconds: parameters.packetMilliseconds, at: now)
        let figures = QualityMeter.Figures(
            due: sound.decodedPackets + lost, missing: max(lost - sound.playout.recovered, 0),
            awaited: network.unheard + outage, burstRatio: network.burstRatio, delay: delay)
        let change = call.quality?.take(figures, at: now)
        guard let change, let score = call.quality?.recent else { return }
        observer?.handle(.quality(call.id, score: score, isPoor: change == .becamePoor))
    }

    /// Tells why sound was broken off since it was last asked, on devices and of services.
    ///
    /// - Parameter onlyNew: where it was: before figures are told that count it, and before a session goes. Else to be called every
    ///   two seconds.
    func explainXruns(onlyNew: Bool = false) {
        let said = [
            explanation(of: keeper.deviceSession, \.xruns, onlyNew: onlyNew),
            explanation(of: services.session, \.serviceXruns, onlyNew: onlyNew),
        ]
        for case let message? in said { observer?.handle(.audioRemark(message: message)) }
    }

    private func explanation(
        of session: (any LoopSession)?, _ watch: ReferenceWritableKeyPath<MediaEngine, XrunWatch>, onlyNew: Bool
    ) -> String? {
        guard let session else { return nil }
        let statistics = session.statistics
        if onlyNew && !self[keyPath: watch].isBehind(statistics) { return nil }
        return self[keyPath: watch].look(
            at: statistics, stolen: XrunWatch.stolenMilliseconds(), scheduling: session.scheduling)
    }
}
