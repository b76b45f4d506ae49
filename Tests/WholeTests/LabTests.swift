import ControlProtocol
import Glibc
import HandsetKit
import Testing

extension Whole {
    @Suite("Echo and probe", .serialized, .timeLimit(.minutes(3))) struct LabTests {
        /// Alice probes; bob has an echo.
        private func pair(_ more: String = "", codecs: String? = nil, srtp: String = "optional") throws -> CallPair {
            try CallPair(srtp: srtp, codecs: codecs, settings: more, echoUser: "echo")
        }

        private func echo(of endpoint: Endpoint) -> String { "sip:echo@127.0.0.1:\(endpoint.port)" }

        private func probe(
            _ pair: CallPair, _ more: String..., seconds: Int = 2
        ) throws -> HandsetCommand.Outcome {
            let command = try HandsetCommand(
                ["--json", "probe", echo(of: pair.bob), "--seconds", "\(seconds)"] + more, socket: pair.alice.socket)
            return try command.finish(seconds: 30)
        }

        @Test(
            "A probe measures the way to an echo and back, without a sound device at either end",
            arguments: ["opus", "PCMU"])
        func measured(codec: String) throws {
            let pair = try pair(codecs: "[\"\(codec)\"]", srtp: codec == "opus" ? "required" : "off")
            let outcome = try probe(pair, "--max-loss", "0", "--min-snr", "20", "--max-delay", "400", "--max-gap", "0")
            #expect(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
            let report = try #require(outcome.json.flatMap(ProbeReport.init(json:)))
            let heard = try #require(report.heard, "\(outcome.output)")
            #expect(abs(heard.levelDbfs + 20) < 1 && abs(heard.frequencyHz - 1_000) < 0.5, "\(heard)")
            #expect(40..<300 ~= heard.delayMs && heard.gaps == 0, "\(heard)")
            #expect(report.codec == codec && report.security == (codec == "opus" ? "AES_CM_128_HMAC_SHA1_80" : "none"))
            #expect(report.lost == 0 && report.packetsReceived > 100 && report.packetsSent > 100)
            for endpoint in [pair.alice, pair.bob] {
                #expect(!endpoint.process.output.contains("audio session opened"), "\(endpoint.process.output)")
                #expect(try endpoint.control.request("call.list")["calls"]?.array?.isEmpty == true)
                #expect(try endpoint.control.request("history.list")["entries"]?.array?.isEmpty == true)
            }
        }

        @Test("What is not as it must be is exit status 1 and told; so is an end without an echo")
        func thresholds() throws {
            let pair = try pair("[calls]\nanswer_after_ms = 0\nanswer_beep = false")
            let outcome = try probe(pair, "--max-delay", "1", seconds: 1)
            #expect(outcome.status == 1 && outcome.errors.contains("delay") && outcome.json?["heard"]?["gaps"] != nil)
            let other = try pair.alice.handset("probe", pair.bob.uri, "--seconds", "1")
            #expect(other.status == 1 && other.errors.contains("nothing of what was sent came back"))
            #expect(other.output.contains("nothing of what was sent"))
            let nobody = try pair.alice.handset("probe", "sip:nobody@127.0.0.1:\(pair.bob.port)")
            #expect(nobody.status == 1 && nobody.errors.contains("refused"), "\(nobody.errors)")
        }

        @Test("A probe whose client was killed ends its call")
        func killed() throws {
            let pair = try pair()
            let command = try HandsetCommand(
                ["probe", echo(of: pair.bob), "--seconds", "60"], socket: pair.alice.socket)
            _ = try eventually("it is connected") {
                try pair.alice.control.request("call.list")["calls"]?.array?.first?["state"]?.string == "connected"
                    ? true : nil
            }
            command.send(SIGKILL)
            _ = try eventually("both are without calls") {
                try [pair.alice, pair.bob].allSatisfy {
                    try $0.control.request("call.list")["calls"]?.array?.isEmpty == true
                } ? true : nil
            }
        }

        @Test("An interrupted probe ends its call and shows what was measured until then")
        func interrupted() throws {
            let pair = try pair()
            func isOver() throws -> Bool? {
                try [pair.alice, pair.bob].allSatisfy {
                    try $0.control.request("call.list")["calls"]?.array?.isEmpty == true
                } ? true : nil
            }
            let command = try HandsetCommand(
                ["--json", "probe", echo(of: pair.bob), "--seconds", "60"], socket: pair.alice.socket)
            _ = try eventually("it is connected") {
                try pair.alice.control.request("call.list")["calls"]?.array?.first?["state"]?.string == "connected"
                    ? true : nil
            }
            // A second's rest, and two of the signal.
            usleep(3_500_000)
            command.send(SIGINT)
            let outcome = try command.finish(seconds: 5)
            #expect(outcome.status == 130 && outcome.errors.contains("interrupted"), "\(outcome.errors)")
            let report = try #require(outcome.json.flatMap(ProbeReport.init(json:)), "\(outcome.output)")
            #expect(report.isStopped && report.packetsSent > 100 && report.packetsReceived > 100, "\(report)")
            let heard = try #require(report.heard)
            #expect(abs(heard.levelDbfs + 20) < 1 && heard.gaps == 0, "\(heard)")
            _ = try eventually("both are without calls", within: 3) { try isOver() }

            // Before there is an answer there is nothing to show.
            let early = try HandsetCommand(["probe", pair.bob.uri, "--seconds", "60"], socket: pair.alice.socket)
            _ = try pair.bob.control.event("call.incoming") { $0["call"]?["service"] == .null }
            early.send(SIGTERM)
            let nothing = try early.finish(seconds: 5)
            #expect(nothing.status == 143 && nothing.output.isEmpty, "\(nothing.output) \(nothing.errors)")
            _ = try eventually("both are without calls", within: 3) { try isOver() }
        }

        @Test("Echoes and probes go on beside a conversation, which they do not touch")
        func beside() throws {
            let pair = try pair()
            try pair.connect()
            let talk = try pair.bob.callID()
            // Alice's own line goes on, too.
            let first = try HandsetCommand(["--json", "probe", echo(of: pair.bob)], socket: pair.alice.socket)
            let second = try HandsetCommand(
                ["--json", "probe", echo(of: pair.bob), "--frequency", "700"], socket: pair.bob.socket)
            for _ in 0..<8 {
                try pair.expectBothHeard()
                for endpoint in [pair.alice, pair.bob] {
                    let calls = try endpoint.control.request("call.list")["calls"]?.array ?? []
                    #expect(calls.first?["held"]?.bool == false && calls.first?["remoteHeld"]?.bool == false)
                    #expect(calls.dropFirst().allSatisfy { $0["service"]?.string != nil })
                }
                usleep(300_000)
            }
            for command in [first, second] {
                let outcome = try command.finish(seconds: 30)
                let heard = outcome.json.flatMap(ProbeReport.init(json:))?.heard
                #expect(
                    outcome.status == 0 && abs((heard?.levelDbfs ?? 0) + 20) < 1, "\(outcome.output) \(outcome.errors)")
            }
            #expect(try pair.bob.callID() == talk)
            // What is not named is the conversation.
            #expect(try pair.bob.handset("hangup").status == 0)
        }

        @Test("A call that a person makes to the echo hears itself; the client library probes, too")
        func person() async throws {
            let pair = try pair()
            try pair.alice.control.request("call.start", ["handle": .string(echo(of: pair.bob))])
            try pair.alice.expectConnected()
            try pair.alice.expectHeard(CallPair.aliceTone)
            #expect(try pair.bob.call()["service"]?.string == "echo")
            #expect(try pair.bob.control.event("call.incoming")["call"]?["service"]?.string == "echo")
            try pair.alice.act("call.end")
            let handset = try await Handset.connect(to: pair.alice.socket)
            let report = try await handset.probe(
                ProbeWish(handle: Handle(parsing: echo(of: pair.bob)), seconds: 1, frequency: 440, level: -30))
            let heard = try #require(report.heard)
            #expect(abs(heard.levelDbfs + 30) < 1 && abs(heard.frequencyHz - 440) < 0.5, "\(heard)")
        }

        @Test("The lab's example is a whole endpoint: an echo, and calls that are answered and recorded by themselves")
        func example() throws {
            let folder = try ScratchFolder()
            let project = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(
                separator: "/")
            let port = try FreePorts.take()
            try WaveFile.tone(900, seconds: 1).write(to: "\(folder.path)/in.wav")
            let text = readText("\(project)/Config/examples/lab.toml")
                .replacing("/var/lib/handset/in.wav", with: "\(folder.path)/in.wav").replacing("5070", with: "\(port)")
            try writeFile("\(folder.path)/lab.toml", Array("\(text)\n[state]\ndirectory = \"\(folder.path)\"\n".utf8))
            let lab = try ChildProcess(
                "\(Endpoint.programs)/handsetd",
                ["--config", "\(folder.path)/lab.toml", "--socket", "\(folder.path)/lab.sock"],
                log: "\(folder.path)/log")
            defer { lab.stop() }
            let control = try eventually("it is ready") { try? ControlConnection(path: "\(folder.path)/lab.sock") }
            try control.request("events.subscribe")
            let alice = try Endpoint("alice", tone: CallPair.aliceTone)
            let probe = try alice.handset("probe", "sip:echo@127.0.0.1:\(port)", "--seconds", "1")
            #expect(probe.status == 0, "\(probe.output) \(probe.errors)")
            try alice.control.request("call.start", ["handle": .string("sip:lab@127.0.0.1:\(port)")])
            try alice.expectHeard(900)
            _ = try alice.listen(seconds: 1)
            try alice.act("call.end")
            let file = try #require(try control.event("recording.ended")["file"]?.string)
            let recording = try StereoFile(file)
            #expect(recording.left.heardDbfs(of: 900) > CallPair.audible)
            #expect(recording.right.suffix(24_000).heardDbfs(of: CallPair.aliceTone) > CallPair.audible)
        }
    }
}
