import MediaDescription
import Settings
import Testing

@Suite("Profiles of sound devices") struct ProfileSettingsTests {
    @Test("One for all, and one for a device, in either list of microphones")
    func perDevice() throws {
        let settings = try SettingsTests.read(
            """
            [audio]
            profile = "handset"
            devices = ["alsa:default", {device = "alsa:hw:1", profile = "speakerphone"}, {device = "alsa:hw:3"}]
            capture = [{device = "alsa:hw:2", profile = "line"}]
            """)
        #expect(settings.audio.profile == .handset)
        #expect(settings.audio.devices == ["alsa:default", "alsa:hw:1", "alsa:hw:3"])
        #expect(settings.audio.capture == ["alsa:hw:2"])
        #expect(settings.audio.profiles == ["alsa:hw:1": .speakerphone, "alsa:hw:2": .line])
    }

    @Test("Nothing is done to the sound of who does not ask for it")
    func byDefault() { #expect(Settings().audio.profile == .line && Settings().audio.profiles.isEmpty) }

    @Test(
        "What is wrong with them is named",
        arguments: [
            ("profile = \"loud\"", "audio.profile"), ("profile = 1", "audio.profile"),
            ("devices = [{device = \"alsa:a\", profile = \"x\"}]", "audio.devices.profile"),
            ("capture = [{device = \"a\"}]", "audio.capture.device"),
            ("devices = [{device = \"alsa:a\", volume = 1}]", "audio.devices.volume"),
            (
                "devices = [{device = \"alsa:a\", profile = \"line\"}, {device = \"alsa:a\", profile = \"handset\"}]",
                "audio.devices.profile"
            ),
            ("devices = [\"alsa:a\", 1]", "audio.devices"), ("playback = [{device = \"alsa:a\"}]", "audio.playback"),
        ])
    func wrong(line: String, key: String) {
        let problems = SettingsTests.problems("[audio]\n\(line)")
        #expect(problems.count == 1 && problems[0].contains("\(key):"), "\(problems)")
    }
}
