import EventLoop
import Supervision
import Testing

@Suite("Watchdog") struct WatchdogTests {
    init() { EventLoop.shared.runInBackground() }

    @Test("It is fed only while every source moves or nothing is expected of it")
    @DaemonActor func feeding() {
        var loop: UInt64? = nil
        var network: UInt64? = 1
        var fed = 0
        var standing: [String] = []
        let watchdog = Watchdog(
            sources: [
                Watchdog.Source(name: "audio loop") { loop },
                Watchdog.Source(name: "network thread") { network },
            ], feed: { fed += 1 }, complain: { standing.append($0) })
        watchdog.check()
        #expect(fed == 1)
        network = 2
        watchdog.check()
        #expect(fed == 2)
        loop = 7
        network = 3
        watchdog.check()
        #expect(fed == 3)
        network = 4
        watchdog.check()
        #expect(fed == 3)
        #expect(standing == ["audio loop"])
        loop = 8
        network = 5
        watchdog.check()
        #expect(fed == 4)
        loop = nil
        network = 6
        watchdog.check()
        watchdog.check()
        #expect(fed == 5)
        #expect(standing == ["audio loop", "network thread"])
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
