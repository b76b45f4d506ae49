internal import ControlProtocol
internal import EventLoop
internal import Glibc
internal import Settings
internal import SoundDevices
internal import Supervision

/// The program handsetd.
public enum DaemonMain {
    /// Runs to the end and returns the exit status.
    ///
    /// - Parameter arguments: without the program's name.
    public static func run(_ arguments: [String]) -> Int32 {
        let options: DaemonOptions
        do throws(UsageError) { options = try DaemonOptions(parsing: arguments) } catch {
            complain("handsetd: \(error.message)\n\(DaemonOptions.help)")
            return 2
        }
        switch options.action {
        case .printHelp:
            return say(DaemonOptions.help)
        case .printVersion:
            return say("handsetd \(handsetVersion)")
        case .checkConfiguration, .run: break
        }
        let path = options.configuration ?? existingDefault
        let settings: Settings
        do throws(SettingsError) {
            if let path { settings = try Settings(contentsOf: path, mayBeGiven: true) } else { settings = Settings() }
        } catch {
            complain("\(error)")
            return 2
        }
        if options.action == .checkConfiguration { return check(settings, path) }
        return run(settings, path: path, options)
    }

    /// The default configuration, where there is one.
    static var existingDefault: String? {
        access(Places.defaultConfiguration, F_OK) == 0 ? Places.defaultConfiguration : nil
    }

    private static func check(_ settings: Settings, _ path: String?) -> Int32 {
        do throws(StartError) {
            _ = try settings.userAgentConfiguration()
            _ = try settings.mediaConfiguration(stateDirectory: nil)
            _ = try settings.listenAddresses()
        } catch {
            complain("\(path ?? "defaults"):1: \(error.message)")
            return 2
        }
        // The daemon starts without them.
        let missing = settings.missingFiles
        for problem in missing { complain("\(problem)") }
        return say("\(path ?? "defaults"): nothing \(missing.isEmpty ? "" : "else ")wrong")
    }

    private static func run(_ settings: Settings, path: String?, _ options: DaemonOptions) -> Int32 {
        SoundServerRole.announce()
        guard let signals = Signals.block() else {
            complain("handsetd: the kernel gives no signal descriptor: \(String(cString: strerror(errno)))")
            return 1
        }
        let inherited = ServiceManager.takeListeningSocket()
        let configured = settings.control.socket.isEmpty ? nil : settings.control.socket
        let socketPath = options.socket ?? (inherited == nil ? configured ?? Places().socketPath() : nil)
        let outcome = Outcome()
        Task { @DaemonActor in
            do throws(StartError) {
                let daemon = try Daemon(
                    settings, configurationPath: path, socketPath: socketPath,
                    inherited: options.socket == nil ? inherited : nil)
                outcome.keep(
                    daemon,
                    Signals(descriptor: signals, terminate: { daemon.stop() }, reload: { daemon.reload { _ in } }))
                daemon.start()
            } catch {
                Log.write(.error, error.message)
                outcome.status = error.usage ? 2 : 1
                EventLoop.shared.stop()
            }
        }
        EventLoop.shared.run()
        return outcome.status
    }

    /// Prints `text`; returns the exit status: 1 where it cannot be written.
    private static func say(_ text: String) -> Int32 {
        print(text)
        guard fflush(nil) != 0 else { return 0 }
        let code = errno
        // Who reads no further has what was wanted.
        if code != EPIPE { complain("handsetd: standard output: \(String(cString: strerror(code)))") }
        return 1
    }

    private static func complain(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }
}

/// What the event loop leaves behind. `@unchecked`: touched by the loop's thread, which is the main one.
private final class Outcome: @unchecked Sendable {
    var status: Int32 = 0
    private var parts: (Daemon, Signals)?

    @DaemonActor func keep(_ daemon: Daemon, _ signals: Signals) { parts = (daemon, signals) }
}
