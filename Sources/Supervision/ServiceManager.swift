internal import CSystemd
internal import Glibc

/// What the daemon and systemd tell each other (sd_notify(3), sd_listen_fds(3)). All of it is nothing where another
/// program started the daemon.
public enum ServiceManager {
    /// Start-up is over.
    public static func ready(status: String) { notify("READY=1\nSTATUS=\(status)") }

    /// One line for `systemctl status`.
    public static func report(status: String) { notify("STATUS=\(status)") }

    /// A reload has begun; `reloaded` must follow, or systemd waits for it.
    ///
    /// The time stamp is CLOCK_MONOTONIC: `Type=notify-reload` (systemd 253) wants it, `Type=notify` takes no notice.
    public static func reloading() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        notify("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1_000)")
    }

    /// A reload is over, whatever came of it.
    public static func reloaded(status: String) { notify("READY=1\nSTATUS=\(status)") }

    /// The orderly end has begun.
    public static func stopping() { notify("STOPPING=1") }

    /// All is well.
    public static func feedWatchdog() { notify("WATCHDOG=1") }

    private static func notify(_ state: String) { _ = sd_notify(0, state) }

    /// How long the watchdog waits, or nil where there is none.
    public static var watchdogInterval: Duration? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0, microseconds > 0 else { return nil }
        return .microseconds(Int64(min(microseconds, 1 << 50)))
    }

    /// The listening Unix stream socket that systemd passed, or nil. Others that it passed are closed.
    ///
    /// Call once, before anything else opens descriptors; the environment is cleared of it.
    public static func takeListeningSocket() -> Int32? {
        let count = sd_listen_fds(1)
        guard count > 0 else { return nil }
        var found: Int32?
        for descriptor in 3..<(3 + count) {
            let isOurs = sd_is_socket(descriptor, AF_UNIX, Int32(SOCK_STREAM.rawValue), 1) > 0
            if isOurs, found == nil { found = descriptor } else { close(descriptor) }
        }
        return found
    }
}
