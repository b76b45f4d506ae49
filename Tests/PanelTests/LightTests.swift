import CallModel
import Panel
import Testing

@Suite("What lights show") struct LightTests {
    private let led = PanelLED(
        name: "status",
        patterns: [.ringing: .blinkFast, .inCall: .on, .held: .blink, .muted: .flash, .missed: .flash])

    private func shown(_ calls: [CallSnapshot], missed: Int = 0) -> LEDPattern {
        led.pattern(for: PanelCondition.all(calls: calls, missedCalls: missed))
    }

    @Test("The most urgent of what is true")
    func urgency() {
        let (ringing, active) = (Scene.call(.incoming), Scene.call(.connected))
        let (held, muted) = (Scene.call(.connected, held: true), Scene.call(.connected, muted: true))
        #expect(shown([active, ringing], missed: 1) == .blinkFast)
        #expect(shown([held, muted]) == .flash)
        #expect(shown([held, active]) == .on)
        #expect(shown([Scene.call(.connecting)]) == .on)
        #expect(shown([held], missed: 1) == .blink)
        #expect(shown([], missed: 1) == .flash)
        #expect(shown([]) == .off)
    }

    @Test("A call that is held and muted shows as held: nobody hears us either way")
    func heldAndMuted() {
        #expect(PanelCondition.all(calls: [Scene.call(.connected, held: true, muted: true)], missedCalls: 0) == [.held])
    }

    @Test("A light shows only what it has a pattern for")
    func partial() {
        let mute = PanelLED(name: "mute", patterns: [.muted: .on])
        #expect(mute.pattern(for: [.ringing, .inCall]) == .off)
        #expect(mute.pattern(for: [.ringing, .inCall, .muted]) == .on)
    }

    @Test("Patterns that change have a cycle, the others none", arguments: LEDPattern.allCases)
    func cycles(pattern: LEDPattern) {
        #expect((pattern.cycle == nil) == (pattern == .on || pattern == .off))
    }
}

@Suite("Lines of the pipe of events") struct PanelEventTests {
    @Test("A press and a release")
    func good() {
        #expect(PanelEvent(parsing: Array("press call".utf8)) == PanelEvent(name: "call", isPressed: true))
        #expect(PanelEvent(parsing: Array("release  hook ".utf8)) == PanelEvent(name: "hook", isPressed: false))
    }

    @Test(
        "Anything else is none",
        arguments: [
            "", "press", "press a b", "push a", "PRESS a", "press \u{1B}[2J", "press ä",
            "press " + String(repeating: "a", count: 33), "press a" + String(repeating: " ", count: 60),
        ])
    func bad(text: String) {
        #expect(PanelEvent(parsing: Array(text.utf8)) == nil)
    }
}
