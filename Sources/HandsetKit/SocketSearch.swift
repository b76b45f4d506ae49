internal import Glibc
internal import Settings

/// Where the daemon's socket may be.
public enum SocketSearch {
    /// The places in which handsetd makes its socket, in the order in which they are to be tried.
    public static func paths() -> [String] {
        paths(
            configured: Settings.controlSocket(inFile: "/etc/handset/handset.toml"),
            own: OwnFolder.path(making: false), environment: { getenv($0).map { String(cString: $0) } })
    }

    /// - Parameters:
    ///   - configured: `control.socket` of the configuration; nil where it says nothing.
    ///   - own: the user's own folder, where it is there.
    static func paths(configured: String?, own: String? = nil, environment: (String) -> String?) -> [String] {
        func path(_ variable: String, _ suffix: String) -> String? {
            guard let value = environment(variable), value.hasPrefix("/") else { return nil }
            return value + suffix
        }
        let folders = [path("RUNTIME_DIRECTORY", ""), "/run/handset", path("XDG_RUNTIME_DIR", "/handset"), own]
        return [configured].compactMap { $0 } + folders.compactMap { $0.map { $0 + "/control.sock" } }
    }
}
