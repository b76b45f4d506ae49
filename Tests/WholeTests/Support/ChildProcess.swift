import Glibc
import Synchronization
import TestFiles

/// A program under test. It dies with the test: `stop` ends it, and so does letting it go.
final class ChildProcess {
    let identifier: pid_t
    /// Where what it writes to stdout and stderr goes.
    let log: String
    private var status: Int32?
    /// Whether it has a process group of its own, all of which ends with it: for a program that leaves children behind.
    private let leadsGroup: Bool

    /// Starts `program` (a path, or a name looked up in PATH) with its output in the file `log`.
    ///
    /// - Parameter errors: the file for its stderr; nil: `log`, too.
    init(
        _ program: String, _ arguments: [String], log: String, errors: String? = nil,
        environment: [String: String] = [:], leadsGroup: Bool = false
    ) throws {
        self.log = log
        self.leadsGroup = leadsGroup
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        if leadsGroup {
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
            posix_spawnattr_setpgroup(&attributes, 0)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        if let errors {
            posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        } else {
            posix_spawn_file_actions_adddup2(&actions, 1, 2)
        }
        var variables: [String] = []
        var entry = environ
        while let text = entry.pointee {
            let variable = String(cString: text)
            if !environment.keys.contains(where: { variable.hasPrefix("\($0)=") }) { variables.append(variable) }
            entry += 1
        }
        for (name, value) in environment { variables.append("\(name)=\(value)") }
        var child = pid_t()
        let argv = ([program] + arguments).map { strdup($0) } + [nil]
        let envp = variables.map { strdup($0) } + [nil]
        defer { for text in argv + envp { free(text) } }
        let code = posix_spawnp(&child, program, &actions, &attributes, argv, envp)
        guard code == 0 else { throw SupportError("cannot start \(program): \(String(cString: strerror(code)))") }
        identifier = child
    }

    deinit { stop() }

    /// The exit status, 128 + the number of the signal that ended it, or nil while it runs.
    func poll() -> Int32? {
        if let status { return status }
        var raw: Int32 = 0
        guard waitpid(identifier, &raw, WNOHANG) == identifier else { return nil }
        status = raw & 0x7F == 0 ? raw >> 8 & 0xFF : 128 + raw & 0x7F
        return status
    }

    func send(_ signal: Int32) { if poll() == nil { kill(identifier, signal) } }

    /// Waits for its end, at most `seconds`; nil where it still runs then.
    func wait(seconds: Double) -> Int32? {
        let deadline = deadline(after: seconds)
        while monotonicSeconds() < deadline {
            if let status = poll() { return status }
            usleep(10_000)
        }
        return poll()
    }

    /// Asks it to end, and makes it.
    func stop() {
        send(SIGTERM)
        if wait(seconds: 4) == nil {
            send(SIGKILL)
            _ = wait(seconds: 2)
        }
        if leadsGroup { kill(-identifier, SIGKILL) }
    }

    var output: String { readText(log) }

    /// Whether a program of that name can be started.
    static func exists(_ program: String) -> Bool {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        return (path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"]).contains {
            access("\($0)/\(program)", X_OK) == 0
        }
    }
}

struct SupportError: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}

func monotonicSeconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

/// How many times longer, or more often, than the product a program may take for something: `HANDSET_TEST_PATIENCE`, for
/// programs that are built with a sanitizer; 1 otherwise.
var testPatience: Double {
    max(1, getenv("HANDSET_TEST_PATIENCE").flatMap { Double(String(cString: $0)) } ?? 1)
}

/// When to give up what should not take `seconds`.
func deadline(after seconds: Double) -> Double { monotonicSeconds() + seconds * testPatience }

/// Asks again and again until `condition` gives a value, for at most `seconds`.
func eventually<Value>(
    _ what: String, within seconds: Double = 10, _ condition: () throws -> Value?
) throws -> Value {
    let deadline = deadline(after: seconds)
    while true {
        if let value = try condition() { return value }
        guard monotonicSeconds() < deadline else { throw SupportError("not within \(seconds) s: \(what)") }
        usleep(10_000)
    }
}

func readText(_ path: String) -> String { String(decoding: readBytes(path), as: UTF8.self) }

func writeFile(_ path: String, _ bytes: [UInt8]) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard descriptor >= 0 else { throw SupportError("cannot write \(path)") }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { throw SupportError("cannot write \(path)") }
        rest = rest.dropFirst(count)
    }
}

/// A folder that is removed with its contents when its owner goes.
final class ScratchFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/handset-test.XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw SupportError("cannot make a folder in /tmp") }
        path = String(cString: made)
    }

    deinit { Self.remove(path) }

    private static func remove(_ path: String) {
        guard unlink(path) != 0, let folder = opendir(path) else { return }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { remove("\(path)/\(name)") }
        }
        closedir(folder)
        rmdir(path)
    }
}
