import ControlProtocol
import Glibc
import OggOpusWriter
import Testing

extension Whole {
    @Suite("What is heard besides the parties", .serialized, .timeLimit(.minutes(2))) struct RingingTests {
        @Test(
            "A ring tone rings on each device as loud as that is set; silenced, a call is only shown",
            arguments: [true, false])
        func ringTone(isOpus: Bool) throws {
            let folder = try ScratchFolder()
            let tone = WaveFile.tone(600, seconds: 0.5)
            let file = "\(folder.path)/tone.\(isOpus ? "opus" : "wav")"
            if isOpus { try writeFile(file, OggOpusFile(tone.samples).bytes) } else { try tone.write(to: file) }
            let devices = ["loud", "soft"].map { "\(folder.path)/\($0).wav" }
            let alice = try Endpoint(
                "alice", tone: nil,
                settings: """
                    [controls]
                    events = "\(folder.path)/events"
                    leds = "\(folder.path)/lights"
                    [[button]]
                    name = "quiet"
                    press = "silent"
                    [[led]]
                    name = "bell"
                    ringing = "blink"
                    """,
                sound: Sound(
                    settings: """
                        devices = ["file:,\(folder.path)/talk.wav"]
                        ring = ["file:,\(devices[0])", {device = "file:,\(devices[1])", volume = 50}]
                        ring_tone = "\(file)"
                        """, loudspeaker: RecordedLoudspeaker(path: "\(folder.path)/talk.wav")))
            let bob = try Endpoint("bob", tone: nil)
            try bob.control.request("call.start", ["handle": .string(alice.uri)])
            _ = try alice.control.event("call.incoming")
            let (loud, soft) = (RecordedLoudspeaker(path: devices[0]), RecordedLoudspeaker(path: devices[1]))
            // Half of the way is a quarter of the amplitude.
            _ = try eventually("the tone rings, 12 dB apart") {
                let levels = try [loud, soft].map { try $0.listen(seconds: 0.4).heardDbfs(of: 600) }
                return abs(levels[0] + 13.5) < 1 && abs(levels[0] - levels[1] - 12) < 0.5 ? true : nil
            }

            #expect(try alice.handset("silent", "on").output.contains("silent"))
            #expect(try alice.control.event("ringer.changed")["silent"]?.bool == true)
            // Devices that do not ring are closed.
            let sizes = try eventually("the ringer is closed") {
                let before = devices.map { size(of: $0) }
                usleep(300_000)
                return before == devices.map { size(of: $0) } ? before : nil
            }
            #expect(sizes.allSatisfy { $0 > 44 })
            #expect(try alice.call()["state"]?.string == "incoming")
            #expect(readText("\(folder.path)/lights").contains("bell blink"))
            #expect(try alice.control.request("daemon.status")["ringer"]?["silent"]?.bool == true)

            let pipe = open("\(folder.path)/events", O_WRONLY | O_NONBLOCK)
            defer { close(pipe) }
            _ = "press quiet\n".withCString { write(pipe, $0, strlen($0)) }
            _ = try eventually("it rings again") {
                try loud.listen(seconds: 0.4).heardDbfs(of: 600) > -15 ? true : nil
            }
        }

        private func size(of path: String) -> Int {
            var status = stat()
            return stat(path, &status) == 0 ? Int(status.st_size) : 0
        }

        @Test("While one device carries a call the others ring for a second one, each as loud as it is set")
        func otherDevices() throws {
            let folder = try ScratchFolder()
            let tone = "\(folder.path)/tone.wav"
            try WaveFile.tone(600, seconds: 0.5).write(to: tone)
            let bells = ["loud", "soft"].map { RecordedLoudspeaker(path: "\(folder.path)/\($0).wav") }
            let bob = try Endpoint(
                "bob", tone: nil,
                sound: Sound(
                    settings: """
                        devices = ["file:,\(folder.path)/talk.wav"]
                        ring = ["file:,\(folder.path)/talk.wav", "file:,\(folder.path)/loud.wav",
                                {device = "file:,\(folder.path)/soft.wav", volume = 50}]
                        ring_tone = "\(tone)"
                        tones = "be"
                        """, loudspeaker: RecordedLoudspeaker(path: "\(folder.path)/talk.wav")))
            let alice = try Endpoint("alice", tone: CallPair.aliceTone)
            try alice.control.request("call.start", ["handle": .string(bob.uri)])
            _ = try bob.control.event("call.incoming")
            try bob.act("call.answer")
            try bob.expectHeard(CallPair.aliceTone)
            let first = try bob.callID()
            let carol = try Endpoint("carol", tone: nil)
            try carol.control.request("call.start", ["handle": .string(bob.uri)])
            let second = try bob.incomingCall(beside: first)
            _ = try eventually("it rings beside the call, 12 dB apart") {
                let levels = try bells.map { try $0.listen(seconds: 0.4).heardDbfs(of: 600) }
                return abs(levels[0] + 13.5) < 1 && abs(levels[0] - levels[1] - 12) < 0.5 ? true : nil
            }
            // The device of the call has its own tone for it, and goes on.
            let sound = try bob.listen(seconds: 4.2)
            #expect(sound.levelDbfs(of: 600) < -60 && sound.heardDbfs(of: CallPair.aliceTone) > CallPair.audible)
            #expect(!loudWindows(of: 1_400, in: sound, above: -35).isEmpty)

            // Answered, nothing rings any more.
            try bob.act("call.answer", ["id": .string(second)])
            let sizes = try eventually("the ringer is closed") {
                let before = ["loud", "soft"].map { size(of: "\(folder.path)/\($0).wav") }
                usleep(300_000)
                return before == ["loud", "soft"].map { size(of: "\(folder.path)/\($0).wav") } ? before : nil
            }
            #expect(sizes.allSatisfy { $0 > 44 })
        }

        @Test("A second call is heard in the conversation, softly and by us alone, until it is refused")
        func callWaiting() throws {
            // 1,400 Hz, 0.175 s twice every 4 s: no tone of the parties.
            let folder = try ScratchFolder()
            try WaveFile.tone(CallPair.bobTone, seconds: 2).write(to: "\(folder.path)/in.wav")
            let bob = try Endpoint(
                "bob", tone: nil,
                sound: Sound(
                    settings: """
                        devices = ["file:\(folder.path)/in.wav,\(folder.path)/out.wav"]
                        ring = []
                        tones = "be"
                        """, loudspeaker: RecordedLoudspeaker(path: "\(folder.path)/out.wav")))
            let alice = try Endpoint("alice", tone: CallPair.aliceTone)
            try alice.control.request("call.start", ["handle": .string(bob.uri)])
            _ = try bob.control.event("call.incoming")
            try bob.act("call.answer")
            try alice.expectHeard(CallPair.bobTone)
            try bob.expectHeard(CallPair.aliceTone)
            let carol = try Endpoint("carol", tone: 1_800)
            let first = try bob.callID()
            try carol.control.request("call.start", ["handle": .string(bob.uri)])
            let second = try bob.incomingCall(beside: first)
            let sound = try bob.listen(seconds: 4.2)
            let beeps = loudWindows(of: 1_400, in: sound, above: -35)
            #expect(6...11 ~= beeps.count, "0.35 s of 4 s in windows of 40 ms: \(beeps)")
            #expect(-31...(-27) ~= beeps.max() ?? 0, "half as loud as other tones: \(beeps)")
            #expect(sound.heardDbfs(of: CallPair.aliceTone) > CallPair.audible)
            #expect(try loudWindows(of: 1_400, in: alice.listen(seconds: 4.2), above: -50).isEmpty)
            try bob.act("call.reject", ["id": .string(second)])
            _ = try carol.control.event("call.ended")
            _ = try bob.listen(seconds: 0.2)
            #expect(try loudWindows(of: 1_400, in: bob.listen(seconds: 4.2), above: -50).isEmpty)
        }

        /// The levels of the windows of 40 ms in which a tone is louder than that.
        private func loudWindows(of hertz: Double, in sound: ArraySlice<Int16>, above level: Double) -> [Double] {
            stride(from: sound.startIndex, through: sound.endIndex - 1_920, by: 1_920)
                .map { sound[$0..<($0 + 1_920)].levelDbfs(of: hertz) }.filter { $0 > level }
        }

        @Test(
            "A call that only rings has our ring-back; what the network says before the answer takes its place",
            .enabled(if: Sipp.isInstalled))
        func earlyMedia() throws {
            let network = try ToneSender(hertz: 1_000)
            let peer = try Sipp("early-media", ["media": "\(network.port)"])
            let folder = try ScratchFolder()
            let loudspeaker = RecordedLoudspeaker(path: "\(folder.path)/out.wav")
            let alice = try Endpoint(
                "alice", tone: nil,
                sound: Sound(
                    settings: "devices = [\"file:,\(folder.path)/out.wav\"]\nring = []", loudspeaker: loudspeaker))
            try alice.control.request("call.start", ["handle": .string(peer.uri)])
            _ = try alice.control.event("call.updated") { $0["call"]?["state"]?.string == "ringing" }
            _ = try eventually("we ring back", within: 2.5) {
                try alice.listen(seconds: 0.3).heardDbfs(of: 425) > -28 ? true : nil
            }
            _ = try alice.control.event("call.updated") { $0["call"]?["codec"]?.string == "PCMU" }
            network.run(seconds: 2.5, to: try peer.soundPort())
            let sound = try loudspeaker.past(seconds: 1)
            #expect(sound.heardDbfs(of: 1_000) > -20)
            #expect(sound.levelDbfs(of: 425) < -60)
            #expect(try alice.call()["state"]?.string == "ringing")
            #expect(try alice.control.event("call.ended")["call"]?["endReason"]?.string == "busy")
            try peer.finish()
        }
    }
}
