internal import CLinux
internal import EventLoop
internal import Panel

/// A light on a GPIO line, which shows a pattern.
@DaemonActor final class Light {
    private let attachment: Attachment
    private var pattern = LEDPattern.off
    private var isOn = false
    private var timer: Timer?

    init(_ line: PanelLine, note: @escaping (String, Bool) -> Void) {
        attachment = Attachment("GPIO line \(line.chip):\(line.line)", reads: false) {
            clinux_gpio_take_output(line.chip, line.line, line.isActiveLow ? 1 : 0)
        }
        attachment.note = note
        attachment.onOpen = { [weak self] descriptor in clinux_gpio_set(descriptor, self?.isOn == true ? 1 : 0) }
        attachment.start()
    }

    /// Why nothing is shown, for people; nil: it is.
    var problem: String? { attachment.problem }

    func show(_ new: LEDPattern) {
        guard new != pattern else { return }
        pattern = new
        timer?.cancel()
        timer = nil
        set(new != .off)
    }

    /// Dark, and given back.
    func close() {
        show(.off)
        attachment.close()
    }

    private func set(_ on: Bool) {
        isOn = on
        if attachment.descriptor >= 0 {
            let code = clinux_gpio_set(attachment.descriptor, on ? 1 : 0)
            if code < 0 { attachment.lose(code) }
        }
        guard let cycle = pattern.cycle else { return }
        timer = Timer(after: on ? cycle.on : cycle.off) { [weak self] in self?.set(!on) }
    }
}
