import ControlProtocol
import Glibc
import Testing

@testable import HandsetDaemon

@Suite("The folder of recordings") struct RecordingFolderTests {
    private let folder = "/tmp/handset-recording-folder-\(getpid())-\(UInt32.random(in: .min ... .max))"

    @Test("That cannot be used is a problem with its reason; one that can, or can be made, is none")
    func problems() {
        #expect(RecordingFolder.problem("") == nil)
        #expect(mkdir(folder, 0o750) == 0)
        defer { rmdir(folder) }
        #expect(RecordingFolder.problem(folder) == nil && RecordingFolder.problem("\(folder)/calls/") == nil)
        for (wrong, reason) in [
            ("\(folder)/a/b", "\(folder)/a: No such file or directory"), ("/dev/null", "/dev/null: Not a directory"),
            ("/dev/null/x", "/dev/null/x: Not a directory"),
        ] {
            let problem = RecordingFolder.problem(wrong)
            #expect(problem?.setting == "recording.directory")
            #expect(problem?.message.hasSuffix(reason) == true, "\(wrong): \(problem?.message ?? "no problem")")
        }
    }
}
