import Glibc
import Settings
import Testing

@Suite("The control socket's setting") struct ControlSocketSettingTests {
    private func setting(_ text: String) -> String? {
        let path = "/tmp/handset-setting-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).toml"
        guard let file = fopen(path, "w") else { return nil }
        fputs(text, file)
        fclose(file)
        defer { unlink(path) }
        return Settings.controlSocket(inFile: path)
    }

    @Test("It is found without the secrets that the rest of the file needs")
    func found() {
        let text = """
            [control]
            socket = "/srv/phone.sock"
            [[account]]
            name = "office"
            password_file = "/nowhere/secret"
            """
        #expect(setting(text) == "/srv/phone.sock")
    }

    @Test(
        "Where it is not said there is none", arguments: ["", "[control]\nsocket = \"\"", "[control]\nsocket = 5", "["])
    func missing(text: String) {
        #expect(setting(text) == nil)
        #expect(Settings.controlSocket(inFile: "/nowhere/handset.toml") == nil)
    }
}
