import CallModel
import CallSystem
import EventLoop
import Glibc
import MediaDescription
import Testing

@testable import Media

/// Left holds right, whose recording tells what was sent.
@Suite("Hold music of a call", .serialized, .timeLimit(.minutes(1))) struct HoldMusicTests {
    init() { EventLoop.shared.runInBackground() }

    @DaemonActor private func pair() throws -> EnginePair {
        try EnginePair(port: 44_100, heldLinger: .milliseconds(400), holdMusic: "ring.wav")
    }

    @Test("It goes on when the devices have been released, and resuming opens them again")
    @DaemonActor func withoutDevices() async throws {
        let pair = try pair()
        let (left, right, files) = (pair.left, pair.right, pair.files)
        defer { pair.shutDown() }
        await pair.connect()
        await left.setGates(Gates(held: true))
        let begin = files.read("right-out.wav").count
        #expect(await wait { left.events == ["activated", "deactivated"] })
        #expect(left.engine.audioStatus.state == "inactive")
        // The devices are closed, and the recording written, by other threads.
        await pause(milliseconds: 500)
        let sent = left.statistics.sent.packets
        let recorded = files.read("left-out.wav").count
        await pause(milliseconds: 1_000)
        #expect(left.statistics.sent.packets > sent + 40)
        #expect(left.engine.loopProgress != nil, "the watchdog sees the loop that plays it")
        #expect(files.read("left-out.wav").count == recorded, "our loudspeaker is not there")
        #expect(right.statistics.lost == 0 && right.statistics.invalid == 0)

        let held = files.read("right-out.wav").dropFirst(begin + 24_000)
        #expect(share(of: 440, in: held) < 0.000_1)
        #expect(share(of: 1_800, in: held.suffix(24_000)) > 0.9)

        await left.setGates(Gates())
        #expect(await wait { left.events == ["activated", "deactivated", "activated"] })
        #expect(await wait { share(of: 440, in: files.read("right-out.wav").suffix(9_600)) > 0.9 })
        #expect(await wait { (left.statistics.received.levelDbfs ?? -100) > -30 })
        left.engine.close(left.call)
        #expect(await wait { left.events.count == 4 && left.engine.loopProgress == nil })
    }

    @Test("Nothing is sent, and no loop turns, while the other one holds us, too")
    @DaemonActor func bothHold() async throws {
        let pair = try pair()
        let (left, right) = (pair.left, pair.right)
        defer { pair.shutDown() }
        await pair.connect()
        await left.setGates(Gates(held: true))
        #expect(await wait { left.events.last == "deactivated" })
        left.configure(to: right.local, codec: .opus, direction: .inactive)
        #expect(await wait { left.engine.loopProgress == nil })
        // Figures are told up to 100 ms late.
        await pause(milliseconds: 200)
        let sent = left.statistics.sent.packets
        await pause(milliseconds: 300)
        #expect(left.statistics.sent.packets == sent)
        left.configure(to: right.local, codec: .opus, direction: .sendonly)
        #expect(await wait { left.statistics.sent.packets > sent + 20 })
        #expect(left.events == ["activated", "deactivated"])
    }

    @Test("A file that is no sound is told of once, and nothing is sent; it is read anew for the next call")
    @DaemonActor func unreadable() async throws {
        let pair = try pair()
        let (left, files) = (pair.left, pair.files)
        left.reconfigure { $0.holdMusic = "/nonexistent/music.opus" }
        defer { pair.shutDown() }
        await pair.connect()
        await left.setGates(Gates(held: true))
        #expect(await wait { left.events.last?.hasPrefix("hold music") == true && left.statistics.gates.held })
        let told = left.events.last ?? ""
        #expect(
            told == "hold music: /nonexistent/music.opus cannot be played: No such file or directory; "
                + "who is held hears nothing")
        #expect(await wait { left.events.last == "deactivated" })
        #expect(left.engine.loopProgress == nil)
        left.reconfigure { $0.holdMusic = files.path("ring.wav") }
        let sent = left.statistics.sent.packets
        #expect(await wait { left.statistics.sent.packets > sent + 20 })
        #expect(left.events.count == 3)
    }
}
