import ControlProtocol
import Glibc
import Testing

extension Whole {
    @Suite("Hook, buttons and lights", .serialized, .timeLimit(.minutes(2))) struct ControlsTests {
        /// A telephone with a hook, buttons and lights; the pipe and the file of these are in `folder`.
        private let folder: ScratchFolder
        private let telephone: Endpoint
        private let bob: Endpoint

        init() throws {
            folder = try ScratchFolder()
            bob = try Endpoint("bob", tone: CallPair.bobTone)
            telephone = try Endpoint(
                "alice", tone: CallPair.aliceTone,
                settings: """
                    [controls]
                    events = "\(folder.path)/events"
                    leds = "\(folder.path)/lights"
                    [hook]
                    [[button]]
                    name = "hold"
                    press = "hold"
                    long_press = "mute"
                    long_press_ms = 200
                    [[button]]
                    name = "again"
                    press = "redial"
                    [[button]]
                    name = "no"
                    press = "reject"
                    [[led]]
                    name = "line"
                    ringing = "blink-fast"
                    in_call = "on"
                    held = "blink"
                    missed = "flash"
                    [[led]]
                    name = "mute"
                    muted = "on"
                    """)
        }

        /// Writes to the pipe as a script does.
        private func put(_ lines: String...) {
            let descriptor = open("\(folder.path)/events", O_WRONLY | O_NONBLOCK)
            defer { close(descriptor) }
            for line in lines { _ = "\(line)\n".withCString { write(descriptor, $0, strlen($0)) } }
        }

        private func expectLights(_ line: String, mute: String = "off") throws {
            _ = try eventually("the lights show \(line) and \(mute)") {
                readText("\(folder.path)/lights") == "line \(line)\nmute \(mute)\n" ? true : nil
            }
        }

        @Test("A lifted handset answers; buttons, and a program beside them, drive the same call; put down, it ends")
        func call() throws {
            try expectLights("off")
            try bob.control.request("call.start", ["handle": .string(telephone.uri)])
            try expectLights("blink-fast")
            put("press hook")
            try telephone.expectConnected()
            try expectLights("on")
            try telephone.expectHeard(CallPair.bobTone)
            try bob.expectHeard(CallPair.aliceTone)

            put("press hold", "release hold")
            _ = try bob.control.event("call.updated") { $0["call"]?["remoteHeld"]?.bool == true }
            try expectLights("blink")
            // Held by the button, resumed by a program.
            #expect(try telephone.act("call.resume")["changed"]?.bool == true)
            try expectLights("on")
            put("press hold")
            try expectLights("on", mute: "on")
            put("release hold")
            #expect(try telephone.call()["muted"]?.bool == true)
            #expect(try telephone.act("call.unmute")["changed"]?.bool == true)
            try expectLights("on")

            put("release hook")
            #expect(try bob.control.event("call.ended")["call"]?["endReason"]?.string == "remoteEnded")
            try expectLights("off")
        }

        @Test("A call that came in vain is shown, refusing and dialling again have buttons of their own")
        func missedAndRedial() throws {
            try bob.control.request("call.start", ["handle": .string(telephone.uri)])
            try expectLights("blink-fast")
            try bob.act("call.end")
            try expectLights("flash")

            try bob.control.request("call.start", ["handle": .string(telephone.uri)])
            try expectLights("blink-fast")
            put("press no")
            _ = try bob.control.event("call.ended") { $0["call"]?["endReason"]?.string == "declined" }

            put("press again")
            #expect(try telephone.control.request("call.list")["calls"]?.array?.count == 0, "nothing was dialled yet")
            try telephone.control.request("call.start", ["handle": .string(bob.uri)])
            _ = try bob.control.event("call.incoming")
            try telephone.act("call.end")
            _ = try bob.control.event("call.ended") { $0["call"]?["direction"]?.string == "incoming" }
            put("press again")
            #expect(
                try bob.control.event("call.incoming")["call"]?["state"]?.string == "incoming",
                "called again by a button")
            try expectLights("on")
            put("press hook", "release hook")
            _ = try bob.control.event("call.ended")

            telephone.process.send(SIGTERM)
            _ = telephone.process.wait(seconds: 5)
            let restarted = try Restarted(telephone)
            defer { restarted.kill() }
            // The history is read in the order in which it was asked for.
            try restarted.control.request("history.list")
            put("press again")
            _ = try bob.control.event("call.incoming")
        }

        @Test("What is bound is changed by a reload, and nonsense in the pipe harms nobody")
        func reload() throws {
            put(String(repeating: "\u{1B}[2J", count: 200), "press nobody", "press")
            let text = readText(telephone.configuration)
            let other = text.replacing("ringing = \"blink-fast\"", with: "ringing = \"on\"")
            try writeFile(telephone.configuration, Array(other.utf8))
            let report = ReloadReport(json: try telephone.control.request("daemon.reload"))
            #expect(report.applied == ["controls"])
            try bob.control.request("call.start", ["handle": .string(telephone.uri)])
            try expectLights("on")
            put("press hook")
            try telephone.expectConnected()
            #expect(!telephone.process.output.contains("\u{1B}"))
        }
    }
}
