public import EventLoop
internal import CallModel
public import Panel

/// The hook, buttons and lights of this machine: turns what is pressed into requests about calls, and shows how these are.
@DaemonActor public final class Controls {
    let host: any ControlsHost
    /// Those that are somebody's conversation.
    private var calls: [CallSnapshot] { host.calls.filter { $0.service == nil } }
    private(set) var panel = PanelConfiguration()
    private var presses: [String: ButtonPress] = [:]
    private var pressTimers: [String: Timer] = [:]
    /// nil until it is known.
    private var isLifted: Bool?
    private var attachments: [Attachment] = []
    private var keyDevices: [KeyDevice] = []
    private var pipe: EventPipe?
    private var lights: [(led: PanelLED, light: Light?)] = []
    private var ledFile: LEDFile?

    public init(host: any ControlsHost) { self.host = host }

    /// Takes `panel` in place of what was there: everything is let go and opened anew, unless it is the same.
    public func configure(_ panel: PanelConfiguration) {
        guard panel != self.panel else { return }
        close()
        self.panel = panel
        presses = Dictionary(uniqueKeysWithValues: panel.buttons.map { ($0.name, ButtonPress($0)) })
        attachContacts()
        if !panel.eventPipe.isEmpty {
            let pipe = EventPipe(path: panel.eventPipe) { [weak self] event in self?.took(event) }
            self.pipe = pipe
            add(pipe.attachment)
        }
        lights = panel.leds.map { led in (led, led.line.map { Light($0, note: note) }) }
        if !panel.ledFile.isEmpty { ledFile = LEDFile(path: panel.ledFile, note: note) }
        for attachment in attachments { attachment.start() }
        update()
    }

    /// Shows how the calls are now. To be called after everything that changes them.
    public func update() {
        guard !lights.isEmpty else { return }
        let conditions = PanelCondition.all(calls: calls, missedCalls: host.missedCalls)
        for (led, light) in lights { light?.show(led.pattern(for: conditions)) }
        ledFile?.show(lights.map { ($0.led.name, $0.led.pattern(for: conditions)) })
    }

    /// What of the configuration cannot be used now, each a sentence.
    public var problems: [String] {
        attachments.compactMap(\.problem) + lights.compactMap { $0.light?.problem }
            + [ledFile?.problem].compactMap { $0 }
    }

    /// Lets every device go; the lights are dark then.
    public func close() {
        for attachment in attachments { attachment.close() }
        pipe?.close()
        for (_, light) in lights { light?.close() }
        for timer in pressTimers.values { timer.cancel() }
        ledFile?.close()
        (attachments, keyDevices, lights, pipe, ledFile) = ([], [], [], nil, nil)
        (presses, pressTimers, isLifted) = ([:], [:], nil)
        panel = PanelConfiguration()
    }

    private var note: (String, Bool) -> Void {
        { [weak host] message, isProblem in host?.note(message, isProblem: isProblem) }
    }

    private func add(_ attachment: Attachment) {
        attachment.note = note
        attachments.append(attachment)
    }

    /// One descriptor for each GPIO line, and one for each input device, whatever is bound on it.
    private func attachContacts() {
        var bindings: [(device: String, binding: KeyDevice.Binding)] = []
        func attach(_ contact: PanelContact, _ tell: @escaping (ContactChange) -> Void) {
            switch contact {
            case .pipe: break
            case .line(let line): add(InputLine.attach(line, tell: tell))
            case .key(let key): bindings.append((key.device, KeyDevice.Binding(key: key, tell: tell)))
            }
        }
        for button in panel.buttons {
            attach(button.contact) { [weak self] change in self?.button(button, change) }
        }
        if let hook = panel.hook { attach(hook.contact) { [weak self] change in self?.hook(change) } }
        var names: [String] = []
        for (device, _) in bindings where !names.contains(device) { names.append(device) }
        for name in names {
            let device = KeyDevice(name, bindings: bindings.filter { $0.device == name }.map(\.binding))
            keyDevices.append(device)
            add(device.attachment)
        }
    }

    // MARK: What was pressed

    private func took(_ event: PanelEvent) {
        if event.name == PanelHook.name, panel.hook != nil {
            moveHook(event.isPressed)
        } else if let button = panel.buttons.first(where: { $0.name == event.name }) {
            // Who writes may leave releases out.
            if event.isPressed { press(button, .lost) }
            press(button, event.isPressed ? .pressed : .released)
        } else {
            pipe?.complain("there is no button \(event.name)")
        }
    }

    private func button(_ button: PanelButton, _ change: ContactChange) {
        switch change {
        // A button that is found pressed was pressed some time before.
        case .state(_, isFirst: true): break
        case .state(let isPressed, isFirst: false): press(button, isPressed ? .pressed : .released)
        case .repeated: press(button, .repeated)
        case .unknown: press(button, .lost)
        }
    }

    private func hook(_ change: ContactChange) {
        switch change {
        case .state(let new, isFirst: true):
            // At the start nothing was moved; after a loss it may have been.
            if isLifted == nil { isLifted = new } else { moveHook(new) }
        case .state(let new, isFirst: false): moveHook(new)
        case .repeated, .unknown: break
        }
    }

    private func moveHook(_ isLifted: Bool) {
        guard let hook = panel.hook, isLifted != self.isLifted else { return }
        self.isLifted = isLifted
        carryOut(
            hook.request(isLifted: isLifted, calls: calls), for: "handset \(isLifted ? "lifted" : "put down")")
    }

    private func press(_ button: PanelButton, _ event: ButtonPress.Event) {
        for effect in presses[button.name]?.handle(event) ?? [] {
            switch effect {
            case .act(let action):
                carryOut(
                    action.request(calls: calls, last: host.lastDialled), for: "button \(button.name)")
            case .startTimer:
                pressTimers[button.name] = Timer(after: .milliseconds(button.longPressMilliseconds)) { [weak self] in
                    self?.press(button, .timePassed)
                }
            case .stopTimer: pressTimers.removeValue(forKey: button.name)?.cancel()
            }
        }
    }

    private func carryOut(_ request: PanelRequest, for what: String) {
        switch request {
        case .volume(let percent): host.changeVolume(by: percent)
        case .toggleSilent: host.toggleSilent()
        case .calls(let requests):
            for request in requests {
                host.perform(request, readAt: .now) { [weak host] result in
                    guard case .failure(let error) = result else { return }
                    host?.note("\(what): \(error.message)", isProblem: false)
                }
            }
        }
    }
}
