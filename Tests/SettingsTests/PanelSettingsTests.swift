import CallModel
import Glibc
import Panel
import Settings
import Testing

@Suite("Settings of hook, buttons and lights") struct PanelSettingsTests {
    @Test("Everything that can be said is read")
    func everything() throws {
        let panel = try SettingsTests.read(
            """
            [controls]
            events = "/run/handset/buttons"
            leds = "/run/handset/lights"
            [hook]
            gpio = "pinctrl-bcm2711:GPIO17"
            active_low = true
            pull = "up"
            debounce_ms = 50
            dials = "sip:a@192.0.2.1"
            [[button]]
            name = "call"
            input = "Example Headset"
            key = "KEY_PHONE"
            press = "answer-or-hang-up"
            long_press = "dtmf 12#"
            long_press_ms = 1500
            [[button]]
            name = "lid"
            input = "/dev/input/event3"
            key = "SW_LID"
            inverted = true
            press = "mute"
            [[button]]
            name = "raw"
            input = "/dev/input/event3"
            key = 0x1a0
            press = "redial"
            [[led]]
            name = "line"
            gpio = "/dev/gpiochip0:23"
            ringing = "blink-fast"
            muted = "off"
            """
        ).panel
        #expect(panel.eventPipe == "/run/handset/buttons")
        #expect(panel.ledFile == "/run/handset/lights")
        var line = PanelLine(chip: "pinctrl-bcm2711", line: "GPIO17")
        line.isActiveLow = true
        line.pull = .up
        line.debounceMilliseconds = 50
        let party = Handle(kind: .generic, value: "sip:a@192.0.2.1")
        #expect(panel.hook == PanelHook(contact: .line(line), dials: .dial(party)))
        let digits = try #require(DigitString("12#"))
        var call = PanelButton(
            name: "call", contact: .key(PanelKey(device: "Example Headset", code: 169)), press: .answerOrHangUp)
        call.longPress = .digits(digits)
        call.longPressMilliseconds = 1_500
        let lid = PanelKey(device: "/dev/input/event3", isSwitch: true, code: 0, isInverted: true)
        let raw = PanelKey(device: "/dev/input/event3", code: 0x1A0)
        #expect(
            panel.buttons == [
                call, PanelButton(name: "lid", contact: .key(lid), press: .mute),
                PanelButton(name: "raw", contact: .key(raw), press: .redial),
            ])
        var lamp = PanelLine(chip: "/dev/gpiochip0", line: "23")
        lamp.debounceMilliseconds = 0
        #expect(panel.leds == [PanelLED(name: "line", line: lamp, patterns: [.ringing: .blinkFast, .muted: .off])])
    }

    @Test("A hook or button needs no wires: the pipe of events has it")
    func pipeOnly() throws {
        let panel = try SettingsTests.read("[hook]\n[[button]]\nname = \"a\"\npress = \"hold\"").panel
        #expect(panel.hook == PanelHook(contact: .pipe))
        #expect(panel.buttons == [PanelButton(name: "a", contact: .pipe, press: .hold)])
        #expect(try SettingsTests.read("").panel.hook == nil)
        let empty = "[hook]\ngpio = \"\"\ninput = \"\"\nkey = \"\"\ndials = \"\""
        #expect(try SettingsTests.read(empty).panel.hook == PanelHook(contact: .pipe))
    }

    @Test(
        "Names of keys and switches",
        arguments: [
            ("KEY_PICKUP_PHONE", 0x1BD), ("KEY_HANGUP_PHONE", 0x1BE), ("KEY_MICMUTE", 248), ("BTN_0", 256),
            ("169", 169),
        ])
    func keys(name: String, code: UInt16) throws {
        let panel = try SettingsTests.read("[hook]\ninput = \"x\"\nkey = \"\(name)\"").panel
        #expect(panel.hook?.contact == .key(PanelKey(device: "x", code: code)))
    }

    @Test(
        "What is wrong is named with its key",
        arguments: [
            ("[controls]\nevents = \"buttons\"", "controls.events"),
            ("[controls]\nevents = \"/a\"\nleds = \"/a\"", "controls.leds"),
            ("[hook]\ngpio = \"17\"", "hook.gpio"), ("[hook]\ngpio = \":17\"", "hook.gpio"),
            ("[hook]\ngpio = \"a:1\"\ninput = \"x\"\nkey = 1", "hook.gpio"),
            ("[hook]\npull = \"up\"", "hook.pull"), ("[hook]\ninput = \"x\"", "hook.input"),
            ("[hook]\nkey = \"KEY_PHONE\"", "hook.key"), ("[hook]\ninput = \"x\"\nkey = \"PHONE\"", "hook.key"),
            ("[hook]\ninput = \"x\"\nkey = 768", "hook.key"), ("[hook]\ninput = \"x\"\nkey = true", "hook.key"),
            ("[hook]\ninverted = true", "hook.inverted"), ("[hook]\ndials = \"sips:\"", "hook.dials"),
            ("[hook]\ngpio = \"a:1\"\ndebounce_ms = 1001", "hook.debounce_ms"),
            ("[[button]]\nname = \"a\"", "button.press"), ("[[button]]\npress = \"hold\"", "button.name"),
            ("[[button]]\nname = \"hook\"\npress = \"hold\"", "button.name"),
            ("[[button]]\nname = \"a\"\npress = \"jump\"", "button.press"),
            ("[[button]]\nname = \"a b\"\npress = \"hold\"", "button.name"),
            ("[[led]]\nname = \"a\"", "led.name"), ("[[led]]\nname = \"a\"\nheld = \"glow\"", "led.held"),
            ("[[led]]\nname = \"a\"\nheld = \"on\"\ninput = \"x\"", "led.input"),
        ])
    func wrong(text: String, key: String) {
        let problems = SettingsTests.problems(text)
        #expect(problems.count == 1, "\(problems)")
        #expect(problems.first?.contains(key) == true, "\(problems)")
    }

    @Test("What stands where pipe and lights shall be is looked at")
    func places() throws {
        let folder = "/tmp/handset-places-\(getpid())"
        try #require(mkdir(folder, 0o700) == 0)
        defer {
            for name in ["file", "pipe", "link"] { unlink("\(folder)/\(name)") }
            rmdir(folder)
        }
        close(creat("\(folder)/file", 0o600))
        #expect(mkfifo("\(folder)/pipe", 0o600) == 0 && symlink("pipe", "\(folder)/link") == 0)
        func problems(_ key: String, _ name: String) -> [String] {
            SettingsTests.problems("[controls]\n\(key) = \"\(folder)\(name)\"")
        }
        for name in ["/pipe", "/none"] { #expect(problems("events", name).isEmpty && problems("leds", name).isEmpty) }
        #expect(problems("leds", "/file").isEmpty)
        let wanted = "a named pipe, or nothing, which is made one, is wanted there"
        #expect(
            problems("events", "/file") == ["handset.toml:2: controls.events: \(folder)/file is a file; \(wanted)"])
        #expect(problems("events", "/link").first?.contains("is a link") == true)
        #expect(problems("events", "").first?.contains("is a folder") == true)
        #expect(
            problems("leds", "") == [
                "handset.toml:2: controls.leds: \(folder) is a folder; a file, a named pipe, or nothing, is wanted there"
            ])
    }
}
