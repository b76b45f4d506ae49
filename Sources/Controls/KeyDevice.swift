internal import CLinux
internal import EventLoop
internal import Panel

/// What became of a contact.
enum ContactChange {
    /// It is so now; as the first thing that is known of it after its device was opened, `isFirst`.
    case state(Bool, isFirst: Bool)
    /// The device repeats a key that is kept pressed.
    case repeated
    /// The device has gone, or events of it were lost.
    case unknown
}

/// An input device with the keys and switches that are bound on it.
@DaemonActor final class KeyDevice {
    /// A bound key, and who is told of it.
    struct Binding {
        var key: PanelKey
        var tell: (ContactChange) -> Void
    }

    let attachment: Attachment
    private let bindings: [Binding]
    /// Changes taken in one turn of the event loop, at most: a device that floods does not stop the calls.
    private static let turnLimit = 64

    init(_ device: String, bindings: [Binding]) {
        self.bindings = bindings
        attachment = Attachment("input device \(device)", reads: true) { clinux_input_open(device) }
        attachment.onReady = { [weak self] descriptor in self?.read(descriptor) ?? 0 }
        attachment.onOpen = { [weak self] descriptor in self?.readStates(descriptor, isFirst: true) ?? 0 }
        attachment.onLoss = { [weak self] in self?.tellAll(.unknown) }
    }

    private func tellAll(_ change: ContactChange) {
        for binding in bindings { binding.tell(change) }
    }

    private func readStates(_ descriptor: Int32, isFirst: Bool) -> Int32 {
        for binding in bindings {
            let key = binding.key
            let kind = UInt16(key.isSwitch ? CLINUX_INPUT_SWITCH : CLINUX_INPUT_KEY)
            if isFirst, clinux_input_has(descriptor, kind, key.code) == 0 {
                attachment.note?(
                    "\(attachment.name) has no \(key.isSwitch ? "switch" : "key") number \(key.code)", true)
            }
            let state = clinux_input_state(descriptor, kind, key.code)
            guard state >= 0 else { return state }
            binding.tell(.state((state == 1) != key.isInverted, isFirst: isFirst))
        }
        return 0
    }

    private func read(_ descriptor: Int32) -> Int32 {
        var event = clinux_input_event()
        for _ in 0..<Self.turnLimit {
            let code = clinux_input_read(descriptor, &event)
            guard code > 0 else { return code }
            if event.kind == CLINUX_INPUT_DROPPED {
                tellAll(.unknown)
                let code = readStates(descriptor, isFirst: false)
                guard code >= 0 else { return code }
                continue
            }
            let isSwitch = event.kind == CLINUX_INPUT_SWITCH
            for binding in bindings where binding.key.isSwitch == isSwitch && binding.key.code == event.code {
                if event.value == 2 {
                    binding.tell(.repeated)
                } else {
                    binding.tell(.state((event.value == 1) != binding.key.isInverted, isFirst: false))
                }
            }
        }
        return 0
    }
}
