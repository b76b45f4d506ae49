import FoundationEssentials
import HandsetDaemon
import Testing

@Suite("handsetd(8)") struct ManualTests {
    @Test("Names every option of the help, and no other")
    func options() throws {
        let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(
            separator: "/")
        let lines = try String(contentsOfFile: "\(folder)/doc/man/handsetd.8", encoding: .utf8).split(separator: "\n")
        let described = lines.filter { $0.hasPrefix(".It Fl -") }.compactMap {
            $0.split(separator: " ").dropFirst(2).first
        }
        let helped = DaemonOptions.help.split { $0.isWhitespace || "[]".contains($0) }.filter { $0.hasPrefix("--") }
        #expect(Set(described.map { "-\($0)" }) == Set(helped.map(String.init)))
    }
}
