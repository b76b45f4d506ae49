import FoundationEssentials
import Testing

@testable import HandsetDaemon

@Suite("State folder") struct StateFolderTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/handset-state-\(UUID())"

    @Test("It is one daemon's alone, until that one ends")
    func alone() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            let first = StateFolder(folder, configured: folder)
            #expect(first.path == folder && first.warning == nil)
            let second = StateFolder(folder, configured: folder)
            #expect(second.path == nil)
            let warning = try #require(second.warning)
            #expect(
                warning.contains(folder) && warning.contains("process \(ProcessInfo.processInfo.processIdentifier)"))
            #expect(first.path == folder)
        }
        #expect(StateFolder(folder, configured: "").path == folder)
    }

    @Test("A relative one is made where the daemon was started")
    func relative() {
        let name = "handset-state-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: name) }
        #expect(Places(environment: { _ in nil }).stateDirectory(configured: name + "/deep") == name + "/deep")
        #expect(FileManager.default.fileExists(atPath: name + "/deep"))
        #expect(!FileManager.default.fileExists(atPath: "/" + name))
    }

    @Test("Where there is none, or it cannot be locked, that is said")
    func none() {
        #expect(StateFolder(nil, configured: "").warning?.contains("no folder can be made and written to") == true)
        #expect(StateFolder(nil, configured: "/x").warning?.contains("state.directory /x cannot be made") == true)
        let missing = StateFolder(folder + "/missing", configured: "")
        #expect(missing.path == nil && missing.warning?.contains("cannot be locked") == true)
    }
}
