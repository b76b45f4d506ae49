internal import CLinux
internal import CallModel
internal import ControlProtocol
internal import Glibc
internal import HandsetKit

/// The `handset` command.
public enum HandsetProgram {
    /// Carries out the command line (without the program's name) and returns the exit status.
    public static func run(_ arguments: [String]) async -> Int32 {
        let terminal = Terminal.standard
        do throws(Failure) {
            let invocation = try Invocation(parsing: arguments)
            switch invocation.action {
            case .help(let topic): try terminal.write(CommandHelp.text(topic))
            case .version: try terminal.write("handset \(handsetVersion)\n")
            case .run(.complete(let words)):
                try await Completion.print(words, socket: invocation.socket, terminal)
            case .run(let command):
                let handset = try await connect(invocation.socket, for: command)
                if command == .doctor { return try await Doctor.run(handset, json: invocation.json, terminal) }
                try await Runner(handset: handset, terminal: terminal, json: invocation.json).run(command)
            }
            return 0
        } catch {
            guard !error.message.isEmpty else { return error.status }
            let lines = error.message.split(separator: "\n", omittingEmptySubsequences: false).map {
                Table.printable(String($0))
            }
            terminal.writeError("handset: \(lines.joined(separator: "\n"))\n")
            return error.status
        }
    }

    /// One request, one answer: who waits for a daemon to come back is the monitor alone.
    private static func connect(_ socket: String?, for command: Command) async throws(Failure) -> Handset {
        do throws(HandsetError) {
            return try await .connect(to: socket, reconnection: command == .monitor ? .persistent() : .never)
        } catch {
            throw Failure(error)
        }
    }
}

/// Where text goes.
struct Terminal {
    /// Throws where it cannot be written, so that nobody takes what is missing for all there is.
    var write: @Sendable (String) throws(Failure) -> Void
    var writeError: @Sendable (String) -> Void
    /// Whether a person sits there, at a terminal that one can draw on.
    var isInteractive: Bool
    /// Where text goes to a terminal: its width. nil elsewhere, where a program may read it.
    var room: Table.Room?
    /// Has the first SIGINT, SIGTERM or SIGHUP call what it is given, in place of its usual effect.
    var onSignal: @Sendable (@escaping @Sendable (Int32) -> Void) throws(Failure) -> Void = { _ in }

    static var standard: Terminal {
        Terminal(
            write: { text throws(Failure) in try print(text) }, writeError: { _ = put($0, STDERR_FILENO) },
            isInteractive: LiveTerminal.isThere(kind: variable("TERM")), room: outputRoom,
            onSignal: { body throws(Failure) in try Interruption.watch(body) })
    }

    private static var outputRoom: Table.Room? {
        var (columns, rows): (Int32, Int32) = (0, 0)
        guard isatty(STDOUT_FILENO) == 1, clinux_terminal_size(STDOUT_FILENO, &columns, &rows) == 0, columns > 0 else {
            return nil
        }
        return Table.Room(columns: Int(columns), ellipsis: Look(environment: variable).ellipsis)
    }

    /// A variable of the environment.
    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    private static func print(_ text: String) throws(Failure) {
        let code = put(text, STDOUT_FILENO)
        guard code != 0 else { return }
        // Who reads no further has what was wanted; SIGPIPE, where it is not ignored, says no more either.
        throw Failure(
            status: 1, message: code == EPIPE ? "" : "standard output: \(String(cString: strerror(code)))")
    }

    /// Writes all of it, however long that takes; returns 0, or the error's number.
    private static func put(_ text: String, _ descriptor: Int32) -> Int32 {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            let code = count < 0 ? errno : EIO
            if code == EAGAIN {
                // Another process that shares the descriptor does not want to wait; we do.
                var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&polled, 1, -1)
            } else if code != EINTR {
                return code
            }
        }
        return 0
    }
}
