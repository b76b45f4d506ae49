import Glibc

/// A sipp that plays one scenario of `Scenarios`, once.
final class Sipp {
    let port: Int
    let process: ChildProcess
    private let folder: ScratchFolder

    static var isInstalled: Bool { ChildProcess.exists("sipp") }

    private static let tests = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
        .joined(separator: "/")

    var uri: String { "sip:sipp@127.0.0.1:\(port)" }

    /// - Parameter values: what stands for `@name@` in the scenario.
    /// - Parameter target: port of the endpoint under test, where sipp begins.
    init(_ scenario: String, _ values: [String: String] = [:], target: Int? = nil) throws {
        var text = readText("\(Self.tests)/Scenarios/\(scenario).xml")
        for (name, value) in values {
            text = text.split(separator: "@\(name)@", omittingEmptySubsequences: false).joined(separator: value)
        }
        folder = try ScratchFolder()
        try writeFile("\(folder.path)/scenario.xml", Array(text.utf8))
        port = try FreePorts.take()
        var arguments = ["-sf", "\(folder.path)/scenario.xml", "-i", "127.0.0.1", "-p", "\(port)", "-m", "1"]
        arguments += [
            "-nostdin", "-deadcall_wait", "0", "-trace_msg", "-message_file", "\(folder.path)/messages", "-timeout",
            "25", "-timeout_error", "-trace_err", "-error_file", "\(folder.path)/errors",
        ]
        if let target { arguments.append("127.0.0.1:\(target)") }
        process = try ChildProcess("sipp", arguments, log: "\(folder.path)/log")
    }

    /// Where the endpoint under test expects sound: the port of its first offer or answer.
    func soundPort() throws -> Int {
        try eventually("the endpoint says where it expects sound") {
            let text = readText("\(folder.path)/messages")
            guard let range = text.firstRange(of: "m=audio ") else { return nil }
            return Int(text[range.upperBound...].prefix { $0.isNumber })
        }
    }

    /// Waits until the scenario is over; throws where it did not go as it says.
    func finish() throws {
        let status = process.wait(seconds: 30)
        guard status != 0 else { return }
        let end = status.map { "ended with \($0): \(readText("\(folder.path)/errors"))" } ?? "does not end"
        throw SupportError(
            "sipp \(end)\nwhat it saw:\n\(readText("\(folder.path)/messages"))\(process.output.suffix(2_000))")
    }
}
