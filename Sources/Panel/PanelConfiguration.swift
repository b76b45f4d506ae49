/// What a telephone without a screen has: a hook switch, buttons and lights.
public struct PanelConfiguration: Sendable, Hashable {
    public var buttons: [PanelButton] = []
    /// nil: there is none.
    public var hook: PanelHook?
    public var leds: [PanelLED] = []
    /// Path of a named pipe that takes events, one a line; empty: none.
    public var eventPipe = ""
    /// Path of a file or named pipe that is told what the lights show; empty: none.
    public var ledFile = ""

    public init() {}
}

/// A button, and what it does.
public struct PanelButton: Sendable, Hashable {
    public var name: String
    public var contact: PanelContact
    public var press: PanelAction
    /// What happens where it is kept pressed; nil: `press` happens at once, otherwise when it is let go before.
    public var longPress: PanelAction?
    /// How long that is, 200...10,000 ms.
    public var longPressMilliseconds = 800

    public init(name: String, contact: PanelContact, press: PanelAction) {
        self.name = name
        self.contact = contact
        self.press = press
    }
}

/// The switch that a handset lies on. Its contact is closed while the handset is lifted.
public struct PanelHook: Sendable, Hashable {
    /// The hook's name in the pipe of events.
    public static let name = "hook"

    public var contact: PanelContact
    /// Whom a lifted handset calls where nothing rings and no call is up; nil: nobody.
    public var dials: PanelAction?

    public init(contact: PanelContact, dials: PanelAction? = nil) {
        self.contact = contact
        self.dials = dials
    }
}

/// Where a button or the hook is wired to.
public enum PanelContact: Sendable, Hashable {
    /// To nothing: only the pipe of events has it.
    case pipe
    /// To a key or switch of an input device.
    case key(PanelKey)
    /// To a line of a GPIO chip.
    case line(PanelLine)
}

/// A key or switch of a Linux input device.
public struct PanelKey: Sendable, Hashable {
    /// A path, or what the device calls itself.
    public var device: String
    /// Whether `code` is a switch's (`SW_…`), not a key's.
    public var isSwitch: Bool
    /// Its number in `<linux/input-event-codes.h>`.
    public var code: UInt16
    /// Whether it counts as closed while it is not pressed, or not set.
    public var isInverted: Bool

    public init(device: String, isSwitch: Bool = false, code: UInt16, isInverted: Bool = false) {
        self.device = device
        self.isSwitch = isSwitch
        self.code = code
        self.isInverted = isInverted
    }
}

/// A line of a GPIO chip.
public struct PanelLine: Sendable, Hashable {
    /// What pulls a line that nothing drives.
    public enum Pull: String, Sendable, Hashable, CaseIterable {
        /// What the board's firmware has set.
        case keep
        case off, up, down
    }

    /// A path, `gpiochipN`, or the chip's label.
    public var chip: String
    /// The line's number on the chip, or its name.
    public var line: String
    /// Whether it is on while it is low: a button that connects it to ground.
    public var isActiveLow = false
    public var pull = Pull.keep
    /// How long it must rest before a change counts, 0...1,000 ms. Of no meaning to a light.
    public var debounceMilliseconds = 20

    public init(chip: String, line: String) {
        self.chip = chip
        self.line = line
    }
}

/// A light, and what it shows.
public struct PanelLED: Sendable, Hashable {
    public var name: String
    /// nil: only the file of lights has it.
    public var line: PanelLine?
    /// How it shows the conditions that it shows at all.
    public var patterns: [PanelCondition: LEDPattern]

    public init(name: String, line: PanelLine? = nil, patterns: [PanelCondition: LEDPattern]) {
        self.name = name
        self.line = line
        self.patterns = patterns
    }
}
