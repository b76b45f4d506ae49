import AudioLoop
import Glibc
import Synchronization
import TestFiles
import Testing

@testable import CallRecording

@Suite("The recorder of a call", .timeLimit(.minutes(1))) struct CallRecorderTests {
    private let folder = TemporaryFolder()

    /// Records to `path` until `body` says so, and returns how it ended.
    private func ending(
        _ path: String, _ format: RecordingFormat, _ body: (CallRecorder) -> Void
    ) throws -> CallRecorder.End {
        let ended = Ended()
        let recorder = try CallRecorder(SoundTap(beeps: false), path: path, format: format) { end in
            ended.end.withLock { $0 = end }
        }
        body(recorder)
        try #require(recorder.join(timeoutMilliseconds: 10_000))
        return try #require(ended.end.withLock { $0 })
    }

    private final class Ended: Sendable {
        let end = Mutex<CallRecorder.End?>(nil)
    }

    @Test("What ends before there is any sound leaves no file", arguments: RecordingFormat.allCases)
    func empty(format: RecordingFormat) throws {
        let path = folder.file("a.\(format.rawValue)")
        let end = try ending(path, format) { $0.stop() }
        #expect(end.isRemoved && end.seconds == 0 && end.failure == nil)
        #expect(access(path, F_OK) != 0)
    }

    @Test("What is discarded leaves none either, whatever it has", arguments: RecordingFormat.allCases)
    func discarded(format: RecordingFormat) throws {
        let path = folder.file("b.\(format.rawValue)")
        // Without a loop it is silence, from the second second on.
        let end = try ending(path, format) { recorder in
            usleep(1_800_000)
            recorder.discard()
        }
        #expect(end.isRemoved && end.seconds > 0 && access(path, F_OK) != 0)
    }

    @Test("Silence is sound, too: its file stays", arguments: RecordingFormat.allCases)
    func silence(format: RecordingFormat) throws {
        let path = folder.file("c.\(format.rawValue)")
        let end = try ending(path, format) { recorder in
            usleep(1_800_000)
            recorder.stop()
        }
        #expect(!end.isRemoved && end.seconds > 0 && access(path, F_OK) == 0)
    }
}
