import ControlProtocol
import Glibc
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
            "What stats say of the delay is what a sound takes from mouth to ear",
            .enabled(if: VirtualCard.isAvailable),
            arguments: [("", ""), ("period_ms = 5", ""), ("period_ms = 5", "[opus]\npacket_ms = 10\nlow_delay = true")])
        func delay(audio: String, settings: String) throws {
            let cards = (alice: try VirtualCard(tone: nil), bob: try VirtualCard(tone: nil))
            let pair = try CallPair(
                settings: settings, sounds: (cards.alice.sound(settings: audio), cards.bob.sound(settings: audio)))
            try pair.alice.control.request("call.start", ["handle": .string(pair.bob.uri)])
            _ = try pair.bob.control.event("call.incoming")
            try pair.bob.act("call.answer")
            try pair.alice.expectConnected()
            let burst = WaveFile.tone(1_000, seconds: 1, amplitude: 0.6).samples.prefix(4_800)
            var differences: [Double] = []
            // The first ones are while buffers settle; then the middle one of several, as a busy machine may be late.
            for attempt in 0..<8 {
                let start = cards.alice.hear(Array(burst))
                let begun = cards.bob.position - cards.alice.position
                guard let loud = cards.bob.firstLoud(from: start + begun, level: 4_000) else { continue }
                let delay = try #require(pair.bob.statistics()["delayMs"]?["total"]?.double)
                // 1 kHz of this amplitude reaches the level in 0.04 ms.
                if attempt > 2 { differences.append(Double(loud - start - begun) / 48 - delay) }
            }
            let middle = try #require(differences.sorted().dropFirst(differences.count / 2).first)
            #expect(abs(middle) < 4, "\(differences)")
            try pair.alice.act("call.end")
        }

        @Test(
            "A daemon that stood still says for how long, and sounds again with the next turn",
            .enabled(if: VirtualCard.isAvailable))
        func standstill() throws {
            let cards = (alice: try VirtualCard(tone: 440), bob: try VirtualCard(tone: 1_000))
            let pair = try CallPair(sounds: (cards.alice.sound, cards.bob.sound))
            try pair.connect()
            let loop = { try pair.alice.control.request("stats.get")["loop"] ?? .null }
            // One of a busy machine, if any.
            let before = try loop()["lastXrun"]?["lateMs"]?.double
            let start = cards.alice.position
            pair.alice.process.send(SIGSTOP)
            usleep(60_000)
            pair.alice.process.send(SIGCONT)
            let xrun = try eventually("the xrun is told") {
                let last = try loop()["lastXrun"] ?? .null
                return last["lateMs"]?.double == before ? nil : last
            }
            #expect(xrun["device"] == "playback")
            #expect(["lateWakeUp", "longTurn", "stolenTime"].contains(xrun["cause"]?.string))
            let late = try #require(xrun["lateMs"]?.double)
            #expect((40...200).contains(late))
            #expect(try #require(xrun["aheadMs"]?.double) < late)
            usleep(300_000)
            // The standstill, and a period at most; a busy machine may need more.
            let longest = try #require(cards.alice.silences(from: start).max())
            #expect(longest <= Int(late * 48) + 480 + 480)
            try pair.expectBothHeard()
        }

        @Test(
            "Who talks to a loudspeaker in a room hears itself with the profile line, and no more with speakerphone",
            .enabled(if: VirtualCard.isAvailable))
        func echo() throws {
            let cards = (alice: try VirtualCard(tone: 440), bob: try VirtualCard(tone: nil))
            // Half the level back, at once and by two walls.
            cards.bob.hear(echoes: [(60, 0.4), (700, 0.2), (1_900, 0.1)])
            let pair = try CallPair(sounds: (cards.alice.sound, cards.bob.sound))
            try pair.connect(expecting: [(pair.bob, CallPair.aliceTone), (pair.alice, CallPair.aliceTone)])
            let loud = try pair.alice.listen(seconds: 0.5).levelDbfs(of: CallPair.aliceTone)
            let chosen = try pair.bob.control.request("profile.set", ["profile": "speakerphone"])
            #expect(chosen["profile"]?.string == "speakerphone" && chosen["configured"]?.string == "line")
            _ = try pair.bob.control.event("profile.changed")
            let echo = try eventually("the echo has gone") {
                let echo = try pair.bob.control.request("stats.get")["loop"]?["echo"]
                return echo?["converged"] == .bool(true) && (echo?["erleDb"]?.double ?? 0) > 30 ? echo : nil
            }
            // 3 ms lie ahead of the loudspeaker at least, two periods at most, and one of the microphone's is read at a time.
            #expect(3...60 ~= (echo["delayMs"]?.double ?? 0))
            #expect(try pair.alice.listen(seconds: 0.5).levelDbfs(of: CallPair.aliceTone) < loud - 30)
            #expect(try pair.bob.control.request("daemon.status")["audio"]?["profile"]?.string == "speakerphone")
            try pair.bob.control.request("profile.set", ["profile": "auto"])
            try pair.alice.expectHeard(CallPair.aliceTone)
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
            "A loudspeaker that takes sound and plays nothing is given up, and used again when it plays",
            .enabled(if: VirtualCard.isAvailable))
        func jammed() throws {
            let microphone = try VirtualCard(tone: 440)
            let loudspeaker = try VirtualCard(tone: nil)
            let apart = VirtualCard.sound(microphone: microphone, loudspeaker: loudspeaker)
            let pair = try CallPair(sounds: (apart, try VirtualCard(tone: 1_000).sound))
            try pair.connect()
            loudspeaker.jam()
            _ = try pair.alice.control.event("audio.interrupted")
            #expect(try pair.alice.call()["state"]?.string == "connected")
            loudspeaker.release()
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
