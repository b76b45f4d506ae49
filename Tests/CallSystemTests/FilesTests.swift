import CallModel
import CallSystem
import EventLoop
import Testing

@testable import CallFakes

@Suite("Call center, recordings and files", .timeLimit(.minutes(1))) struct FilesTests {
    init() { EventLoop.shared.runInBackground() }

    @DaemonActor private final class Outcome {
        var results: [Result<ActionResult, CallError>] = []
        var result: ActionResult? { try? results.first?.get() }
        var failure: FailureReason? {
            if case .failure(let error) = results.first { error.reason } else { nil }
        }
    }

    @DaemonActor private func record(_ bench: Bench, _ call: CallID, _ file: String? = nil) -> Outcome {
        let outcome = Outcome()
        bench.center.startRecording(call, file: file, readAt: bench.clock.now) { outcome.results.append($0) }
        bench.clock.run(.milliseconds(50))
        return outcome
    }

    @DaemonActor private func stop(_ bench: Bench, _ call: CallID) -> Outcome {
        let outcome = Outcome()
        bench.center.stopRecording(call, readAt: bench.clock.now) { outcome.results.append($0) }
        bench.clock.run(.milliseconds(50))
        return outcome
    }

    @Test("A recording is in the call, told, done once, and the last one is what the history has") @DaemonActor
    func recording() async {
        let bench = Bench()
        let call = bench.answered()
        _ = bench.takenEvents()
        let began = record(bench, call, "a.opus")
        #expect(began.results.count == 1 && began.result?.changed == true)
        #expect(began.result?.call.recording == "/recordings/a.opus")
        #expect(bench.takenEvents() == ["call.updated A recording"])
        #expect(record(bench, call).result?.changed == false)
        #expect(record(bench, call, "b.opus").failure == .invalidState)
        #expect(stop(bench, call).result?.changed == true && stop(bench, call).result?.changed == false)
        #expect(bench.center.snapshot(of: call)?.recording == nil)
        #expect(bench.log.lines.filter { $0.contains("ecord") } == ["record A a.opus", "stopRecording A"])
        _ = bench.takenEventsWhole()
        bench.perform(.end(call))
        let last = bench.takenEventsWhole().compactMap { if case .ended(let call) = $0 { call } else { nil } }
        #expect(last.first?.recording == "/recordings/a.opus")
    }

    @Test("A call without sound is not recorded, nor one that there is not") @DaemonActor
    func notConnected() async {
        let bench = Bench()
        let call = bench.incoming()
        #expect(record(bench, call).failure == .invalidState && record(bench, CallID()).failure == .unknownCall)
        #expect(stop(bench, CallID()).failure == .unknownCall && stop(bench, call).result?.changed == false)
    }

    @Test("A file that cannot be made fails the request; a disk that is full later is told, and the call goes on")
    @DaemonActor func failures() async {
        let bench = Bench()
        let call = bench.answered()
        bench.media.fileError = CallError(.fileUnusable, "the disk is full")
        #expect(record(bench, call).failure == .fileUnusable)
        #expect(bench.center.snapshot(of: call)?.recording == nil)
        bench.media.fileError = nil
        _ = record(bench, call)
        _ = bench.takenEvents()
        bench.media.observer?.handle(
            .recordingEnded(RecordingEnd(call: call, file: "/recordings/made.opus", seconds: 2, failure: "full")))
        bench.clock.run(.milliseconds(10))
        #expect(bench.takenEvents() == ["call.updated A recording", "recording.failed A full"])
        #expect(bench.state(call) == .connected && bench.center.snapshot(of: call)?.recording == nil)
        #expect(record(bench, call).result?.changed == true)
        bench.media.observer?.handle(
            .recordingEnded(RecordingEnd(call: call, file: "/recordings/other.opus", seconds: 2)))
        bench.clock.run(.milliseconds(10))
        #expect(bench.center.snapshot(of: call)?.recording == "/recordings/made.opus")
        // Without any sound there is no file, and none in the history.
        _ = stop(bench, call)
        var removed = RecordingEnd(call: call, file: "/recordings/made.opus", seconds: 0)
        removed.isRemoved = true
        bench.media.observer?.handle(.recordingEnded(removed))
        _ = bench.takenEventsWhole()
        bench.perform(.end(call))
        let last = bench.takenEventsWhole().compactMap { if case .ended(let call) = $0 { call } else { nil } }
        #expect(last.count == 1 && last.first?.recording == nil)
    }

    @Test("What was stopped before its file was there is not recorded") @DaemonActor
    func stoppedSoon() async {
        let bench = Bench()
        let call = bench.answered()
        let first = Outcome()
        bench.center.startRecording(call, file: "a.opus", readAt: bench.clock.now) { first.results.append($0) }
        #expect(stop(bench, call).result?.changed == true)
        #expect(first.failure == .superseded && bench.center.snapshot(of: call)?.recording == nil)
        // Nor does it end one that was begun meanwhile.
        bench.center.startRecording(call, file: "b.opus", readAt: bench.clock.now) { _ in }
        bench.center.stopRecording(call, readAt: bench.clock.now) { _ in }
        #expect(record(bench, call, "c.opus").result?.call.recording == "/recordings/c.opus")
        #expect(bench.center.snapshot(of: call)?.recording == "/recordings/c.opus")
        // One that is over by then is told so.
        let other = bench.answered()
        let outcome = Outcome()
        bench.center.startRecording(other, readAt: bench.clock.now) { outcome.results.append($0) }
        bench.signalling.tell(.ended(other, .remoteEnded))
        bench.clock.run(.milliseconds(50))
        #expect(outcome.failure == .unknownCall)
    }

    @Test(
        "Calls are recorded by themselves as the account says, else all or none",
        arguments: [(false, nil, false), (true, nil, true), (true, false, false), (false, true, true)]
            as [(Bool, Bool?, Bool)])
    @DaemonActor func automatic(all: Bool, own: Bool?, expected: Bool) async {
        var policy = CallPolicy()
        policy.recordsCalls = all
        policy.recordsCallsByAccount = own.map { ["office": $0] } ?? [:]
        let bench = Bench(policy)
        let call = bench.incoming()
        #expect(!bench.log.lines.contains { $0.hasPrefix("record") })
        bench.perform(.answer(call))
        #expect((bench.center.snapshot(of: call)?.recording != nil) == expected)
        #expect(bench.log.lines.contains { $0.hasPrefix("record A") && $0.hasSuffix("-bob") } == expected)
    }

    @Test("One that was to be recorded by itself and cannot be goes on, and that is told") @DaemonActor
    func automaticFailure() async {
        var policy = CallPolicy()
        policy.recordsCalls = true
        let bench = Bench(policy)
        bench.media.fileError = CallError(.fileUnusable, "no folder")
        let call = bench.answered()
        #expect(bench.state(call) == .connected && bench.takenEvents().contains("recording.failed A no folder"))
    }

    @Test("What was called off before it was read is not played; what the call's end breaks off is told") @DaemonActor
    func notToTheEnd() async {
        let bench = Bench()
        let call = bench.answered()
        let (outcome, stopped) = (Outcome(), Outcome())
        bench.center.play("/a.wav", loops: false, to: call, readAt: bench.clock.now) { outcome.results.append($0) }
        bench.center.stopPlaying(to: call, readAt: bench.clock.now) { stopped.results.append($0) }
        bench.clock.run(.milliseconds(50))
        #expect(outcome.failure == .superseded && stopped.result?.changed == true)
        #expect(bench.center.snapshot(of: call)?.playing == nil)
        bench.center.play("/b.wav", loops: true, to: call, readAt: bench.clock.now) { _ in }
        bench.clock.run(.milliseconds(50))
        _ = bench.takenEvents()
        bench.perform(.end(call))
        let events = bench.takenEvents()
        #expect(events.contains("call.played A /b.wav broken off"))
        #expect(events.last == "call.ended A localEnded")
    }

    @Test("A file is played until its end, which is told; another one takes its place") @DaemonActor
    func play() async {
        let bench = Bench()
        let call = bench.answered()
        let outcome = Outcome()
        func play(_ file: String) {
            bench.center.play(file, loops: false, to: call, readAt: bench.clock.now) { outcome.results.append($0) }
            bench.clock.run(.milliseconds(50))
        }
        _ = bench.takenEvents()
        play("/a.wav")
        #expect(outcome.result?.call.playing == "/a.wav" && bench.takenEvents() == ["call.updated A playing"])
        play("/b.wav")
        bench.media.observer?.handle(.played(call, file: "/a.wav", completed: false))
        bench.clock.run(.milliseconds(10))
        #expect(bench.center.snapshot(of: call)?.playing == "/b.wav")
        bench.media.observer?.handle(.played(call, file: "/b.wav", completed: true))
        bench.clock.run(.milliseconds(10))
        #expect(bench.center.snapshot(of: call)?.playing == nil)
        #expect(
            bench.takenEvents() == [
                "call.updated A playing", "call.played A /a.wav broken off", "call.updated A playing",
                "call.played A /b.wav whole",
            ])
        let stopped = Outcome()
        bench.center.stopPlaying(to: call, readAt: bench.clock.now) { stopped.results.append($0) }
        bench.clock.run(.milliseconds(10))
        #expect(stopped.result?.changed == false)
        bench.media.fileError = CallError(.fileUnusable, "no sound")
        outcome.results = []
        play("/c.wav")
        #expect(outcome.failure == .fileUnusable && bench.center.snapshot(of: call)?.playing == nil)
    }
}
