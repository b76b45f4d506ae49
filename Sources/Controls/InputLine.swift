internal import CLinux
internal import EventLoop
internal import Panel

/// A GPIO line that is read. The kernel debounces it.
@DaemonActor enum InputLine {
    /// Changes taken in one turn of the event loop, at most.
    private static let turnLimit = 64

    static func attach(_ line: PanelLine, tell: @escaping (ContactChange) -> Void) -> Attachment {
        let attachment = Attachment("GPIO line \(line.chip):\(line.line)", reads: true) {
            clinux_gpio_take_input(
                line.chip, line.line, line.isActiveLow ? 1 : 0, line.pull.number,
                UInt32(line.debounceMilliseconds) * 1_000)
        }
        attachment.onReady = { descriptor in
            for _ in 0..<turnLimit {
                let change = clinux_gpio_read(descriptor)
                guard change > 0 else { return change }
                tell(.state(change == 1, isFirst: false))
            }
            return 0
        }
        attachment.onOpen = { descriptor in
            let value = clinux_gpio_value(descriptor)
            if value >= 0 { tell(.state(value == 1, isFirst: true)) }
            return value
        }
        attachment.onLoss = { tell(.unknown) }
        return attachment
    }
}

extension PanelLine.Pull {
    var number: Int32 {
        switch self {
        case .keep: Int32(CLINUX_PULL_AS_IS)
        case .off: Int32(CLINUX_PULL_OFF)
        case .up: Int32(CLINUX_PULL_UP)
        case .down: Int32(CLINUX_PULL_DOWN)
        }
    }
}
