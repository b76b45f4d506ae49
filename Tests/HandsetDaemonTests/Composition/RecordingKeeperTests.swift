import CallModel
import EventLoop
import FoundationEssentials
import Glibc
import Settings
import Testing

@testable import HandsetDaemon

@Suite("Recordings that have been there for long enough", .timeLimit(.minutes(1))) struct RecordingKeeperTests {
    init() { EventLoop.shared.runInBackground() }

    @Test("What was spared since it had just been written goes as soon as it may")
    @DaemonActor func spared() async throws {
        let folder = "/tmp/handset-keeper-\(CallID())"
        try #require(mkdir(folder, 0o700) == 0)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/20260101T000000Z-bob.wav"
        try Data(repeating: 1, count: 2 << 20).write(to: URL(filePath: path))
        // It rests for some seconds more.
        let written = timespec(tv_sec: time(nil) - 58, tv_nsec: 0)
        try #require(utimensat(AT_FDCWD, path, [written, written], 0) == 0)
        var settings = Settings.Recording()
        (settings.directory, settings.keepMebibytes) = (folder, 1)
        let keeper = RecordingKeeper(settings, defaultFolder: "")
        keeper.configure(settings)
        try await Task.sleep(for: .milliseconds(200))
        #expect(access(path, F_OK) == 0)
        for _ in 0..<200 where access(path, F_OK) == 0 { try await Task.sleep(for: .milliseconds(50)) }
        #expect(access(path, F_OK) != 0)
        #expect(keeper.problems.isEmpty)
    }
}
