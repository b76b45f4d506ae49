import CallModel
import CallSystem
import EventLoop
import Glibc
import MediaDescription
import Testing

@testable import Media

@Suite("Recordings of a call, files in it, and services", .serialized, .timeLimit(.minutes(1))) struct FilesTests {
    init() { EventLoop.shared.runInBackground() }

    @DaemonActor private func pair() throws -> EnginePair {
        let pair = try EnginePair(port: 44_200, heldLinger: .milliseconds(300))
        pair.left.reconfigure { $0.recordings = pair.files.folder }
        return pair
    }

    @DaemonActor private func record(_ end: EngineEnd, _ name: String) async -> Result<String, CallError> {
        await withCheckedContinuation { done in
            end.engine.startRecording(end.call, RecordingWish(file: name, handle: "x", seconds: 0)) {
                done.resume(returning: $0)
            }
        }
    }

    @Test("A hold in which the devices are released is silence of the same length") @DaemonActor
    func hold() async throws {
        let pair = try pair()
        let (left, files) = (pair.left, pair.files)
        defer { pair.shutDown() }
        await pair.connect()
        #expect(try await record(pair.left, "a.wav").get() == files.path("a.wav"))
        let began = MonotonicInstant.now
        await pause(milliseconds: 500)
        await left.setGates(Gates(held: true))
        #expect(await wait { left.events.last == "deactivated" })
        // While nothing turns the loop the file follows the clock.
        let before = files.read("a.wav").count
        #expect(await wait { files.read("a.wav").count > before + 2 * 48_000 })
        await left.setGates(Gates())
        #expect(await left.activate() == nil)
        await pause(milliseconds: 500)
        left.engine.stopRecording(left.call)
        let elapsed = MonotonicInstant.now.milliseconds(since: began)
        #expect(await wait { !left.recordings.isEmpty })
        let end = try #require(left.recordings.first)
        #expect(end.failure == nil && end.droppedMilliseconds == 0 && end.call == left.call)
        #expect(abs(end.seconds * 1_000 - elapsed) < 250, "\(end.seconds) s of \(elapsed) ms")
        #expect(files.read("a.wav").count == Int((end.seconds * 96_000).rounded()))
    }

    @Test("A recording that is stopped before its file is there gives way to the next one") @DaemonActor
    func quickly() async throws {
        let pair = try pair()
        let (left, files) = (pair.left, pair.files)
        defer { pair.shutDown() }
        await pair.connect()
        var results: [Result<String, CallError>] = []
        for name in ["a.wav", "b.wav"] {
            left.engine.startRecording(left.call, RecordingWish(file: name, handle: "x", seconds: 0)) {
                results.append($0)
            }
            if name == "a.wav" { left.engine.stopRecording(left.call) }
        }
        #expect(await wait { results.count == 2 })
        #expect(results.first?.failure?.reason == .superseded && results.last?.failure == nil)
        await pause(milliseconds: 600)
        #expect(access(files.path("a.wav"), F_OK) != 0, "nothing is left of it")
        #expect(await record(pair.left, "c.wav").failure?.reason == .fileUnusable, "one goes on")
        left.engine.close(left.call)
        #expect(await wait { left.recordings.count == 1 })
        #expect(left.recordings.first?.file == files.path("b.wav") && left.recordings.first?.isRemoved == false)
        #expect(share(of: 440, in: sides(files.read("b.wav")).left.suffix(12_000)) > 0.9)
    }

    private func sides(_ frames: [Int16]) -> (left: [Int16], right: [Int16]) {
        (
            stride(from: 0, to: frames.count - 1, by: 2).map { frames[$0] },
            stride(from: 1, to: frames.count, by: 2).map { frames[$0] }
        )
    }

    @Test("An echo opens no device, and gives back what it hears") @DaemonActor
    func echo() async throws {
        let pair = try pair()
        let (left, right, files) = (pair.left, pair.right, pair.files)
        defer { pair.shutDown() }
        left.engine.setService(left.call, .echo)
        await pair.connect()
        #expect(await wait { share(of: 1_000, in: files.read("right-out.wav").suffix(9_600)) > 0.9 })
        #expect(left.events.isEmpty && left.engine.audioStatus.state == "inactive")
        #expect(right.events == ["activated"])
        // It is held as any other call is.
        await left.setGates(Gates(held: true))
        let sent = left.statistics.sent.packets
        await pause(milliseconds: 300)
        #expect(left.statistics.sent.packets == sent)
    }

    @Test("An exchange that is ended early gives what it has by then, once") @DaemonActor
    func endedExchange() async throws {
        let pair = try pair()
        let left = pair.left
        defer { pair.shutDown() }
        left.engine.setService(left.call, .probe)
        await pair.connect()
        #expect(!left.engine.endExchange(left.call))
        var counts: [Int] = []
        let samples = [Int16](repeating: 1_000, count: 480_000)
        left.engine.exchange(left.call, sending: samples, collecting: 480_000) { sent, heard in
            #expect(sent.count == heard.count && sent.contains(1_000))
            counts.append(sent.count)
        }
        await pause(milliseconds: 2_000)
        #expect(left.engine.endExchange(left.call) && counts.isEmpty, "not from within")
        left.engine.close(left.call)
        #expect(await wait { counts.count == 1 })
        #expect((72_000..<192_000).contains(counts.first ?? 0), "\(counts)")
        await pause(milliseconds: 300)
        #expect(counts.count == 1 && !left.engine.endExchange(left.call))
    }

    @Test("The loop of services has figures of its own; those of the devices' loop stay as they were last") @DaemonActor
    func figures() async throws {
        let pair = try pair()
        let left = pair.left
        defer { pair.shutDown() }
        #expect(left.engine.serviceStatus == nil && left.engine.audioStatus.turns == 0)
        await pair.connect()
        await left.setGates(Gates(held: true))
        #expect(await wait { left.events.last == "deactivated" })
        // Of a busy machine, whose xrun is older each time.
        let loop = {
            var status = left.engine.audioStatus
            status.lastXrun = nil
            return status
        }
        let last = loop()
        #expect(last.turns > 20 && last.work.longest > 0 && left.engine.serviceStatus == nil)

        let service = CallID()
        _ = try left.engine.open(service)
        left.engine.setService(service, .echo)
        left.configure(to: pair.right.local, codec: .pcma, of: service)
        await withCheckedContinuation { done in left.engine.activate(service) { _ in done.resume() } }
        #expect(await wait { (left.engine.serviceStatus?.turns ?? 0) > 20 })
        #expect(loop() == last, "a service's loop is another one")
        left.engine.close(service)
        #expect(await wait { (left.engine.serviceStatus?.turns ?? 0) > 20 && loop() == last })
    }

    @Test("An exchange sends what it is given after a second, and collects both sides") @DaemonActor
    func exchange() async throws {
        let pair = try pair()
        let left = pair.left
        defer { pair.shutDown() }
        left.engine.setService(left.call, .probe)
        await pair.connect()
        let samples = (0..<4_800).map { Int16(8_000 * sin(2 * .pi * 700 * Double($0) / 48_000)) }
        let (sent, heard) = await withCheckedContinuation { done in
            left.engine.exchange(left.call, sending: samples, collecting: 96_000) { done.resume(returning: ($0, $1)) }
        }
        #expect(sent.count >= 96_000 && sent.count == heard.count)
        let first = try #require(sent.firstIndex { $0 != 0 })
        #expect(first >= 48_000 && Array(sent[first..<first + 4_799]) == Array(samples.dropFirst()))
        #expect(sent[(first + 4_800)...].allSatisfy { $0 == 0 })
        #expect(share(of: 1_000, in: heard.suffix(24_000)) > 0.9)
        #expect(left.events.isEmpty)
    }
}

extension Result where Failure == CallError {
    fileprivate var failure: CallError? { if case .failure(let error) = self { error } else { nil } }
}
