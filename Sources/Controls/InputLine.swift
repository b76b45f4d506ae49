internal import CLinux
internal import EventLoop
internal import Glibc
internal import Panel

/// A GPIO line that is read. The kernel debounces it, or, where it cannot, we do.
@DaemonActor enum InputLine {
    /// Changes taken in one turn of the event loop, at most.
    private static let turnLimit = 64

    static func attach(_ line: PanelLine, tell: @escaping (ContactChange) -> Void) -> Attachment {
        let rest = LineRest()
        let attachment = Attachment("GPIO line \(line.chip):\(line.line)", reads: true) {
            let opened = take(line, debounceMilliseconds: line.debounceMilliseconds)
            // The kernel debounces in an interrupt, which a chip behind a bus (an expander on I2C or USB) does not have.
            rest.isAwaited = opened == -EINVAL && line.debounceMilliseconds > 0
            return rest.isAwaited ? take(line, debounceMilliseconds: 0) : opened
        }
        attachment.onReady = { [weak attachment] descriptor in
            for _ in 0..<turnLimit {
                let change = clinux_gpio_read(descriptor)
                guard change > 0 else { return change }
                guard rest.isAwaited else {
                    tell(.state(change == 1, isFirst: false))
                    continue
                }
                rest.whenReached(after: .milliseconds(line.debounceMilliseconds)) {
                    guard let descriptor = attachment?.descriptor, descriptor >= 0 else { return }
                    let value = clinux_gpio_value(descriptor)
                    if value >= 0, rest.isNew(value == 1) { tell(.state(value == 1, isFirst: false)) }
                }
            }
            return 0
        }
        attachment.onOpen = { descriptor in
            let value = clinux_gpio_value(descriptor)
            if value >= 0 {
                _ = rest.isNew(value == 1)
                tell(.state(value == 1, isFirst: true))
            }
            return value
        }
        attachment.onLoss = { tell(.unknown) }
        return attachment
    }

    private static func take(_ line: PanelLine, debounceMilliseconds: Int) -> Int32 {
        clinux_gpio_take_input(
            line.chip, line.line, line.isActiveLow ? 1 : 0, line.pull.number, UInt32(debounceMilliseconds) * 1_000)
    }
}

/// Waits until a line has not changed for a while.
@DaemonActor private final class LineRest {
    var isAwaited = false
    private var timer: Timer?
    private var last: Bool?

    /// Calls `body` after `time`, unless it is called again before.
    func whenReached(after time: Duration, _ body: @escaping @DaemonActor () -> Void) {
        timer?.cancel()
        timer = Timer(after: time, handler: body)
    }

    /// Whether the line was not so when it rested last.
    func isNew(_ state: Bool) -> Bool {
        defer { last = state }
        return last != state
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
