import Settings
import Testing

/// Files that the configuration is, or names.
extension SettingsTests {
    @Test("A file that is not there, or is none, is said so in words", arguments: ["/nonexistent.toml", "/"])
    func unreadable(path: String) {
        #expect {
            try Settings(contentsOf: path)
        } throws: { error in
            let text = "\(error)"
            return text.hasPrefix("\(path):1: cannot be read: ") && !text.contains("Error")
        }
    }

    @Test("Files that are named and not there are told, each with its line")
    func missingFiles() throws {
        let settings = try Self.read(
            """
            [audio]
            devices = ["file:/nowhere/in.wav,/nowhere/out.wav", "file:,/nowhere/out.wav"]
            capture = [{device = "file:/nowhere/two.wav,", profile = "line"}]
            ring_tone = "silent"
            [calls]
            hold_music = "/nowhere/hold.opus"
            [block]
            files = ["/nowhere/list", "/dev/null"]
            [contacts]
            files = ["/nowhere/book.vcf"]
            [[account]]
            name = "office"
            uri = "sip:101@pbx.example"
            ring_tone = "/nowhere/ring.wav"
            """)
        let none = "No such file or directory"
        #expect(
            settings.missingFiles.map(\.description) == [
                "handset.toml:2: audio.devices: /nowhere/in.wav: \(none)",
                "handset.toml:3: audio.capture: /nowhere/two.wav: \(none)",
                "handset.toml:6: calls.hold_music: /nowhere/hold.opus: \(none)",
                "handset.toml:8: block.files: /nowhere/list: \(none)",
                "handset.toml:10: contacts.files: /nowhere/book.vcf: \(none)",
                "handset.toml:14: account.ring_tone: /nowhere/ring.wav: \(none)",
            ])
        #expect(settings.soundInputs.count == 2)
    }

    @Test("A password file that is missing names the key")
    func missingSecret() {
        let found = Self.problems(
            "[[account]]\nname = \"a\"\nuri = \"sip:1@b.example\"\npassword_file = \"/nonexistent/secret\"")
        #expect(found.count == 1)
        #expect(
            found.first?.hasPrefix("handset.toml:4: account.password_file: /nonexistent/secret cannot be read") == true)
    }
}
