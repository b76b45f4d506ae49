import CallModel
import ControlProtocol
import FoundationEssentials
import Testing

@testable import HandsetCommand

@Suite("Reports") struct ReportsTests {
    private func call(_ id: String) throws -> CallSnapshot {
        var call = CallSnapshot(
            id: try #require(CallID(id)), direction: .outgoing, state: .connected,
            handle: Handle(kind: .generic, value: "sip:ann@example.com"))
        call.connectedAt = Date(timeIntervalSince1970: 1_000)
        call.codec = "opus"
        return call
    }

    @Test("Calls stand in columns, with names as long as needed to tell them apart")
    func calls() throws {
        var first = try call("0b5e3c1c-5c1d-4a26-9d6a-6c9d9e6a4f01")
        first.held = true
        first.displayName = "Ann"
        let second = try call("0b5e3c1c-5c2d-4a26-9d6a-6c9d9e6a4f01")
        let text = Reports.calls([first, second], now: Date(timeIntervalSince1970: 1_065))
        #expect(
            text == """
                CALL          STATE      WITH                       ACCOUNT  SWITCHES  CODEC  SECURITY  TIME
                0b5e3c1c-5c1  held       Ann <sip:ann@example.com>  -        held      opus   -         1:05
                0b5e3c1c-5c2  connected  sip:ann@example.com        -        -         opus   -         1:05
                """)
        #expect(Reports.calls([]) == "no calls")
    }

    @Test("On a terminal rows fit its width, and what is longest is cut; elsewhere all of it is shown")
    func width() throws {
        var call = try call("0b5e3c1c-5c1d-4a26-9d6a-6c9d9e6a4f01")
        let name = String(repeating: "x", count: 300)
        call.displayName = name
        let entry = HistoryEntry(call: call, missed: false, seen: true)
        let room = Table.Room(columns: 100, ellipsis: "…")
        for text in [Reports.calls([call], in: room), Reports.history([entry], in: room)] {
            #expect(text.split(separator: "\n").allSatisfy { TextWidth.columns(String($0)) <= 100 }, "\(text)")
            #expect(text.contains("xxx…  ") && text.contains("WITH"), "\(text)")
        }
        for text in [Reports.calls([call]), Reports.history([entry])] { #expect(text.contains(name)) }
        // Of a terminal that is too narrow for anything, something is left to read.
        #expect(Reports.calls([call], in: Table.Room(columns: 5, ellipsis: "…")).contains("xxx…"))
    }

    @Test("What strangers write cannot steer the terminal")
    func hostileNames() throws {
        var call = try call("0b5e3c1c-5c1d-4a26-9d6a-6c9d9e6a4f01")
        call.displayName = "\u{1B}[2J\u{7}\u{202E}x\u{9B}1m\ny"
        let line = EventLine.text(ControlEvent.callIncoming(call).params(seq: 1, time: Date()))
        let result = ActionResult(call: call, changed: true, elapsedMs: 1)
        for text in [Reports.calls([call]), line, Reports.action(result)] {
            #expect(!text.contains("\u{1B}") && !text.contains("\u{7}") && !text.contains("\u{202E}"))
            #expect(!text.contains("\u{9B}"))
        }
        #expect(!line.contains("\n"))
    }

    @Test(
        "Durations are read at a glance",
        arguments: [(0.0, "0:00"), (65, "1:05"), (3_661, "1:01:01"), (90_000, "1 d 1 h"), (-5, "0:00"), (.nan, "-")])
    func durations(seconds: Double, text: String) {
        #expect(Reports.duration(seconds) == text)
    }

    @Test(
        "Numbers have one digit after the point",
        arguments: [(1.25, "1.3"), (-20.04, "-20.0"), (0, "0.0"), (-0.01, "0.0")])
    func tenths(value: Double, text: String) {
        #expect(Reports.tenths(value) == text)
    }

    @Test("An action says what was done and how long it took")
    func action() throws {
        let call = try call("0b5e3c1c-5c1d-4a26-9d6a-6c9d9e6a4f01")
        let text = Reports.action(
            ActionResult(call: call, changed: false, elapsedMs: 12.34, appliedMs: 8, peerNotified: false))
        #expect(
            text
                == "0b5e3c1c-5c1d-4a26-9d6a-6c9d9e6a4f01  connected  sip:ann@example.com  12.3 ms, gates after 8.0 ms, "
                + "was so already, the remote party did not agree")
    }

    @Test("Of what was set and cannot be stored it is said that it is forgotten")
    func notStored() {
        func ringer(_ saved: Bool?) -> String? {
            Reports.reception(.ringerSet(silent: true), RingerInfo(silent: true, saved: saved).json)
        }
        #expect(ringer(nil) == "ringer: silent" && ringer(true) == "ringer: silent")
        #expect(ringer(false) == "ringer: silent; forgotten at the daemon's end")
        func doNotDisturb(_ saved: Bool?) -> String? {
            Reports.reception(.dndSet(on: true), DoNotDisturbInfo(on: true, scheduled: false, saved: saved).json)
        }
        #expect(doNotDisturb(nil) == "do not disturb: on" && doNotDisturb(true) == "do not disturb: on")
        #expect(doNotDisturb(false) == "do not disturb: on; forgotten at the daemon's end")
        let volume = Reports.volume(VolumeInfo(capture: 50, playback: 60))
        #expect(Reports.volume(VolumeInfo(capture: 50, playback: 60, saved: true)) == volume)
        #expect(
            Reports.volume(VolumeInfo(capture: 50, playback: 60, saved: false))
                == "\(volume)\nforgotten at the daemon's end")
    }

    @Test("Statistics show silence as silence and what is not known as such")
    func statistics() {
        let report = StatisticsReport(calls: [CallFigures(id: CallID())], loop: LoopFigures())
        let text = Reports.statistics(report)
        #expect(text.contains("silent"))
        #expect(text.contains("not known yet"))
        #expect(text.contains("quality      not known yet"))
        #expect(text.contains("gates        open"))
        var call = CallFigures(id: CallID())
        (call.mos, call.meanMos, call.lowestMos) = (4.41, 4.3, 2.96)
        (call.remote.lostPercent, call.remote.latePercent, call.remote.mos) = (3.14, 0, 3.9)
        (call.sent.redundant, call.received.recovered) = (7, 5)
        (call.playout.played, call.playout.duplicates, call.playout.reordered) = (90, 4, 3)
        (call.playout.discarded, call.playout.strays, call.playout.flushed) = (6, 2, 1)
        (call.delayMs.capture, call.delayMs.packet, call.delayMs.codec) = (5.2, 15, 6.5)
        (call.delayMs.network, call.delayMs.buffer, call.delayMs.playback) = (0.1, 2.5, 3)
        var loop = LoopFigures()
        loop.playbackFillMs = 2.5
        let xrun = XrunReport(
            cause: .lateWakeUp, age: 0, lateMilliseconds: 12.5, aheadMilliseconds: 2.5, isPlayback: true)
        loop.lastXrun = LoopFigures.LastXrun(xrun, now: Date())
        let measured = Reports.statistics(StatisticsReport(calls: [call], loop: loop))
        #expect(measured.contains("32.3 ms from mouth to ear, if the peer is as we are"))
        #expect(measured.contains("capture 5.2 + packet 15.0 + codec 6.5 + network 0.1 + buffer 2.5 + playback 3.0"))
        #expect(measured.contains("2.5 ms when a turn is due"))
        #expect(measured.contains("last xrun (playback) at ") && measured.contains(": the loop was woken 12.5 ms late"))
        #expect(measured.contains("MOS 4.4 of late, 4.3 on average, 3.0 at worst"))
        #expect(measured.contains("3.1 % lost, 0.0 % late, MOS 3.9"))
        #expect(measured.contains("7 with earlier sound once more"))
        #expect(measured.contains("0 lost, 5 recovered, 0 late"))
        #expect(measured.contains("90 packets played, 0 recovered, 4 duplicate, 3 reordered"))
        #expect(measured.contains("6 discarded, 2 strays, 1 flushed"))
        #expect(!measured.contains("foreign") && !measured.contains("not sent"))
        (call.sent.dropped, call.sent.failed) = (.max, 1)
        (call.received.foreign, call.received.outOfWindow, call.received.dropped) = (1, .max, .max)
        let refused = Reports.statistics(StatisticsReport(calls: [call], loop: loop))
        #expect(refused.contains("not sent: \(Int.max) dropped, 1 refused"))
        #expect(refused.contains("1 foreign, \(Int.max) out of window, \(Int.max) dropped"))
        #expect(Reports.statistics(StatisticsReport(calls: [], loop: LoopFigures())).hasPrefix("no calls with sound"))
        #expect(!measured.contains("loop of services"))
        var services = LoopFigures()
        (services.turns, services.periodMs, services.xruns) = (700, 10, 2)
        let skipped = XrunReport(
            cause: .suspended, age: 0, lateMilliseconds: 95, aheadMilliseconds: 0, isPlayback: false)
        services.lastXrun = LoopFigures.LastXrun(skipped, now: Date())
        let both = Reports.statistics(StatisticsReport(calls: [call], loop: loop, serviceLoop: services))
        #expect(both.contains("audio loop            0 turns"), "\(both)")
        #expect(both.contains("loop of services  700 turns of 10.0 ms, 2 xruns\n"), "\(both)")
        #expect(both.contains("last xrun (capture) at ") && both.contains(": the machine was suspended"))
    }

    @Test("Any figures of a call can be shown", arguments: [(0, 0, 0.0), (90, 10, 10), (-5, -1, 0), (.max, .max, 50)])
    func lost(received: Int, lost: Int, percent: Double) throws {
        #expect(Reports.lostPercent(received: received, lost: lost) == percent)
        var call = try call("0b5e3c1c-5c1d-4a26-9d6a-6c9d9e6a4f01")
        var quality = CallQuality()
        (quality.packetsReceived, quality.lost) = (received, lost)
        call.quality = quality
        let text = Reports.history([HistoryEntry(call: call, missed: false, seen: true)])
        #expect(text.contains("\(Reports.tenths(percent)) % lost"))
    }

    @Test("The history shows which calls were missed, and not seen yet, and of which there is a recording")
    func historyMarks() throws {
        var call = try call("0b5e3c1c-5c1d-4a26-9d6a-6c9d9e6a4f01")
        func row(missed: Bool, seen: Bool) -> String {
            Reports.history([HistoryEntry(call: call, missed: missed, seen: seen)])
        }
        #expect(!row(missed: false, seen: true).contains("recorded"))
        #expect(row(missed: true, seen: false).contains("missed *"))
        call.recording = "/var/lib/handset/recordings/a.opus"
        #expect(row(missed: false, seen: true).contains(", recorded  "))
    }

    @Test("Status names each account's trouble and who was dropped, with the line that lets it in")
    func status() {
        var status = DaemonStatus(version: "1", instance: "i")
        status.accounts = [AccountInfo(name: "office", state: "failed", reachable: true, lastError: "403 Forbidden")]
        status.strangers = [StrangerInfo(address: "192.0.2.7", count: 2, advice: "accept_from = [\"192.0.2.7\"]")]
        status.problems = [ProblemInfo(setting: "block.files", message: "/a: cannot be read")]
        let text = Reports.status(status)
        #expect(text.contains("403 Forbidden"))
        #expect(text.contains("PASSED OVER  WHY\nblock.files  /a: cannot be read"))
        #expect(text.contains("192.0.2.7     2         accept_from = [\"192.0.2.7\"]"))
    }

    @Test("Events are one line each, with what has changed")
    func events() throws {
        var call = try call("0b5e3c1c-5c1d-4a26-9d6a-6c9d9e6a4f01")
        call.endReason = .failed(status: 503, text: "Service Unavailable")
        func line(_ event: ControlEvent) -> Substring {
            EventLine.text(event.params(seq: 1, time: Date(timeIntervalSince1970: 0))).dropFirst(14)
        }
        #expect(
            line(.callUpdated(call, changed: ["muted", "codec", "capabilities"]))
                == "call.updated            0b5e3c1c  sip:ann@example.com  muted=false, codec=opus, capabilities")
        #expect(line(.callEnded(call)).hasSuffix("failed: SIP 503: Service Unavailable"))
        #expect(line(.audioActivated) == "audio.activated")
        let stranger = StrangerInfo(address: "192.0.2.7", count: 1, advice: "accept_from = [\"192.0.2.7\"]")
        #expect(line(.requestDropped(stranger)).hasSuffix("to let it in: accept_from = [\"192.0.2.7\"]"))
        #expect(EventLine.text(["type": "new.thing", "x": "y"]).hasSuffix("{\"type\":\"new.thing\",\"x\":\"y\"}"))
    }

    @Test("A side that is a file, or none, needs no sound card; the other one may")
    func sidesWithoutCards() {
        func grade(_ capture: String, _ playback: String, _ devices: [DeviceInfo] = []) -> Doctor.Grade {
            var audio = AudioInfo()
            (audio.capture, audio.playback) = (capture, playback)
            return Doctor.sound(devices, used: audio).grade
        }
        // As it is shown while there is no session, and while there is one.
        for (capture, playback) in [
            ("file:in.wav,", "file:in.wav,"), ("file:in.wav,", "discarded"), ("silence", "file:,out.wav"),
            ("silence", "discarded"),
        ] { #expect(grade(capture, playback) == .good) }
        #expect(grade("file:in.wav,", "alsa:default") == .bad)
        let speaker = DeviceInfo(
            name: "alsa:hw:CARD=Bell", description: "", capture: false, playback: true, open: false)
        #expect(grade("file:in.wav,", "alsa:hw:CARD=Bell", [speaker]) == .good)
        #expect(grade("alsa:default", "alsa:hw:CARD=Bell", [speaker]) == .bad)
    }

    @Test("The doctor names what does not last, and what the daemon goes on without, each with what to do")
    func doctorOnFiles() {
        var status = DaemonStatus(version: handsetVersion, instance: "i")
        status.records = RecordsInfo(path: "/var/lib/handset/records.db")
        #expect(Doctor.checks(status).first { $0.name == "records" }?.finding == "/var/lib/handset/records.db")
        status.records.problem = "/var/lib/handset/records.db: cannot record call 1: the disk is full"
        status.problems = ["block.files", "contacts.files", "audio.ring_tone", "contacts", "controls"].map {
            ProblemInfo(setting: $0, message: "/x of \($0)")
        }
        let bad = Doctor.checks(status).filter { $0.grade == .bad }
        #expect(bad.map(\.name) == ["records"] + status.problems.map(\.setting))
        #expect(bad.first?.finding == status.records.problem)
        #expect(bad.dropFirst().map(\.finding) == status.problems.map(\.message))
        #expect(bad.allSatisfy { !$0.advice.isEmpty })
    }

    @Test(
        "Its advice is about what the setting names",
        arguments: [
            ("calls.hold_music", "sound file"), ("audio.devices", "make the file"),
            ("recording.directory", "may write to"), ("recording.keep_mib", "may write to"),
            ("block.files", "correct the file"),
        ])
    func doctorsAdvice(setting: String, part: String) {
        var status = DaemonStatus(version: "1", instance: "i")
        status.problems = [ProblemInfo(setting: setting, message: "/a: no")]
        #expect(Doctor.checks(status).first { $0.name == setting }?.advice.contains(part) == true)
    }

    @Test("Who has no account is told of the configuration that is in use")
    func doctorOnConfiguration() {
        var status = DaemonStatus(version: handsetVersion, instance: "i")
        func advice() -> String? { Doctor.checks(status).first { $0.name == "accounts" }?.advice }
        #expect(advice()?.contains("to /etc/handset/handset.toml to use") == true)
        status.configuration = "/tmp/other.toml"
        #expect(advice()?.contains("to /tmp/other.toml to use") == true)
    }

    @Test("The doctor says what is bad and what to do about it")
    func doctor() {
        var status = DaemonStatus(version: handsetVersion, instance: "i")
        #expect(!Doctor.checks(status).contains { $0.grade == .bad })
        status.accounts = [AccountInfo(name: "office", state: "failed", reachable: false, lastError: "timed out")]
        status.audio.state = "interrupted"
        status.audio.scheduling = "SCHED_OTHER: not permitted"
        status.droppedRequests = 4
        let bad = Doctor.checks(status).filter { $0.grade == .bad }
        #expect(bad.map(\.name) == ["account office", "audio"])
        #expect(bad.allSatisfy { !$0.advice.isEmpty })
        #expect(Doctor.checks(status).first { $0.name == "scheduling" }?.advice.contains("LimitRTPRIO") == true)
        #expect(Doctor.sound([], used: status.audio).grade == .bad)
        status.audio.capture = "file:in.wav,out.wav"
        status.audio.playback = "file:in.wav,out.wav"
        #expect(Doctor.sound([], used: status.audio).grade == .good)
        let plugin = DeviceInfo(name: "alsa:upmix", description: "", capture: true, playback: true, open: false)
        #expect(Doctor.sound([plugin], used: status.audio).grade == .good)
        status.audio.capture = "alsa:default"
        #expect(Doctor.sound([plugin], used: status.audio).finding.contains("alsa:default"))
        var listed = plugin
        listed.name = "alsa:default"
        #expect(Doctor.sound([plugin, listed], used: status.audio).grade == .good)
        listed.name = "alsa:hw:CARD=Headset,DEV=0"
        #expect(Doctor.sound([plugin, listed], used: status.audio).grade == .good)
        #expect(Doctor.text(bad).contains("→"))
    }
}
