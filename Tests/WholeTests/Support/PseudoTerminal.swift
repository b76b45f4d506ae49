import Glibc
import TerminalScreen

/// A program that runs on a terminal, which the test looks at and types on.
final class PseudoTerminal {
    private(set) var screen: TerminalScreen
    private let master: Int32
    private let identifier: pid_t
    private var status: Int32?

    /// Starts `program` (a path) as the leader of a session of its own on a new terminal.
    init(
        _ program: String, _ arguments: [String], columns: Int = 100, rows: Int = 30,
        environment: [String: String] = ["TERM": "xterm", "LC_ALL": "C.UTF-8"]
    ) throws {
        screen = TerminalScreen(columns: columns, rows: rows)
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        // TIOCGPTN and TIOCSPTLCK of pts(4), which Swift cannot import.
        var (number, locked): (UInt32, Int32) = (0, 0)
        guard master >= 0, ioctl(master, 0x8004_5430, &number) == 0, ioctl(master, 0x4004_5431, &locked) == 0 else {
            throw SupportError("no terminal can be made")
        }
        let name = "/dev/pts/\(number)"
        Self.setSize(master, columns, rows)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // POSIX_SPAWN_SETSID, which Swift cannot import either.
        posix_spawnattr_setflags(&attributes, 0x80)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that the leader of a session opens is its controlling terminal.
        posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var child = pid_t()
        let argv = ([program] + arguments).map { strdup($0) } + [nil]
        // Where the program is built with a sanitizer, its report belongs into a file, not onto the screen.
        let sanitizers = ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"].compactMap { (name: String) in
            getenv(name).map { value in (name, String(cString: value)) }
        }
        let whole = environment.merging(sanitizers) { own, _ in own }
        let envp = whole.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        let code = posix_spawn(&child, program, &actions, &attributes, argv, envp)
        guard code == 0 else { throw SupportError("cannot start \(program): \(String(cString: strerror(code)))") }
        identifier = child
    }

    deinit {
        if poll() == nil {
            kill(identifier, SIGKILL)
            waitpid(identifier, nil, 0)
        }
        close(master)
    }

    private static func setSize(_ descriptor: Int32, _ columns: Int, _ rows: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
    }

    func type(_ text: String) { _ = text.withCString { write(master, $0, strlen($0)) } }

    func send(_ signal: Int32) { kill(identifier, signal) }

    func resize(columns: Int, rows: Int) {
        pump()
        screen.resize(columns: columns, rows: rows)
        Self.setSize(master, columns, rows)
    }

    /// Shows what has been written since; returns how many bytes.
    @discardableResult
    func pump() -> Int {
        var total = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = read(master, &buffer, buffer.count)
            guard count > 0 else { return total }
            screen.feed(Array(buffer[..<count]))
            total += count
        }
    }

    /// Waits until `text` is on the screen.
    func expect(_ text: String, seconds: Double = 10) throws {
        do {
            _ = try eventually("\"\(text)\" is on the screen", within: seconds) { contains(text) ? true : nil }
        } catch {
            throw SupportError("\(error); it shows\n\(screen.text)")
        }
    }

    func contains(_ text: String) -> Bool {
        pump()
        return screen.text.contains(text)
    }

    /// Whether it has been stopped by a signal since the last time this was asked.
    func hasStopped() -> Bool {
        var raw: Int32 = 0
        return waitpid(identifier, &raw, WNOHANG | WUNTRACED) == identifier && raw & 0xFF == 0x7F
    }

    /// As of `ChildProcess`.
    func poll() -> Int32? {
        if let status { return status }
        var raw: Int32 = 0
        guard waitpid(identifier, &raw, WNOHANG) == identifier else { return nil }
        status = raw & 0x7F == 0 ? raw >> 8 & 0xFF : 128 + raw & 0x7F
        return status
    }

    func waitForEnd() throws -> Int32 {
        try eventually("the program has ended") {
            pump()
            return poll()
        }
    }

    /// How often its threads have gone to sleep so far.
    var wakeUps: Int {
        guard let folder = opendir("/proc/\(identifier)/task") else { return 0 }
        defer { closedir(folder) }
        var total = 0
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard Int(name) != nil else { continue }
            let line = readText("/proc/\(identifier)/task/\(name)/status").split(separator: "\n").first {
                $0.hasPrefix("voluntary_ctxt_switches:")
            }
            total += line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0
        }
        return total
    }

    /// Whether the terminal shows what is typed, and gives it in lines.
    var isCooked: Bool {
        var settings = termios()
        tcgetattr(master, &settings)
        return settings.c_lflag & tcflag_t(ECHO | ICANON) == tcflag_t(ECHO | ICANON)
    }
}
