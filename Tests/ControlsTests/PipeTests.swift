import CallModel
import EventLoop
import Glibc
import Panel
import Testing

@testable import Controls

@Suite("Buttons and lights without hardware", .serialized, .timeLimit(.minutes(1))) struct PipeTests {
    init() { EventLoop.shared.runInBackground() }

    private func panel(_ folder: Folder) -> PanelConfiguration {
        var panel = PanelConfiguration()
        panel.eventPipe = "\(folder.path)/events"
        panel.ledFile = "\(folder.path)/leds"
        panel.hook = PanelHook(contact: .pipe)
        var button = PanelButton(name: "call", contact: .pipe, press: .answerOrHangUp)
        button.longPress = .reject
        button.longPressMilliseconds = 200
        panel.buttons = [
            button, PanelButton(name: "up", contact: .pipe, press: .volumeUp),
            PanelButton(name: "quiet", contact: .pipe, press: .silent),
        ]
        panel.leds = [PanelLED(name: "bell", patterns: [.ringing: .blinkFast, .missed: .flash])]
        return panel
    }

    @Test("Lines of the pipe press buttons and lift the handset")
    @DaemonActor func presses() async {
        let (folder, host) = (Folder(), FakeHost())
        let call = FakeHost.ringing()
        host.calls = [call]
        let controls = Controls(host: host)
        controls.configure(panel(folder))
        defer { controls.close() }
        put("press call\nrelease call\npress up\npress up\n", into: "\(folder.path)/events")
        #expect(await becomes { host.requests == [.answer(call.id)] && host.volumeChanges == [5, 5] })
        put("press quiet\n", into: "\(folder.path)/events")
        #expect(await becomes { host.isSilent })
        put("press quiet\n", into: "\(folder.path)/events")
        #expect(await becomes { !host.isSilent })
        put("press hook\npress hook\n", into: "\(folder.path)/events")
        #expect(await becomes { host.requests.count == 2 }, "lifted once, whatever is said twice")
        put("press call\n", into: "\(folder.path)/events")
        #expect(await becomes { host.requests.last == .reject(call.id, .declined) }, "kept pressed")
        #expect(host.problems == [])
    }

    @Test("A pipe that is removed or renamed is made again, also together with its folder")
    @DaemonActor func removed() async throws {
        let (folder, host) = (Folder(), FakeHost())
        let path = "\(folder.path)/events"
        let controls = Controls(host: host)
        controls.configure(panel(folder))
        defer { controls.close() }
        func isPipe() -> Bool {
            var status = stat()
            return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO && status.st_mode & 0o777 == 0o660
        }
        unlink(path)
        #expect(await becomes(isPipe))
        put("press up\n", into: path)
        #expect(await becomes { host.volumeChanges == [5] })
        // One that somebody else puts there in the same moment is taken as it is.
        rename(path, "\(folder.path)/plain")
        mkfifo(path, 0o600)
        #expect(await becomes { host.news.count == 2 })
        put("press up\n", into: path)
        #expect(await becomes { host.volumeChanges == [5, 5] })
        // Permissions are whoever's has the folder.
        chmod(path, 0o660)
        put("press up\n", into: path)
        #expect(await becomes { host.volumeChanges == [5, 5, 5] })
        for name in ["events", "leds", "plain"] { unlink("\(folder.path)/\(name)") }
        rmdir(folder.path)
        try await Task.sleep(for: .milliseconds(300))
        mkdir(folder.path, 0o700)
        #expect(await becomes(isPipe))
        put("press up\n", into: path)
        #expect(await becomes { host.volumeChanges == [5, 5, 5, 5] })
    }

    @Test("What is wrong in the pipe is told of once in a while, and the rest is taken")
    @DaemonActor func hostileLines() async {
        let (folder, host) = (Folder(), FakeHost())
        let controls = Controls(host: host)
        controls.configure(panel(folder))
        defer { controls.close() }
        let flood = String(repeating: "x", count: 3_000) + "\n" + String(repeating: "press nobody\n", count: 50)
        put(flood + "press up\n", into: "\(folder.path)/events")
        #expect(await becomes { host.volumeChanges == [5] })
        #expect(host.problems.count == 1)
    }

    @Test("A request that fails is told of, with what was pressed")
    @DaemonActor func failure() async {
        let (folder, host) = (Folder(), FakeHost())
        host.calls = [FakeHost.ringing()]
        host.failure = CallError(.invalidState, "It is too late.")
        let controls = Controls(host: host)
        controls.configure(panel(folder))
        defer { controls.close() }
        put("press hook\n", into: "\(folder.path)/events")
        #expect(await becomes { host.news == ["handset lifted: It is too late."] })
    }

    @Test("A file always holds what every light shows")
    @DaemonActor func file() async {
        let (folder, host) = (Folder(), FakeHost())
        let path = "\(folder.path)/leds"
        let controls = Controls(host: host)
        controls.configure(panel(folder))
        defer { controls.close() }
        #expect(await becomes { contents(of: path) == "bell off\n" })
        host.calls = [FakeHost.ringing()]
        controls.update()
        #expect(await becomes { contents(of: path) == "bell blink-fast\n" })
        host.calls = []
        host.missedCalls = 1
        controls.update()
        #expect(await becomes { contents(of: path) == "bell flash\n" })
    }

    @Test("Who opens a pipe of lights hears of all, then of each that changes; readers come and go")
    @DaemonActor func pipe() async throws {
        let (folder, host) = (Folder(), FakeHost())
        let path = "\(folder.path)/leds"
        mkfifo(path, 0o600)
        var panel = panel(folder)
        panel.leds.append(PanelLED(name: "busy", patterns: [.inCall: .on]))
        let controls = Controls(host: host)
        controls.configure(panel)
        defer { controls.close() }
        for _ in 0..<2 {
            // One who leaves and another who comes in the same moment cannot be told apart.
            try await Task.sleep(for: .milliseconds(50))
            let reader = open(path, O_RDONLY | O_NONBLOCK)
            defer { close(reader) }
            var heard = ""
            #expect(
                await becomes {
                    heard += taken(from: reader)
                    return heard == "bell off\nbusy off\n"
                })
            host.calls = [FakeHost.ringing()]
            controls.update()
            host.calls = []
            controls.update()
            #expect(
                await becomes {
                    heard += taken(from: reader)
                    return heard == "bell off\nbusy off\nbell blink-fast\nbell off\n"
                })
        }
        #expect(host.problems == [])
    }

    @Test("A path that is no pipe is left alone, and said to be none")
    @DaemonActor func noPipe() async {
        let (folder, host) = (Folder(), FakeHost())
        let path = "\(folder.path)/plain"
        close(open(path, O_WRONLY | O_CREAT, 0o600))
        put("keep me", into: path)
        var panel = PanelConfiguration()
        panel.eventPipe = path
        let controls = Controls(host: host)
        controls.configure(panel)
        defer { controls.close() }
        #expect(await becomes { host.problems.count == 1 })
        #expect(controls.problems == host.problems)
        #expect(contents(of: path) == "keep me")
        controls.configure(PanelConfiguration())
        #expect(controls.problems.isEmpty)
    }

    @Test("A device that is not there is told of once, and waited for")
    @DaemonActor func missingDevice() async throws {
        let host = FakeHost()
        var panel = PanelConfiguration()
        panel.buttons = [
            PanelButton(
                name: "a", contact: .key(PanelKey(device: "/nowhere/event0", code: 169)), press: .answer),
            PanelButton(name: "b", contact: .line(PanelLine(chip: "/nowhere/chip", line: "3")), press: .answer),
        ]
        let controls = Controls(host: host)
        controls.configure(panel)
        defer { controls.close() }
        #expect(await becomes { host.problems.count == 2 })
        try await Task.sleep(for: .milliseconds(900))
        #expect(host.problems.count == 2)
        #expect(host.problems.allSatisfy { $0.contains("there is no such device") })
    }
}
