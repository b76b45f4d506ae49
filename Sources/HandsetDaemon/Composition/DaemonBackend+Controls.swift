internal import CallSystem
internal import ControlProtocol
internal import Controls
internal import Supervision

extension DaemonBackend: ControlsHost {
    func changeVolume(by percent: Int) {
        setVolume(capture: nil, playback: volume.playback + percent) { _ in }
    }

    func toggleSilent() { _ = reception.setSilent(!reception.setSilent(nil).silent) }

    func note(_ message: String, isProblem: Bool) { Log.write(isProblem ? .warning : .notice, message) }
}
