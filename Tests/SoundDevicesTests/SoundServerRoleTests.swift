import Glibc
import Testing

@testable import SoundDevices

@Suite("Role for sound servers", .serialized) struct SoundServerRoleTests {
    private func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    @Test("It is said where nobody has said anything, and else left as it is")
    func announce() {
        let names = SoundServerRole.variables.map(\.0)
        let before = names.map(value)
        defer {
            for (name, value) in zip(names, before) {
                if let value { setenv(name, value, 1) } else { unsetenv(name) }
            }
        }
        for name in names { unsetenv(name) }
        SoundServerRole.announce()
        #expect(names.map(value) == ["phone", "{ media.role = Communication }"])
        for name in names { setenv(name, "other", 1) }
        SoundServerRole.announce()
        #expect(names.map(value) == ["other", "other"])
    }
}
