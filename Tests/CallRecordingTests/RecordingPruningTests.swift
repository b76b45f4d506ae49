import Glibc
import TestFiles
import Testing

@testable import CallRecording

@Suite("How long recordings stay") struct RecordingPruningTests {
    private let folder = TemporaryFolder()
    private static let now = 1_900_000_000
    private static let day = 86_400

    /// A file of so many KiB that something was last written to so many days ago.
    private func write(_ name: String, days: Double, kibibytes: Int = 1) throws {
        let path = folder.write(name, [UInt8](repeating: 1, count: kibibytes << 10))
        let written = timespec(tv_sec: Self.now - Int(days * Double(Self.day)), tv_nsec: 0)
        let times = [written, written]
        try #require(utimensat(AT_FDCWD, path, times, 0) == 0)
    }

    private func prune(_ limits: RecordingLimits, keeping kept: Set<String> = []) -> RecordingPruning {
        RecordingPruning(folder.path, limits: limits, now: Self.now, keeping: kept)
    }

    private func isThere(_ name: String) -> Bool { access(folder.file(name), F_OK) == 0 }

    @Test(
        "What the daemon names is its own, and nothing else is",
        arguments: [
            ("\(RecordingName.name(at: 1_764_511_502, with: "sip:alice@192.0.2.7")).opus", true),
            ("\(RecordingName.name(at: 0, with: "")).wav", true), ("20261130T140502Z-bob-2.opus", true),
            ("20261130T140502Z-bob.ogg", false), ("20261130T140502Z-.opus", false), ("20261130T140502Z.opus", false),
            ("20261130T140502-bob.opus", false), ("2026113xT140502Z-bob.opus", false),
            ("20261130T140502Z-bob.opus.bak", false), ("20261130T140502Z-a b.opus", false), ("talk.wav", false),
            (".opus", false), ("", false),
        ])
    func naming(name: String, isMade: Bool) {
        #expect(RecordingName.isMade(name) == isMade)
    }

    @Test("By age the old ones go; what has another name, and no file, stays")
    func age() throws {
        try write("20260101T000000Z-old.opus", days: 8)
        try write("20260102T000000Z-new.opus", days: 6)
        try write("talk.opus", days: 100)
        try #require(mkdir(folder.file("20260101T000000Z-folder.opus"), 0o700) == 0)
        try #require(symlink("talk.opus", folder.file("20260101T000000Z-link.opus")) == 0)
        let pruning = prune(RecordingLimits(days: 7))
        #expect(pruning.removed == ["20260101T000000Z-old.opus"] && pruning.failures.isEmpty)
        for name in ["20260102T000000Z-new.opus", "talk.opus", "20260101T000000Z-folder.opus"] {
            #expect(isThere(name), "\(name)")
        }
        #expect(isThere("20260101T000000Z-link.opus"))
        #expect(prune(RecordingLimits(days: 7)).removed.isEmpty)
    }

    @Test("By size the oldest go, as many as are too many")
    func size() throws {
        for index in 1...5 { try write("2026010\(index)T000000Z-a.wav", days: Double(10 - index), kibibytes: 400) }
        try write("talk.wav", days: 100, kibibytes: 4_000)
        let pruning = prune(RecordingLimits(mebibytes: 1))
        #expect(pruning.removed == (1...3).map { "2026010\($0)T000000Z-a.wav" })
        #expect(isThere("20260104T000000Z-a.wav") && isThere("20260105T000000Z-a.wav") && isThere("talk.wav"))
    }

    @Test("What is being written, or was a moment ago, stays whatever the limits are")
    func active() throws {
        try write("20260101T000000Z-active.opus", days: 9, kibibytes: 2_000)
        try write("20260102T000000Z-fresh.opus", days: 30 / 86_400, kibibytes: 2_000)
        let limits = RecordingLimits(days: 1, mebibytes: 1)
        #expect(prune(limits, keeping: ["20260101T000000Z-active.opus"]).removed.isEmpty)
        #expect(prune(limits).removed == ["20260101T000000Z-active.opus"])
    }

    @Test("It is known when what was spared may go; what may stay, or is being written, is not waited for")
    func retry() throws {
        try write("20260101T000000Z-active.opus", days: 0, kibibytes: 2_000)
        #expect(prune(RecordingLimits(mebibytes: 1), keeping: ["20260101T000000Z-active.opus"]).retryAfter == nil)
        #expect(prune(RecordingLimits(mebibytes: 2)).retryAfter == nil)
        let limits = RecordingLimits(mebibytes: 1)
        let seconds = try #require(prune(limits).retryAfter)
        #expect(seconds == RecordingPruning.rest + 1)
        func removed(after seconds: Int) -> [String] {
            RecordingPruning(folder.path, limits: limits, now: Self.now + seconds, keeping: []).removed
        }
        #expect(removed(after: seconds - 1).isEmpty)
        #expect(removed(after: seconds) == ["20260101T000000Z-active.opus"])
    }

    @Test("A folder that is not there yet has nothing; one that is none is a failure")
    func noFolder() {
        let limits = RecordingLimits(days: 1)
        #expect(RecordingPruning(folder.file("none"), limits: limits, now: Self.now, keeping: []).failures.isEmpty)
        let wrong = RecordingPruning(folder.write("file", [1]), limits: limits, now: Self.now, keeping: [])
        #expect(wrong.failures.count == 1 && wrong.removed.isEmpty)
    }
}
