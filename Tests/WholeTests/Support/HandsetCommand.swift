import ControlProtocol

/// The command `handset`, run against one daemon.
final class HandsetCommand {
    /// What a run came to.
    struct Outcome {
        var status: Int32
        var output: String
        var errors: String

        /// The output as one JSON text.
        var json: JSONValue? { try? JSONValue(parsing: Array(output.utf8)) }
    }

    private let process: ChildProcess
    private let folder: ScratchFolder

    /// Starts it.
    init(_ arguments: [String], socket: String) throws {
        folder = try ScratchFolder()
        process = try ChildProcess(
            "\(Endpoint.programs)/handset", ["--socket", socket] + arguments, log: "\(folder.path)/output",
            errors: "\(folder.path)/errors")
    }

    /// Waits for its end.
    func finish(seconds: Double = 15) throws -> Outcome {
        guard let status = process.wait(seconds: seconds) else { throw SupportError("handset does not end") }
        return Outcome(status: status, output: process.output, errors: readText("\(folder.path)/errors"))
    }

    var isRunning: Bool { process.poll() == nil }

    var output: String { process.output }

    func send(_ signal: Int32) { process.send(signal) }

    func stop() { process.stop() }
}

extension Endpoint {
    /// Runs `handset` against it, to its end.
    func handset(_ arguments: String...) throws -> HandsetCommand.Outcome {
        try HandsetCommand(arguments, socket: socket).finish()
    }
}
