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
        let figures = QualityMeter.Figures(
            due: sound.decodedPackets + lost, missing: max(lost - sound.playout.recovered, 0),
            awaited: network.unheard + network.outage(of: parameters, at: now),
            burstRatio: network.burstRatio, delay: delay)
        let change = call.quality?.take(figures, at: now)
        guard let change, let score = call.quality?.recent else { return }
        observer?.handle(.quality(call.id, score: score, isPoor: change == .becamePoor))
    }

    /// Tells why sound was broken off since it was last asked.
    func explainXruns() {
        guard let session = keeper.deviceSession else { return }
        let said = xruns.look(
            at: session.statistics, stolen: XrunWatch.stolenMilliseconds(), scheduling: session.scheduling)
        if let said { observer?.handle(.audioRemark(message: said)) }
    }
}
