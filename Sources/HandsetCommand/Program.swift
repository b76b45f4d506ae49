internal import CallModel
internal import ControlProtocol
internal import Glibc
internal import Settings

/// The `handset` command.
public enum HandsetProgram {
    /// Carries out the command line (without the program's name) and returns the exit status.
    public static func run(_ arguments: [String]) -> Int32 {
        let terminal = Terminal.standard
        do throws(Failure) {
            let invocation = try Invocation(parsing: arguments)
            switch invocation.action {
            case .help(let topic): terminal.write(CommandHelp.text(topic))
            case .version: terminal.write("handset \(handsetVersion)\n")
            case .run(let command):
                let paths = SocketSearch.paths(
                    option: invocation.socket,
                    configured: Settings.controlSocket(inFile: "/etc/handset/handset.toml"),
                    own: OwnFolder.path(making: false),
                    environment: { getenv($0).map { String(cString: $0) } })
                if command == .doctor { return try Doctor.run(paths, json: invocation.json, terminal) }
                let connection = try Connection.open(paths)
                try Runner(daemon: connection, terminal: terminal, json: invocation.json).run(command)
            }
            return 0
        } catch {
            let lines = error.message.split(separator: "\n", omittingEmptySubsequences: false).map {
                Table.printable(String($0))
            }
            terminal.writeError("handset: \(lines.joined(separator: "\n"))\n")
            return error.status
        }
    }
}

/// Where text goes.
struct Terminal {
    var write: (String) -> Void
    var writeError: (String) -> Void
    /// Whether a person looks at it.
    var isInteractive: Bool

    static var standard: Terminal {
        Terminal(
            write: { put($0, STDOUT_FILENO) }, writeError: { put($0, STDERR_FILENO) },
            isInteractive: isatty(STDOUT_FILENO) == 1)
    }

    private static func put(_ text: String, _ descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
