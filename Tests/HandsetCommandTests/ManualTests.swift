import CallModel
import ControlProtocol
import FoundationEssentials
import Glibc
import Screening
import Testing

@testable import HandsetCommand

/// A page of the manual, as it is written.
struct ManualPage {
    let text: String

    /// - Parameter name: such as `handset.1`.
    init(_ name: String) throws {
        let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(
            separator: "/")
        text = try String(contentsOfFile: "\(folder)/doc/man/\(name)", encoding: .utf8)
    }

    /// The lines between the heading `.Sh title` and the next one.
    func section(_ title: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let rest = lines.drop { $0 != ".Sh \(title)" }.dropFirst()
        return rest.prefix { !$0.hasPrefix(".Sh ") }.joined(separator: "\n")
    }

    /// Whether it has `word`, not as a part of another one.
    func names(_ word: String) -> Bool {
        text.split { !($0.isLetter || $0.isNumber || $0 == ".") }.contains { found in
            found.drop { $0 == "." } == word || found.drop { $0 == "." }.dropLast() == word && found.last == "."
        }
    }
}

@Suite("The manual names all there is, and nothing else") struct ManualTests {
    @Test("handset(1) has every command with its options, and no other")
    func commands() throws {
        let page = try ManualPage("handset.1")
        let heads = page.section("COMMANDS").split(separator: "\n").filter { $0.hasPrefix(".It Cm ") }
        var described: Set<String> = []
        for head in heads {
            // `.It Cm mute Oo Ar CALL Oc , Cm unmute Op Ar CALL`
            for part in head.dropFirst(".It ".count).split(separator: " , ") {
                if let name = part.split(separator: " ").dropFirst().first { described.insert(String(name)) }
            }
        }
        #expect(described == Set(CommandHelp.entries.map(\.name)))
        for entry in CommandHelp.entries {
            let head = heads.first { $0.split(separator: " ").contains(Substring(entry.name)) } ?? ""
            for option in Synopsis(entry.synopsis).options {
                #expect(head.contains("Fl -\(option.name.dropFirst(2))"), "\(entry.name) \(option.name)")
                if let value = option.value { #expect(head.contains("Ar \(value)"), "\(entry.name) \(option.name)") }
            }
        }
    }

    @Test("handset(1) has every key of the monitor, and no other")
    func keys() throws {
        let heads = try ManualPage("handset.1").section("THE MONITOR").split(separator: "\n").filter {
            $0.hasPrefix(".It Ic ")
        }
        let keys = heads.map { String($0.dropFirst(7)).replacing(" , ", with: ", ").replacing("\\&", with: "") }
        #expect(keys == MonitorKey.all.map(\.name))
    }

    @Test("handset-control(7) has every method, event, reason and member")
    func protocolWords() throws {
        let page = try ManualPage("handset-control.7")
        let words =
            ControlMethod.allCases.map(\.rawValue) + ControlEvent.Kind.allCases.map(\.rawValue)
            + FailureReason.allCases.map(\.rawValue) + EndReason.plain.map(\.word) + ["failed"]
            + CallState.allCases.map(\.rawValue)
        for word in words { #expect(page.names(word), "\(word)") }
        let call = CallSnapshot(
            id: CallID(), direction: .incoming, state: .connected, handle: Handle(kind: .generic, value: "a"))
        var status = DaemonStatus(version: "", instance: "")
        status.accounts = [AccountInfo(name: "", state: "", reachable: true)]
        status.strangers = [StrangerInfo(address: "", count: 0, advice: "")]
        status.problems = [ProblemInfo(setting: "", message: "")]
        let device = DeviceInfo(name: "", description: "", capture: true, playback: true, open: true)
        var loop = LoopFigures()
        let xrun = XrunReport(cause: .card, age: 0, lateMilliseconds: 0, aheadMilliseconds: 0, isPlayback: true)
        loop.lastXrun = LoopFigures.LastXrun(xrun, now: Date())
        for cause in XrunReport.Cause.allCases { #expect(page.names(cause.rawValue), "\(cause)") }
        var probe = ProbeReport(handle: call.handle)
        probe.heard = ProbeReport.Heard()
        let shapes: [JSONValue] = [
            probe.json,
            call.json, status.json, device.json, ReloadReport(applied: [], needRestart: []).json,
            StatisticsReport(calls: [CallFigures(id: CallID())], loop: loop).json,
            ActionResult(call: call, changed: true, elapsedMs: 0, appliedMs: 0, peerNotified: true).json,
            DoNotDisturbInfo(on: true, scheduled: true, saved: true).json, ListChange(changed: true, saved: true).json,
            BlockReport(handles: [], configured: [], files: [ListFileInfo(path: "", entries: 0)]).json,
            ContactsReport(entries: [.init(contact: Contact(name: "", handles: []), file: nil)], files: []).json,
            HistoryEntry(call: call, missed: true, seen: true).json, VolumeInfo(capture: 0, playback: 0).json,
        ]
        for shape in shapes { for name in members(shape) { #expect(page.names(name), "\(name)") } }
    }

    private func members(_ value: JSONValue) -> [String] {
        switch value {
        case .object(let object): object.members.flatMap { [$0.name] + members($0.value) }
        case .array(let elements): elements.flatMap(members)
        case .null, .bool, .integer, .number, .string: []
        }
    }

    @Test("handset-control(7) names no method and no event that there is not")
    func nothingElse() throws {
        let known = Set(ControlMethod.allCases.map(\.rawValue) + ControlEvent.Kind.allCases.map(\.rawValue))
        let groups = Set(known.compactMap { $0.split(separator: ".").first.map(String.init) })
        // Settings and members that are written alike.
        let others: Set = [
            "data.reason", "data.sipStatus", "audio.state", "block.files", "call.handle", "call.id",
            "recording.directory",
        ]
        let words = try ManualPage("handset-control.7").text.split { !($0.isLetter || $0 == ".") }
        for word in words {
            let parts = word.split(separator: ".")
            guard parts.count == 2, let group = parts.first, groups.contains(String(group)) else { continue }
            let name = parts.joined(separator: ".")
            #expect(known.contains(name) || others.contains(name), "\(name)")
        }
    }

    @Test("The pages are well formed", .enabled(if: access("/usr/bin/mandoc", X_OK) == 0))
    func lint() throws {
        let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(
            separator: "/")
        let pipe = try #require(popen("cd '\(folder)/doc/man' && mandoc -Tlint -Wwarning *.[1578] 2>&1", "r"))
        defer { pclose(pipe) }
        var (buffer, output) = ([CChar](repeating: 0, count: 4_096), "")
        while fgets(&buffer, Int32(buffer.count), pipe) != nil {
            output += String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        #expect(output.isEmpty, "\(output)")
    }
}
