import HandsetDaemon
import Testing

@Suite("Command line of handsetd") struct DaemonOptionsTests {
    @Test("Options are read, with a value apart or after an equals sign")
    func options() throws {
        let apart = try DaemonOptions(parsing: ["--config", "a.toml", "--socket", "/tmp/s"])
        let joined = try DaemonOptions(parsing: ["--config=a.toml", "--socket=/tmp/s"])
        #expect(apart == joined)
        #expect(apart.configuration == "a.toml")
        #expect(apart.socket == "/tmp/s")
        #expect(apart.action == .run)
        #expect(try DaemonOptions(parsing: ["--check-config"]).action == .checkConfiguration)
        #expect(try DaemonOptions(parsing: ["--version"]).action == .printVersion)
    }

    @Test("What is not an option is refused", arguments: [["x"], ["--config"], ["--socket="], ["--version=1"], ["-v"]])
    func refused(arguments: [String]) {
        #expect(throws: UsageError.self) { try DaemonOptions(parsing: arguments) }
    }
}
