import EventLoop
import Supervision
import Testing

@DaemonActor private final class Seen {
    var loop: UInt64?
    var network: UInt64? = 1
    var fed = 0
    var standing: [String] = []
}

@Suite("Watchdog") struct WatchdogTests {
    init() { EventLoop.shared.runInBackground() }

    @Test("It is fed only while every source moves or nothing is expected of it")
    @DaemonActor func feeding() {
        let seen = Seen()
        let watchdog = Watchdog(
            sources: [
                Watchdog.Source(name: "audio loop") { seen.loop },
                Watchdog.Source(name: "network thread") { seen.network },
            ], feed: { seen.fed += 1 }, complain: { seen.standing.append($0) })
        watchdog.check()
        #expect(seen.fed == 1)
        seen.network = 2
        watchdog.check()
        #expect(seen.fed == 2)
        seen.loop = 7
        seen.network = 3
        watchdog.check()
        #expect(seen.fed == 3)
        seen.network = 4
        watchdog.check()
        #expect(seen.fed == 3)
        #expect(seen.standing == ["audio loop"])
        seen.loop = 8
        seen.network = 5
        watchdog.check()
        #expect(seen.fed == 4)
        seen.loop = nil
        seen.network = 6
        watchdog.check()
        watchdog.check()
        #expect(seen.fed == 5)
        #expect(seen.standing == ["audio loop", "network thread"])
    }
}

@Suite("Log") struct LogTests {
    @Test("What a peer sent cannot forge lines or colours")
    func controlCharacters() {
        #expect(Log.printable("a\r\nb\u{1B}[31m\u{7F}\u{9B}") == "a\u{240D}\u{240A}b\u{241B}[31m\u{2421}\u{2421}")
        #expect(Log.printable(String(repeating: "x", count: 5_000)).count == 2_048)
    }

    @Test("Without systemd there is no socket and no watchdog")
    func alone() {
        #expect(ServiceManager.takeListeningSocket() == nil)
        #expect(ServiceManager.watchdogInterval == nil)
    }
}
