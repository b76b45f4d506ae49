import ControlProtocol
import Glibc
import OggOpusWriter
import SoundDevices
import TestFiles
import Testing

extension Whole {
    @Suite("Recordings of calls, and files in their place", .serialized, .timeLimit(.minutes(2))) struct RecordingTests
    {
        private let folder: ScratchFolder

        init() throws { folder = try ScratchFolder() }

        private func settings(_ more: String = "") -> String {
            "[recording]\ndirectory = \"\(folder.path)/calls\"\n\(more)"
        }

        private func record(_ endpoint: Endpoint, _ file: String? = nil) throws -> String {
            let result = try endpoint.act("recording.start", file.map { ["file": .string($0)] } ?? [:])
            return try #require(result["call"]?["recording"]?.string)
        }

        @Test("Each side is a channel; what is held or muted is silence to the sample; the history has the path")
        func wave() throws {
            let pair = try CallPair(settings: settings())
            let alice = pair.alice
            try pair.connect()
            let path = try record(alice, "talk.wav")
            #expect(path == "\(folder.path)/calls/talk.wav")
            _ = try alice.listen(seconds: 1)
            try alice.act("call.mute")
            _ = try alice.listen(seconds: 1)
            try alice.act("call.unmute")
            try alice.act("call.hold")
            _ = try alice.listen(seconds: 1)
            try alice.act("call.resume")
            try pair.expectBothHeard()
            #expect(try alice.act("recording.stop")["changed"]?.bool == true)
            let ended = try alice.control.event("recording.ended")
            #expect(ended["file"]?.string == path && ended["droppedMs"]?.double == 0)
            let recording = try StereoFile(path)
            #expect(abs(try #require(ended["seconds"]?.double) - Double(recording.left.count) / 48_000) < 0.01)
            let quarter = 12_000
            let left = recording.left[quarter..<3 * quarter], right = recording.right[quarter..<3 * quarter]
            #expect(left.heardDbfs(of: CallPair.aliceTone) > CallPair.audible, "what we said, on the left")
            #expect(right.heardDbfs(of: CallPair.bobTone) > CallPair.audible, "what we heard, on the right")
            #expect(left.levelDbfs(of: CallPair.bobTone) < -50 && right.levelDbfs(of: CallPair.aliceTone) < -50)
            // A second of mute, one of hold: digital silence for all of the time between the gates.
            let (muted, held) = (recording.silences(of: recording.left), recording.silences(of: recording.right))
            #expect(muted.count == 2 && muted.allSatisfy { 0.9..<2.5 ~= $0 }, "\(muted)")
            #expect(held.count == 1 && held.allSatisfy { 0.9..<2.5 ~= $0 }, "\(held)")
            try alice.act("call.end")
            _ = try alice.control.event("history.changed")
            let entry = try #require(try alice.control.request("history.list")["entries"]?.array?.first)
            #expect(entry["recording"]?.string == path)
        }

        @Test("A kill in the midst of it leaves files that can be played", arguments: ["wav", "opus"])
        func killed(format: String) throws {
            let pair = try CallPair(settings: settings("format = \"\(format)\"\nautomatic = true\nbeep = true"))
            try pair.connect()
            let path = try eventually("it is recorded by itself") { try pair.alice.call()["recording"]?.string }
            #expect(path.hasSuffix("Z-\(pair.bob.name)@127.0.0.1_\(pair.bob.port).\(format)"), "\(path)")
            let began = monotonicSeconds()
            _ = try pair.alice.listen(seconds: 3.5)
            pair.alice.process.send(SIGKILL)
            _ = pair.alice.process.wait(seconds: 5)
            let lasted = monotonicSeconds() - began
            let sound = try DecodedFile(path)
            let seconds = Double(sound.samples.count) / 48_000
            #expect(seconds > lasted - (format == "wav" ? 0.5 : 1.6) && seconds < lasted + 2, "\(seconds) of \(lasted)")
            let end = sound.samples.suffix(48_000)
            for tone in [CallPair.aliceTone, CallPair.bobTone] {
                // Mixed to one channel: half of each.
                #expect(end.heardDbfs(of: tone) > CallPair.audible - 6)
            }
            // The history knows of it, although nobody has ended it.
            let again = try Restarted(pair.alice)
            let entry = try #require(try again.control.request("history.list")["entries"]?.array?.first)
            #expect(entry["recording"]?.string == path && entry["endReason"]?.string == "failed")
        }

        @Test("A disk that is full ends the recording with an error, and not the call")
        func full() throws {
            // A limit of the files' size stands for it: a second and a half of sound.
            let pair = try CallPair(settings: settings("format = \"wav\""))
            try pair.connect()
            let limit = try ChildProcess(
                "prlimit", ["--pid", "\(pair.alice.process.identifier)", "--fsize=300000"],
                log: "\(folder.path)/prlimit")
            try #require(limit.wait(seconds: 5) == 0, "\(limit.output)")
            let path = try record(pair.alice)
            let failed = try pair.alice.control.event("recording.failed")
            #expect(failed["file"]?.string == path)
            #expect(try #require(failed["message"]?.string).contains("\(path): File too large"))
            #expect(try pair.alice.call()["recording"] == .null && pair.alice.call()["state"]?.string == "connected")
            // Bob's loudspeaker is a file without that limit.
            try pair.bob.expectHeard(CallPair.aliceTone)
            #expect(try StereoFile(path).left.count > 60_000)
        }

        @Test("What cannot be a file is refused, and what is there is left alone")
        func refused() throws {
            let pair = try CallPair(settings: settings())
            try pair.connect()
            let id = JSONValue.string(try pair.alice.callID())
            try writeFile("\(folder.path)/mine.wav", [1, 2, 3])
            for file in ["\(folder.path)/mine.wav", "\(folder.path)/none/a.wav", "a.mp3"] {
                #expect(
                    try pair.alice.control.failure("recording.start", ["id": id, "file": .string(file)])
                        == "fileUnusable")
            }
            #expect(readBytes("\(folder.path)/mine.wav") == [1, 2, 3])
            for file in ["../a.wav", ""] {
                let answer = try pair.alice.control.answer("recording.start", ["id": id, "file": .string(file)])
                #expect(answer["error"]?["code"]?.integer == -32602)
            }
            let missing: JSONObject = ["id": id, "file": "/nowhere.wav"]
            #expect(try pair.alice.control.failure("call.play", missing) == "fileUnusable")
            let notSound: JSONObject = ["id": id, "file": .string("\(folder.path)/mine.wav")]
            #expect(try pair.alice.control.failure("call.play", notSound) == "fileUnusable")
        }

        @Test("The command records and plays; the other party hears the file and not the microphone")
        func command() throws {
            let pair = try CallPair(settings: settings())
            let (alice, bob) = (pair.alice, pair.bob)
            try pair.connect()
            let sound = "\(folder.path)/announcement.opus"
            try writeFile(sound, OggOpusFile(WaveFile.tone(1_800, seconds: 2).samples).bytes)
            let start = try alice.handset("--json", "record", "start", "--file", "c.wav")
            #expect(start.status == 0 && start.json?["call"]?["recording"]?.string == "\(folder.path)/calls/c.wav")
            let again = try alice.handset("record", "start")
            #expect(
                again.output.contains("was so already")
                    && again.output.hasSuffix("recorded to \(folder.path)/calls/c.wav\n"))
            #expect(try alice.handset("calls").output.contains("recorded"))
            #expect(try alice.handset("play", "--loop", sound).status == 0)
            #expect(try alice.call()["playing"]?.string == sound)
            try bob.expectHeard(1_800)
            #expect(try bob.listen(seconds: 0.5).heardDbfs(of: CallPair.aliceTone) < -50)
            // Held, nothing of it leaves.
            try alice.act("call.hold")
            _ = try bob.listen(seconds: 0.5)
            #expect(try bob.listen(seconds: 0.3).isDigitalSilence)
            try alice.act("call.resume")
            try bob.expectHeard(1_800)
            #expect(try alice.handset("play", "--stop").status == 0)
            try bob.expectHeard(CallPair.aliceTone)
            #expect(try alice.control.event("call.played")["completed"]?.bool == false)
            #expect(try alice.handset("play", sound).status == 0)
            #expect(try alice.control.event("call.played")["completed"]?.bool == true)
            #expect(try alice.call()["playing"] == .null)
            #expect(try alice.handset("record", "stop").status == 0)
            _ = try alice.control.event("recording.ended")
            #expect(try StereoFile("\(folder.path)/calls/c.wav").left.heardDbfs(of: 1_800) > CallPair.audible)
            #expect(try alice.handset("play", "\(folder.path)/none.wav").status == 1)
        }

        @Test("Recordings that were given no name go when they are old enough, and no others")
        func pruned() throws {
            try #require(mkdir("\(folder.path)/calls", 0o700) == 0)
            let old = "\(folder.path)/calls/20200101T000000Z-bob.opus", named = "\(folder.path)/calls/talk.opus"
            for path in [old, named] {
                try writeFile(path, [1])
                let time = [timespec(tv_sec: 1_577_836_800, tv_nsec: 0), timespec(tv_sec: 1_577_836_800, tv_nsec: 0)]
                try #require(utimensat(AT_FDCWD, path, time, 0) == 0)
            }
            let pair = try CallPair(settings: settings("automatic = true\nkeep_days = 30"))
            _ = try eventually("the old one is gone") { access(old, F_OK) == 0 ? nil : true }
            try pair.connect()
            let path = try eventually("it is recorded by itself") { try pair.alice.call()["recording"]?.string }
            try pair.alice.act("call.end")
            _ = try pair.alice.control.event("recording.ended")
            #expect(access(named, F_OK) == 0 && access(path, F_OK) == 0)
            #expect(pair.alice.process.output.contains("removed \(old)"))
        }

        @Test("A daemon that is told to end completes its recordings")
        func ended() throws {
            let pair = try CallPair(settings: settings("automatic = true"))
            try pair.connect()
            let path = try eventually("it is recorded by itself") { try pair.alice.call()["recording"]?.string }
            _ = try pair.alice.listen(seconds: 0.5)
            pair.alice.process.send(SIGTERM)
            #expect(pair.alice.process.wait(seconds: 5) == 0)
            // The last page says so.
            let bytes = readBytes(path)
            let last = try #require(bytes.indices.last { bytes[$0...].starts(with: "OggS".utf8) })
            #expect(bytes[last + 5] & 4 != 0)
        }
    }
}

/// A WAV file of two channels, as its header has it.
struct StereoFile {
    var left: [Int16] = []
    var right: [Int16] = []

    init(_ path: String) throws {
        let bytes = readBytes(path)
        func number(_ offset: Int, _ count: Int) -> Int {
            (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
        }
        guard bytes.count >= 44, number(22, 2) == 2, number(24, 4) == WaveFile.rate, bytes.count >= 44 + number(40, 4)
        else {
            throw SupportError("\(path) is no WAV file of two channels")
        }
        for offset in stride(from: 44, to: 44 + number(40, 4), by: 4) {
            left.append(Int16(truncatingIfNeeded: number(offset, 2)))
            right.append(Int16(truncatingIfNeeded: number(offset + 2, 2)))
        }
    }

    /// Stretches of digital silence of more than half a second, in seconds.
    func silences(of samples: [Int16]) -> [Double] {
        let runs = samples.split(omittingEmptySubsequences: true) { $0 != 0 }
        return runs.map { Double($0.count) / Double(WaveFile.rate) }.filter { $0 > 0.5 }
    }
}

/// A sound file of either kind, as a daemon reads it: mixed to one channel.
struct DecodedFile {
    var samples: [Int16]

    init(_ path: String) throws {
        let clip = try SoundClip(path: path)
        samples = withExtendedLifetime(clip) {
            Array(UnsafeBufferPointer(start: clip.samples.pointee.first, count: clip.samples.pointee.count))
        }
    }
}
