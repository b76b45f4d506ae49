import ControlProtocol
import OggOpusWriter
import Testing

extension Whole {
    @Suite("Hold music between daemons", .serialized, .timeLimit(.minutes(2))) struct HoldMusicTests {
        private let folder: ScratchFolder
        private static let music = 1_800.0

        init() throws { folder = try ScratchFolder() }

        private func settings(_ more: String = "") throws -> String {
            let file = "\(folder.path)/music.opus"
            try writeFile(file, OggOpusFile(WaveFile.tone(Self.music, seconds: 2).samples).bytes)
            return "[calls]\nhold_music = \"\(file)\"\n\(more)"
        }

        @Test(
            "Who is held hears the music and nothing of us, also once our devices are released; resume ends it",
            arguments: ["off", "required"])
        func held(srtp: String) throws {
            let pair = try CallPair(srtp: srtp, settings: settings())
            let (alice, bob) = (pair.alice, pair.bob)
            try pair.connect()
            let held = try alice.act("call.hold")
            #expect(held["changed"]?.bool == true && held["peerNotified"]?.bool == true)
            #expect(try alice.listen(seconds: 0.5).isDigitalSilence)
            try bob.expectHeard(Self.music)
            let sound = try bob.listen(seconds: 1)
            #expect(sound.levelDbfs(of: CallPair.aliceTone) < -75, "\(sound.levelDbfs(of: CallPair.aliceTone))")
            #expect(sound.levelDbfs(of: CallPair.bobTone) < -75)
            #expect(try #require(alice.statistics()["sent"]?["levelDbfs"]?.double) > -20)

            // With nothing but a held call our devices are closed after 10 s.
            _ = try alice.control.event("audio.deactivated", seconds: 15)
            #expect(try alice.control.request("daemon.status")["audio"]?["state"]?.string == "inactive")
            try bob.expectHeard(Self.music)
            #expect(try bob.listen(seconds: 1).levelDbfs(of: CallPair.aliceTone) < -75)

            #expect(try alice.act("call.resume")["changed"]?.bool == true)
            try pair.expectBothHeard()
            #expect(try bob.listen(seconds: 0.5).levelDbfs(of: Self.music) < -60)
            #expect(try bob.statistics()["received"]?["lost"]?.integer == 0)
        }

        @Test("Music that cannot be played is told of from the start, as what it is, and a hold is silent")
        func missing() throws {
            let file = "\(folder.path)/none.opus"
            let pair = try CallPair(settings: "[calls]\nhold_music = \"\(file)\"")
            let (alice, bob) = (pair.alice, pair.bob)
            func problem() throws -> String? {
                try alice.control.request("daemon.status")["problems"]?.array?.first {
                    $0["setting"]?.string == "calls.hold_music"
                }?["message"]?.string
            }
            let told = try eventually("the status shows it") { try problem() }
            #expect(told.hasPrefix("\(file) cannot be played: No such file"), "\(told)")
            try pair.connect()
            #expect(try alice.act("call.hold")["changed"]?.bool == true)
            _ = try bob.listen(seconds: 0.5)
            #expect(try bob.listen(seconds: 0.5).isDigitalSilence)
            #expect(try problem() == told)
            #expect(!alice.process.output.contains("sound device passed over"), "\(alice.process.output)")
            // What is mended is heard after a reload, and no problem any more.
            try alice.act("call.resume")
            try writeFile(file, OggOpusFile(WaveFile.tone(Self.music, seconds: 2).samples).bytes)
            try alice.control.request("daemon.reload")
            _ = try eventually("it is mended") { try problem() == nil ? true : nil }
        }

        @Test("While both hold, neither sends anything; the music is back when the other one resumes")
        func bothHold() throws {
            let pair = try CallPair(settings: settings())
            let (alice, bob) = (pair.alice, pair.bob)
            try pair.connect()
            try alice.act("call.hold")
            try bob.expectHeard(Self.music)
            try bob.act("call.hold")
            _ = try alice.control.event("call.updated") { $0["call"]?["remoteHeld"]?.bool == true }
            // Figures are told up to 100 ms late.
            _ = try bob.listen(seconds: 0.2)
            let packets = try [alice, bob].map { try $0.statistics()["sent"]?["packets"]?.integer }
            _ = try bob.listen(seconds: 0.4)
            #expect(try [alice, bob].map { try $0.statistics()["sent"]?["packets"]?.integer } == packets)
            #expect(try bob.listen(seconds: 0.3).isDigitalSilence)
            try bob.act("call.resume")
            try bob.expectHeard(Self.music)
            try alice.act("call.resume")
            try pair.expectBothHeard()
        }

        @Test("Each member of a group that is held hears it; members that go on without us do not")
        func groups() throws {
            let conference = try Conference(settings: settings())
            try conference.connect()
            try conference.merge()
            try conference.host.act("call.hold", ["id": .string(conference.calls[0])])
            for guest in conference.guests {
                try guest.expectHeard(Self.music)
                let sound = try guest.listen(seconds: 0.5)
                for tone in [Conference.hostTone] + Conference.guestTones { #expect(sound.heardDbfs(of: tone) < -60) }
            }
            try conference.host.act("call.resume", ["id": .string(conference.calls[0])])
            let (host, tones) = (Conference.hostTone, Conference.guestTones)
            try conference.expectHeard([
                Set(tones), [host, tones[1], tones[2]], [host, tones[0], tones[2]], [host, tones[0], tones[1]],
            ])
        }

        @Test("Members that go on without us hear each other, and no music")
        func keptGroup() throws {
            let conference = try Conference(settings: settings("group_hold = \"keep\""))
            try conference.connect()
            try conference.merge()
            try conference.host.act("call.hold", ["id": .string(conference.calls[0])])
            let tones = Conference.guestTones
            try conference.expectHeard([[], [tones[1], tones[2]], [tones[0], tones[2]], [tones[0], tones[1]]])
            for guest in conference.guests { #expect(try guest.listen(seconds: 0.4).heardDbfs(of: Self.music) < -45) }
        }
    }
}
