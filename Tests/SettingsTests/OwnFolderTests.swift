import Glibc
import Settings
import Testing

@Suite("The folder of a user who has no other") struct OwnFolderTests {
    @Test("is made for its user alone, and is nobody else's")
    func folder() {
        let parent = "/tmp/handset-own-\(getpid())"
        let folder = "\(parent)/handset-\(getuid())"
        mkdir(parent, 0o755)
        defer {
            rmdir(folder)
            unlink(folder)
            rmdir(parent)
        }
        #expect(OwnFolder.path(making: false, below: parent) == nil)
        #expect(OwnFolder.path(making: true, below: parent) == folder)
        #expect(OwnFolder.path(making: false, below: parent) == folder)
        chmod(folder, 0o755)
        #expect(OwnFolder.path(making: true, below: parent) == nil)
        rmdir(folder)
        symlink("/tmp", folder)
        #expect(OwnFolder.path(making: true, below: parent) == nil)
        #expect(OwnFolder.path(making: true, below: "/nonexistent") == nil)
    }
}
