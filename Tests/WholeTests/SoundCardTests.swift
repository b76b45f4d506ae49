import ControlProtocol
import Testing

extension Whole {
    @Suite("A call on sound cards", .serialized, .timeLimit(.minutes(2))) struct SoundCardTests {
        @Test(
            "On ALSA, tones are heard, and hold silences both ways to the sample",
            .enabled(if: VirtualCard.isAvailable), arguments: ["off", "required"])
        func card(srtp: String) throws {
            let cards = (alice: try VirtualCard(tone: 440), bob: try VirtualCard(tone: 1_000))
            let pair = try CallPair(srtp: srtp, sounds: (cards.alice.sound, cards.bob.sound))
            try pair.connect()
            let audio = try pair.alice.control.request("daemon.status")["audio"]
            #expect(audio?["state"]?.string == "active")
            #expect(audio?["playback"]?.string?.hasPrefix("alsa:\(cards.alice.device)") == true)
            try pair.holdAndResume()
            try pair.alice.act("call.earmuff")
            #expect(try pair.alice.listen(seconds: 0.3).isDigitalSilence)
            try pair.alice.act("call.end")
            #expect(try pair.bob.control.event("call.ended")["call"]?["endReason"]?.string == "remoteEnded")
        }

        @Test(
            "A card that is pulled out interrupts the sound and not the call, and brings it back when it is put in",
            .enabled(if: VirtualCard.isAvailable))
        func unplug() throws {
            let cards = (alice: try VirtualCard(tone: 440), bob: try VirtualCard(tone: 1_000))
            let pair = try CallPair(sounds: (cards.alice.sound, cards.bob.sound))
            try pair.connect()
            cards.alice.unplug()
            _ = try pair.alice.control.event("audio.interrupted")
            #expect(try pair.alice.call()["state"]?.string == "connected")
            cards.alice.plugIn()
            _ = try pair.alice.control.event("audio.resumed", seconds: 15)
            try pair.expectBothHeard()
        }

        @Test(
            "Through a plug-in of PulseAudio, tones are heard, and hold silences both ways to the sample",
            .enabled(if: PulseAudio.isInstalled))
        func pulse() throws {
            let server = try PulseAudio([("alice", CallPair.aliceTone), ("bob", CallPair.bobTone)])
            let pair = try CallPair(sounds: (try server.sound("alice"), try server.sound("bob")))
            try pair.connect()
            try pair.holdAndResume()
            try pair.alice.act("call.end")
        }
    }
}
