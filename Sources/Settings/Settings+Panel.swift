internal import CLinux
internal import Panel

extension Settings {
    /// Reads `[controls]`, `[hook]`, `[[button]]` and `[[led]]`.
    static func readPanel(from root: inout TableReader, problems: inout [SettingsProblem]) -> PanelConfiguration {
        var panel = PanelConfiguration()
        var controls = root.table("controls")
        panel.eventPipe = controls.absolutePath("events")
        panel.ledFile = controls.absolutePath("leds")
        if !panel.eventPipe.isEmpty, panel.eventPipe == panel.ledFile {
            controls.report("leds", "is the path of events, too; they need one each")
        }
        controls.checkEvents(panel.eventPipe)
        controls.checkLights(panel.ledFile)
        problems += controls.finish()

        let hasHook = root.has("hook")
        var hook = root.table("hook")
        if hasHook { panel.hook = PanelHook(reading: &hook) }
        problems += hook.finish()

        for var reader in root.tables("button", atMost: 64) {
            let name = reader.panelName(others: panel.buttons.map(\.name) + [PanelHook.name])
            if let button = PanelButton(name: name, reading: &reader) { panel.buttons.append(button) }
            problems += reader.finish()
        }
        for var reader in root.tables("led", atMost: 32) {
            let name = reader.panelName(others: panel.leds.map(\.name))
            if let led = PanelLED(name: name, reading: &reader) { panel.leds.append(led) }
            problems += reader.finish()
        }
        return panel
    }
}

extension PanelHook {
    init(reading reader: inout TableReader) {
        self.init(contact: reader.contact())
        let party = reader.string("dials", default: "")
        guard !party.isEmpty else { return }
        do throws(PanelActionError) {
            dials = try PanelAction(parsing: "dial \(party)")
        } catch { reader.report("dials", error.message) }
    }
}

extension PanelButton {
    init?(name: String, reading reader: inout TableReader) {
        let press = reader.action("press")
        if press == nil, !reader.has("press") {
            reader.report("press", "is wanted: one of \(PanelAction.words.joined(separator: ", "))")
        }
        let longPress = reader.action("long_press")
        let milliseconds = reader.integer("long_press_ms", default: 800, in: 200...10_000)
        let contact = reader.contact()
        guard let press else { return nil }
        self.init(name: name, contact: contact, press: press)
        self.longPress = longPress
        longPressMilliseconds = milliseconds
    }
}

extension PanelLED {
    init?(name: String, reading reader: inout TableReader) {
        let line = reader.gpioLine("gpio", isInput: false)
        var patterns: [PanelCondition: LEDPattern] = [:]
        for condition in PanelCondition.allCases {
            let isSet = reader.has(condition.rawValue)
            let pattern = reader.choice(condition.rawValue, default: LEDPattern.off)
            if isSet { patterns[condition] = pattern }
        }
        if patterns.isEmpty {
            let conditions = PanelCondition.allCases.map(\.rawValue).joined(separator: ", ")
            reader.report("name", "the light shows nothing; give it a pattern for one of \(conditions)")
        }
        self.init(name: name, line: line, patterns: patterns)
    }
}

extension TableReader {
    /// The key `name`, which no other of its kind may have.
    fileprivate mutating func panelName(others: [String]) -> String {
        let name = string("name", default: "")
        if !PanelEvent.isName(name) {
            report("name", "\"\(name)\" is not a name: 1 to 32 letters, digits, - or _")
        } else if others.contains(name) {
            report("name", "\"\(name)\" is the name of something else; names must differ")
        }
        return name
    }

    fileprivate mutating func absolutePath(_ key: String) -> String {
        let path = string(key, default: "")
        if !path.isEmpty, !path.hasPrefix("/") || path.utf8.count > 4_000 || path.utf8.contains(0) {
            report(key, "\"\(path)\" is not an absolute path, such as \"/run/handset/\(key)\"")
        }
        return path
    }

    /// What is there already where the pipe of events shall be.
    fileprivate mutating func checkEvents(_ path: String) {
        guard let kind = FileKind(of: path), kind != .pipe else { return }
        report("events", "\(path) is \(kind.words); a named pipe, or nothing, which is made one, is wanted there")
    }

    /// And where the lights are told.
    fileprivate mutating func checkLights(_ path: String) {
        guard let kind = FileKind(of: path), kind == .folder || kind == .other else { return }
        report("leds", "\(path) is \(kind.words); a file, a named pipe, or nothing, is wanted there")
    }

    fileprivate mutating func action(_ key: String) -> PanelAction? {
        guard has(key) else {
            _ = string(key, default: "")
            return nil
        }
        do throws(PanelActionError) { return try PanelAction(parsing: string(key, default: "")) } catch {
            report(key, error.message)
            return nil
        }
    }

    /// Where a button or the hook is wired to: `gpio` and what belongs to it, or `input` and `key`, or neither.
    fileprivate mutating func contact() -> PanelContact {
        let line = gpioLine("gpio", isInput: true)
        let device = string("input", default: "")
        let code = inputCode("key")
        let isInverted = boolean("inverted", default: false)
        if device.utf8.contains(0) || device.utf8.count > 255 {
            report("input", "is not the path or name of an input device")
        }
        if line != nil, !device.isEmpty { report("gpio", "is set beside input; it is one or the other") }
        if let line { return .line(line) }
        if let code, !device.isEmpty {
            return .key(
                PanelKey(device: device, isSwitch: code.isSwitch, code: code.number, isInverted: isInverted))
        }
        if code != nil { report("key", "needs input, the device") }
        if !device.isEmpty, !has("key") { report("input", "needs key, one of its keys") }
        if isInverted, device.isEmpty { report("inverted", "is for a key of an input device; a line has active_low") }
        return .pipe
    }

    /// A key or switch, by its name or number in linux/input-event-codes.h.
    private mutating func inputCode(_ key: String) -> (number: UInt16, isSwitch: Bool)? {
        guard let text = stringOrInteger(key), !text.isEmpty else { return nil }
        if let number = Int(text), 1...0x2FF ~= number { return (UInt16(number), false) }
        var kind: UInt16 = 0
        let code = clinux_input_code(text, &kind)
        guard code >= 0 else {
            report(
                key,
                "\"\(text)\" is no key: a name of linux/input-event-codes.h such as \"KEY_PHONE\", or a number of 1 to 767"
            )
            return nil
        }
        return (UInt16(code), kind == UInt16(CLINUX_INPUT_SWITCH))
    }

    /// `CHIP:LINE`, with how it is wired.
    fileprivate mutating func gpioLine(_ key: String, isInput: Bool) -> PanelLine? {
        let text = string(key, default: "")
        let isActiveLow = boolean("active_low", default: false)
        let pull = isInput ? choice("pull", default: PanelLine.Pull.keep) : .keep
        let debounce = isInput ? integer("debounce_ms", default: 20, in: 0...1_000) : 0
        guard !text.isEmpty else {
            for other in ["active_low", "pull", "debounce_ms"] where has(other) {
                report(other, "belongs to a GPIO line; there is no gpio here")
            }
            return nil
        }
        guard let colon = text.lastIndex(of: ":"), colon != text.startIndex, text.index(after: colon) != text.endIndex,
            text.utf8.count <= 128, !text.utf8.contains(0)
        else {
            report(key, "\"\(text)\" is not CHIP:LINE, such as \"gpiochip0:17\" or \"pinctrl-bcm2711:GPIO17\"")
            return nil
        }
        var line = PanelLine(chip: String(text[..<colon]), line: String(text[text.index(after: colon)...]))
        line.isActiveLow = isActiveLow
        line.pull = pull
        line.debounceMilliseconds = debounce
        return line
    }
}
