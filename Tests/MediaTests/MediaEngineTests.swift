import CallModel
import CallSystem
import EventLoop
import Glibc
import MediaDescription
import SoundDevices
import Testing

@testable import Media

@Suite("Two ends on this machine", .serialized, .timeLimit(.minutes(2))) struct MediaEngineTests {
    init() { EventLoop.shared.runInBackground() }

    @Test(
        "Each hears the other's tone; hold silences both ways exactly; digits, round trip and resume work",
        arguments: [(Codec.opus, true), (.pcma, false), (.g722, true)])
    @DaemonActor func call(codec: Codec, isKeyed: Bool) async throws {
        let files = SoundFiles()
        files.writeTone("left-in.wav", hertz: 440)
        files.writeTone("right-in.wav", hertz: 1_000)
        let left = try EngineEnd("left", files: files, ports: 43_000...43_099)
        let right = try EngineEnd("right", files: files, ports: 43_100...43_199)
        defer {
            left.engine.shutDown()
            right.engine.shutDown()
        }
        let security = isKeyed ? keying() : (.none, .none)
        left.configure(to: right.local, codec: codec, security: security.left)
        right.configure(to: left.local, codec: codec, security: security.right)
        #expect(await left.activate() == nil)
        #expect(await right.activate() == nil)
        #expect(await wait { right.statistics.received.packets > 40 && left.statistics.received.packets > 40 })
        #expect(await wait { (left.statistics.received.levelDbfs ?? -100) > -30 })
        #expect(await wait { (right.statistics.received.levelDbfs ?? -100) > -30 })
        #expect(left.statistics.invalid == 0 && right.statistics.invalid == 0)

        let sentDigits = await left.sendDigits("1#")
        let answeredDigits = await right.sendDigits("9")
        #expect(sentDigits && answeredDigits)
        #expect(await wait { right.digits == "1#" && left.digits == "9" })
        #expect(await wait { left.statistics.roundTripMilliseconds != nil })

        await left.setGates(Gates(held: true))
        let sentAtHold = left.statistics.sent.packets
        await pause(milliseconds: 600)
        #expect(left.statistics.sent.packets == sentAtHold)
        #expect(left.statistics.gates.held && left.statistics.gatesApplied)

        await left.setGates(Gates())
        let receivedAtResume = right.statistics.received.packets
        #expect(await wait { right.statistics.received.packets > receivedAtResume + 20 })
        await pause(milliseconds: 300)
        left.engine.close(left.call)
        right.engine.close(right.call)
        #expect(await wait { left.events.last == "deactivated" && right.events.last == "deactivated" })
        #expect(left.events == ["activated", "deactivated"])
        await pause(milliseconds: 500)

        let heard = files.read("left-out.wav")
        #expect(longestSilence(in: heard) >= 24_000)
        let first = heard.firstIndex { $0 != 0 } ?? 0
        let piece = heard.dropFirst(first + 12_000).prefix(12_000)
        #expect(share(of: 1_000, in: piece) > 0.9)
        let other = files.read("right-out.wav")
        let otherPiece = other.dropFirst((other.firstIndex { $0 != 0 } ?? 0) + 12_000).prefix(12_000)
        #expect(share(of: 440, in: otherPiece) > 0.9)
    }

    @Test("A peer that goes over to another codec of its answer without a word is followed, and back again")
    @DaemonActor func otherCodec() async throws {
        let pair = try EnginePair(port: 42_800, heldLinger: .seconds(10))
        let (left, right) = (pair.left, pair.right)
        defer { pair.shutDown() }
        left.configure(to: right.local, codec: .opus, alternatives: [.pcmu, .g722])
        right.configure(to: left.local, codec: .opus)
        #expect(await left.activate() == nil)
        #expect(await right.activate() == nil)
        #expect(await wait { left.statistics.received.packets > 20 && right.statistics.received.packets > 20 })
        for codec in [Codec.pcmu, .opus, .g722] {
            right.configure(to: left.local, codec: codec)
            #expect(await wait { left.statistics.codec == codec.rawValue })
            let (heard, answered) = (left.statistics.playout.played, right.statistics.playout.played)
            #expect(await wait { left.statistics.playout.played > heard + 20 })
            #expect(await wait { right.statistics.playout.played > answered + 20 })
        }
        #expect(left.events == ["activated", "codec PCMU", "codec opus", "codec G722"])
        #expect(left.statistics.lost == 0)
    }

    @Test("Garbage at the ports is counted, and the call goes on")
    @DaemonActor func garbage() async throws {
        let files = SoundFiles()
        files.writeTone("left-in.wav", hertz: 440)
        files.writeTone("right-in.wav", hertz: 1_000)
        let left = try EngineEnd("left", files: files, ports: 43_200...43_299)
        let right = try EngineEnd("right", files: files, ports: 43_300...43_399)
        defer {
            left.engine.shutDown()
            right.engine.shutDown()
        }
        left.configure(to: right.local, codec: .pcmu)
        right.configure(to: left.local, codec: .pcmu)
        #expect(await left.activate() == nil)
        #expect(await right.activate() == nil)
        #expect(await wait { left.statistics.received.packets > 10 })
        let local = try #require(Endpoint(host: "127.0.0.1", port: 0))
        let stranger = try UDPSocket(boundTo: local)
        let target = try #require(Endpoint(host: "127.0.0.1", port: left.local.rtpPort))
        for count in 0..<50 {
            send((0..<count).map { UInt8(truncatingIfNeeded: $0 * 31) }, through: stranger, to: target)
        }
        #expect(await wait { left.statistics.invalid >= 40 })
        let received = left.statistics.received.packets
        #expect(await wait { left.statistics.received.packets > received + 10 })
    }

    private func send(_ bytes: [UInt8], through socket: borrowing UDPSocket, to endpoint: Endpoint) {
        _ = bytes.withUnsafeBytes { socket.send($0, to: endpoint) }
    }

    @Test("With no session open, gates are applied at once, keys are sent, and the answer comes later, never within")
    @DaemonActor func withoutSession() async throws {
        let files = SoundFiles()
        let left = try EngineEnd("left", files: files, ports: 43_400...43_499)
        let right = try EngineEnd("right", files: files, ports: 43_500...43_599)
        defer {
            left.engine.shutDown()
            right.engine.shutDown()
        }
        var isApplied = false
        left.engine.setGates(left.call, Gates(held: true)) { isApplied = true }
        #expect(!isApplied)
        #expect(await wait { isApplied })
        left.configure(to: right.local, codec: .opus, security: keying().left)
        right.configure(to: left.local, codec: .opus, security: keying().right)
        await left.setGates(Gates(muted: true))
        let sent = await left.sendDigits("A0")
        #expect(sent)
        #expect(await wait { right.digits == "A0" })
        #expect(left.engine.audioStatus.state == "inactive" && left.engine.loopProgress == nil)
        left.engine.close(left.call)
        #expect(await left.sendDigits("1") == false)
        #expect(left.engine.statistics(of: left.call) == nil)
    }

    @Test("Sound of the peer is expected from when it is to flow both ways and we do not hold the call")
    @DaemonActor func expectedSound() async throws {
        let files = SoundFiles()
        let end = try EngineEnd("left", files: files, ports: 43_640...43_659)
        defer { end.engine.shutDown() }
        let call = try #require(end.engine.calls[end.call])
        #expect(call.expectedSound.since == nil)
        end.configure(to: end.local, codec: .pcma)
        let first = try #require(call.expectedSound.since)
        await end.setGates(Gates(muted: true))
        end.configure(to: end.local, codec: .pcmu)
        #expect(call.expectedSound.since == first)
        await end.setGates(Gates(held: true))
        #expect(call.expectedSound.since == nil)
        await end.setGates(Gates())
        let second = try #require(call.expectedSound.since)
        #expect(second > first)
        end.configure(to: end.local, codec: .pcmu, direction: .recvonly)
        #expect(call.expectedSound.since == nil)
        end.configure(to: end.local, codec: .pcmu)
        #expect(call.expectedSound.since ?? 0 > second)
    }

    @Test("A device that does not open is named, with the reason; the next of the list is taken")
    @DaemonActor func devices() async throws {
        let files = SoundFiles()
        files.writeTone("left-in.wav", hertz: 440)
        let bad = "file:/nowhere/in.wav,/nowhere/out.wav"
        let good = "file:\(files.path("left-in.wav")),\(files.path("left-out.wav"))"
        var configuration = try MediaConfiguration(capture: [bad], playback: [bad], ring: [])
        configuration.ports = 43_600...43_699
        let engine = try MediaEngine(configuration)
        defer { engine.shutDown() }
        let call = CallID()
        _ = try engine.open(call)
        let error = await withCheckedContinuation { done in engine.activate(call) { done.resume(returning: $0) } }
        #expect(error?.reason == .deviceUnavailable)
        #expect(error?.message.contains("/nowhere/in.wav") == true)
        configuration = try MediaConfiguration(capture: [bad, good], playback: [bad, good], ring: [])
        engine.reconfigure(configuration)
        let second = await withCheckedContinuation { done in engine.activate(call) { done.resume(returning: $0) } }
        #expect(second == nil)
        #expect(engine.audioStatus.state == "active")
        let turns = engine.loopProgress
        let networkTurns = engine.networkProgress
        await pause(milliseconds: 1_200)
        #expect(engine.loopProgress != turns && engine.networkProgress != networkTurns)
    }

    @Test("With nothing but a held call the session closes; resuming opens it again, and both hear each other")
    @DaemonActor func heldSession() async throws {
        let files = SoundFiles()
        files.writeTone("left-in.wav", hertz: 440)
        files.writeTone("right-in.wav", hertz: 1_000)
        let left = try EngineEnd("left", files: files, ports: 43_900...43_949, heldLinger: .milliseconds(300))
        let right = try EngineEnd("right", files: files, ports: 43_950...43_999)
        defer {
            left.engine.shutDown()
            right.engine.shutDown()
        }
        left.configure(to: right.local, codec: .opus, security: keying().left)
        right.configure(to: left.local, codec: .opus, security: keying().right)
        #expect(await left.activate() == nil)
        #expect(await right.activate() == nil)
        #expect(await wait { right.statistics.received.packets > 20 })
        await left.setGates(Gates(held: true))
        #expect(await wait { left.events == ["activated", "deactivated"] })
        let received = left.statistics.received.packets
        #expect(await wait { left.statistics.received.packets > received + 20 })
        let heard = right.statistics.received.packets
        await left.setGates(Gates())
        #expect(await wait { left.events == ["activated", "deactivated", "activated"] })
        #expect(await wait { right.statistics.received.packets > heard + 20 })
        #expect(await wait { (left.statistics.received.levelDbfs ?? -100) > -30 })
        #expect(right.statistics.invalid == 0 && right.statistics.lost == 0)
    }

    @Test("A device that was missing is tried again, and the call has its sound when it is there")
    @DaemonActor func deviceComesBack() async throws {
        let files = SoundFiles()
        let end = try EngineEnd("left", files: files, ports: 44_000...44_049)
        defer { end.engine.shutDown() }
        let error = await end.activate()
        #expect(error?.reason == .deviceUnavailable)
        files.writeTone("left-in.wav", hertz: 440)
        #expect(await wait { end.events.last == "resumed" })
        #expect(end.events.count == 2 && end.events.first?.hasPrefix("interrupted: ") == true)
        end.configure(to: end.local, codec: .pcma)
        #expect(await wait { end.statistics.sent.packets > 20 })
    }

    @Test("No free port is mediaFailed and names the range")
    @DaemonActor func ports() throws {
        var configuration = MediaConfiguration()
        configuration.ports = 43_700...43_703
        configuration.bindHost = "127.0.0.1"
        let engine = try MediaEngine(configuration)
        defer { engine.shutDown() }
        let calls = [CallID(), CallID(), CallID()]
        let first = try engine.open(calls[0])
        #expect(try engine.open(calls[0]) == first)
        _ = try engine.open(calls[1])
        do throws(CallError) {
            _ = try engine.open(calls[2])
            Issue.record("a third pair of ports was found in a range of four")
        } catch {
            #expect(error.reason == .mediaFailed && error.message.contains("43700-43703"))
        }
    }

    @Test("A ring device that does not open is named; the others ring")
    @DaemonActor func silentRinger() async throws {
        let files = SoundFiles()
        let left = try EngineEnd("left", files: files, ports: 43_600...43_619, ring: "file:,/nowhere/ring.wav")
        defer { left.engine.shutDown() }
        left.engine.ring(.ring)
        #expect(await wait { left.events.count == 1 })
        #expect(left.events.first?.contains("/nowhere/ring.wav") == true, "\(left.events)")
    }

    @Test("A ring device that comes while it rings, rings; a ring tone that is none is told of once")
    @DaemonActor func lateRinger() async throws {
        let files = SoundFiles()
        let folder = files.path("late")
        defer {
            unlink("\(folder)/ring.wav")
            rmdir(folder)
        }
        let left = try EngineEnd("left", files: files, ports: 43_620...43_639, ring: "file:,\(folder)/ring.wav")
        defer { left.engine.shutDown() }
        left.engine.ringSound = .file("/nonexistent/tone.wav")
        left.engine.ring(.ring)
        #expect(await wait { left.events.count == 2 })
        #expect(left.events.first?.contains("ring tone /nonexistent/tone.wav") == true, "\(left.events)")
        mkdir(folder, 0o700)
        await pause(milliseconds: 1_500)
        left.engine.ring(nil)
        await pause(milliseconds: 400)
        #expect(files.read("late/ring.wav").contains { $0 > 3_000 })
        #expect(left.events.count == 2)
    }

    @Test("The ringer rings on its own device, and through the session where that has it open; tones are heard")
    @DaemonActor func ringer() async throws {
        let files = SoundFiles()
        files.writeTone("left-in.wav", hertz: 440)
        let left = try EngineEnd(
            "left", files: files, ports: 43_800...43_899, ring: "file:,\(files.path("left-out.wav"))")
        defer { left.engine.shutDown() }
        left.engine.ring(.ring)
        await pause(milliseconds: 700)
        #expect(left.events.isEmpty)
        left.engine.playTone(.busy)
        #expect(await wait { left.engine.audioStatus.state == "active" })
        await pause(milliseconds: 700)
        left.engine.ring(nil)
        left.engine.playTone(nil)
        #expect(await wait { left.events == ["activated", "deactivated"] })
        await pause(milliseconds: 400)
        let heard = files.read("left-out.wav")
        #expect(heard.count > 48_000 && heard.contains { $0 > 3_000 })
    }
}
