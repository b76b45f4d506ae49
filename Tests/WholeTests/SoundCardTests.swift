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
            "A device that cannot be opened is named with the reason, and the next of the list is used",
            .enabled(if: VirtualCard.isAvailable))
        func missing() throws {
            let card = try VirtualCard(tone: 440)
            let gone = Sound(
                settings: "devices = [\"alsa:nosuch\"]\nring = []", environment: VirtualCard.environment,
                loudspeaker: card)
            let alice = try Endpoint("alice", tone: nil, sound: gone)
            let bob = try Endpoint("bob", tone: 1_000)
            try bob.control.request("call.start", ["handle": .string(alice.uri)])
            _ = try alice.control.event("call.incoming")
            let failure = try alice.control.answer("call.answer", ["id": .string(try alice.callID())])["error"]
            #expect(failure?["data"]?["reason"]?.string == "deviceUnavailable")
            #expect(failure?["message"]?.string?.contains("alsa:nosuch") == true)
            try bob.act("call.end")

            let sound = Sound(
                settings: "devices = [\"alsa:nosuch\", \"alsa:\(card.device)\"]\nring = []",
                environment: VirtualCard.environment, loudspeaker: card)
            let carol = try Endpoint("carol", tone: nil, sound: sound)
            try carol.control.request("call.start", ["handle": .string(bob.uri)])
            _ = try bob.control.event("call.incoming")
            try bob.act("call.answer")
            try carol.expectHeard(1_000)
            try bob.expectHeard(440)
        }

        @Test(
            "Through a plug-in of PulseAudio, tones are heard, and hold silences both ways to the sample",
            .enabled(if: PulseAudio.isInstalled))
        func pulse() throws {
            let server = try PulseAudio([("alice", CallPair.aliceTone), ("bob", CallPair.bobTone)])
            let pair = try CallPair(sounds: (try server.sound("alice"), try server.sound("bob")))
            #expect(try Self.telephones(server) == 0)
            try pair.connect()
            // Both daemons' streams say that they are a telephone's: the server may make others quiet meanwhile.
            #expect(try Self.telephones(server) == 2)
            _ = try pair.alice.control.event("audio.activated")
            try pair.holdAndResume()
            try pair.alice.act("call.end")
            _ = try pair.alice.control.event("audio.deactivated")
            _ = try eventually("both have given their devices back") { try Self.telephones(server) == 0 ? true : nil }
        }

        private static func telephones(_ server: PulseAudio) throws -> Int {
            try server.playedStreams().split(separator: "media.role = \"phone\"", omittingEmptySubsequences: false)
                .count - 1
        }
    }
}
