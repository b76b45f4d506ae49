internal import Glibc
internal import Settings

/// Where the daemon keeps its things, by the rules of systemd and of the XDG base directories.
public struct Places: Sendable {
    /// The configuration that is read where none is named.
    public static let defaultConfiguration = "/etc/handset/handset.toml"

    /// Looks up an environment variable: the process's own, except in tests.
    var environment: @Sendable (String) -> String?

    public init() {
        environment = { name in getenv(name).map { String(cString: $0) } }
    }

    init(environment: @escaping @Sendable (String) -> String?) {
        self.environment = environment
    }

    private func path(_ variable: String, _ suffix: String) -> String? {
        guard let value = environment(variable), value.hasPrefix("/") else { return nil }
        return value + suffix
    }

    /// Folders for the control socket, in the order they are tried.
    public var runtimeDirectories: [String] {
        [path("RUNTIME_DIRECTORY", ""), "/run/handset", path("XDG_RUNTIME_DIR", "/handset")].compactMap { $0 }
    }

    /// In the first folder that exists or can be made, and written to; else in one of this user's in `/tmp`. nil where
    /// that cannot be, either.
    public func socketPath() -> String? {
        for directory in runtimeDirectories {
            mkdir(directory, 0o755)
            if access(directory, W_OK | X_OK) == 0 { return directory + "/control.sock" }
        }
        return OwnFolder.path(making: true).map { $0 + "/control.sock" }
    }

    /// The folder for what lasts, made where it can be; nil where none can.
    public func stateDirectory(configured: String) -> String? {
        if !configured.isEmpty { return usable(configured) }
        let home = path("XDG_STATE_HOME", "/handset") ?? path("HOME", "/.local/state/handset")
        return [path("STATE_DIRECTORY", ""), "/var/lib/handset", home].compactMap { $0 }.lazy.compactMap(usable).first
    }

    private func usable(_ directory: String) -> String? {
        var made = directory.hasPrefix("/") ? "" : "."
        for part in directory.split(separator: "/") {
            made += "/" + part
            mkdir(made, 0o750)
        }
        return access(directory, W_OK | X_OK) == 0 ? directory : nil
    }
}
