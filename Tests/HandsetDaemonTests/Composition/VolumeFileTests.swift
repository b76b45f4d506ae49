import CallSystem
import FoundationEssentials
import Testing

@testable import HandsetDaemon

@Suite("The volume that is kept") struct VolumeFileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "volume-\(UUID())")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    @Test("What was saved last is read again; a save that comes too late changes nothing")
    func saved() async throws {
        let file = VolumeFile(in: folder.path)
        #expect(file.load() == nil)
        try await file.save(AudioVolume(capture: 80, playback: 5), number: 1)
        try await file.save(AudioVolume(capture: 0, playback: 100), number: 3)
        try await file.save(AudioVolume(capture: 1, playback: 1), number: 2)
        #expect(VolumeFile(in: folder.path).load() == AudioVolume(capture: 0, playback: 100))
        try FileManager.default.removeItem(at: folder)
    }

    @Test(
        "A file that is not ours is as none",
        arguments: ["", "80", "80 101", "80 -1", "a b", "80 80 80"])
    func foreign(text: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: "volume"))
        #expect(VolumeFile(in: folder.path).load() == nil)
        try FileManager.default.removeItem(at: folder)
    }

    @Test("A folder that is gone is an error")
    func gone() async throws {
        try FileManager.default.removeItem(at: folder)
        do throws(VolumeError) {
            try await VolumeFile(in: folder.path).save(AudioVolume(), number: 1)
            Issue.record("it was saved")
        } catch {
            #expect("\(error)" == "the volume cannot be kept in \(folder.path)/volume: No such file or directory")
        }
    }
}
