import FoundationEssentials
import Synchronization
import Testing

@testable import HandsetDaemon

@Suite("handsetd(8)") struct ManualTests {
    private static func lines() throws -> [Substring] {
        let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(
            separator: "/")
        return try String(contentsOfFile: "\(folder)/doc/man/handsetd.8", encoding: .utf8).split(separator: "\n")
    }

    @Test("Names every variable that says where things are")
    func variables() throws {
        let asked = Mutex<Set<String>>([])
        let places = Places { name in
            _ = asked.withLock { $0.insert(name) }
            // Nothing is made, then.
            return name == "STATE_DIRECTORY" ? "/tmp" : nil
        }
        _ = places.runtimeDirectories
        _ = places.stateDirectory(configured: "")
        let described = try Self.lines().filter { $0.hasPrefix(".It Ev ") }
            .flatMap { $0.split(separator: " ").map(String.init) }
        #expect(asked.withLock(\.count) == 5)
        for name in asked.withLock(\.self) { #expect(described.contains(name), "\(name)") }
    }

    @Test("Names every option of the help, and no other")
    func options() throws {
        let lines = try Self.lines()
        let described = lines.filter { $0.hasPrefix(".It Fl -") }.compactMap {
            $0.split(separator: " ").dropFirst(2).first
        }
        let helped = DaemonOptions.help.split { $0.isWhitespace || "[]".contains($0) }.filter { $0.hasPrefix("--") }
        #expect(Set(described.map { "-\($0)" }) == Set(helped.map(String.init)))
    }
}
