import CallModel
import ControlProtocol
import FoundationEssentials
import MediaDescription
import Screening
import Testing

@Suite("Shapes") struct ShapeTests {
    private var call: CallSnapshot {
        get throws {
            var call = CallSnapshot(
                id: try #require(CallID("0B5E3C1C-5C1D-4A26-9D6A-6C9D9E6A4F01")), direction: .incoming,
                state: .connected, handle: Handle(kind: .generic, value: "sip:alice@example.com"))
            call.muted = true
            call.connectedAt = Date(timeIntervalSince1970: 1_700_000_000)
            call.capabilities.hold = true
            (call.recording, call.playing, call.service) = ("/a.opus", "/b.wav", .echo)
            return call
        }
    }

    private func names(_ json: JSONValue?) -> [String] { json?.object?.members.map(\.name) ?? [] }

    @Test("A call has every member, null where nothing is known, and its UUID in lower case")
    func callShape() throws {
        let json = try call.json
        #expect(
            Array(names(json).prefix(18)) == [
                "id", "direction", "state", "handle", "displayName", "account", "held", "remoteHeld", "muted",
                "earmuffed", "group", "capabilities", "codec", "security", "startedConnectingAt", "connectedAt",
                "endedAt", "endReason",
            ])
        #expect(names(json["capabilities"]) == ["hold", "group", "ungroup", "dtmf", "transfer"])
        #expect(json["id"] == "0b5e3c1c-5c1d-4a26-9d6a-6c9d9e6a4f01")
        #expect(json["codec"] == .null)
        #expect(json["connectedAt"] == "2023-11-14T22:13:20.000Z")
        #expect(json["handle"]?.text == "{\"type\":\"generic\",\"value\":\"sip:alice@example.com\"}")
    }

    @Test(
        "Calls are read back as they were written", arguments: [EndReason.busy, .failed(status: 503, text: "x"), nil])
    func callRoundTrip(reason: EndReason?) throws {
        var call = try call
        call.endReason = reason
        #expect(CallSnapshot(json: call.json) == call)
    }

    @Test("An entry of the history is a call with its quality, how long it lasted, and whether it was missed")
    func history() throws {
        var call = try call
        call.state = .ended
        call.endedAt = call.connectedAt?.addingTimeInterval(12.5)
        call.endReason = .remoteEnded
        var quality = CallQuality()
        (quality.packetsReceived, quality.lost, quality.roundTripMs, quality.mos) = (90, 10, 20.5, 4.125)
        call.quality = quality
        let entry = HistoryEntry(call: call, missed: false, seen: true)
        #expect(names(entry.json).suffix(4) == ["quality", "durationSeconds", "missed", "seen"])
        #expect(entry.json["durationSeconds"]?.double == 12.5)
        #expect(
            names(entry.json["quality"]) == [
                "packetsSent", "packetsReceived", "lost", "late", "concealedMs", "jitterMs", "roundTripMs", "mos",
            ])
        #expect(HistoryEntry(json: entry.json) == entry)
    }

    @Test("Lists are read back as they were written")
    func lists() {
        let file = ListFileInfo(path: "/x", entries: 3, problem: "line 2")
        let blocked = BlockReport(handles: ["1"], configured: ["@a"], files: [file])
        #expect(BlockReport(json: blocked.json) == blocked)
        let contact = Contact(name: "Ann", handles: ["1"], throughDoNotDisturb: true)
        let contacts = ContactsReport(
            entries: [.init(contact: contact, file: nil), .init(contact: contact, file: "/x")], files: [file], next: 2)
        #expect(ContactsReport(json: contacts.json) == contacts)
        let change = ListChange(changed: true, saved: false)
        #expect(ListChange(json: change.json) == change)
        for saved in [nil, true, false] {
            let state = DoNotDisturbInfo(on: false, scheduled: true, saved: saved)
            #expect(state.active && DoNotDisturbInfo(json: state.json) == state)
        }
    }

    @Test("What a probe measured, and what became of recordings and played files, is read back as it was written")
    func files() throws {
        var report = ProbeReport(handle: Handle(kind: .phoneNumber, value: "101"))
        (report.codec, report.security, report.connectMs, report.lost, report.packetsReceived) = (
            "opus", "none", 12.5, 1, 3
        )
        #expect(ProbeReport(json: report.json) == report && report.json["heard"] == .null)
        #expect(report.json["lostPercent"]?.double == 25 && report.json["stopped"]?.bool == false)
        report.isStopped = true
        var heard = ProbeReport.Heard()
        (heard.levelDbfs, heard.frequencyHz, heard.snrDb, heard.noiseDbfs) = (-20.5, 999.875, 31.25, nil)
        (heard.delayMs, heard.leastDelayMs, heard.mostDelayMs) = (80, 79.5, 90)
        (heard.gaps, heard.gapMs, heard.longestGapMs) = (2, 30, 20)
        report.heard = heard
        #expect(ProbeReport(json: report.json) == report)
        let info = RecordingInfo(call: try call.id, file: "/a.opus", seconds: 12.25, droppedMs: 5)
        let events: [ControlEvent] = [
            .recordingEnded(info), .recordingFailed(info, message: "the disk is full"),
            .callPlayed(try call, file: "/a.wav", completed: true),
            .callPlayed(try call, file: "/a.wav", completed: false),
        ]
        for event in events { #expect(ControlEvent(params: event.params(seq: 1, time: Date())) == event) }
    }

    @Test("A fulfilled action says what belongs to it and no more")
    func action() throws {
        let plain = try ActionResult(call: call, changed: true, elapsedMs: 1.5)
        #expect(names(plain.json) == ["call", "changed", "elapsedMs"])
        let hold = try ActionResult(call: call, changed: true, elapsedMs: 12.3456, appliedMs: 8, peerNotified: false)
        #expect(names(hold.json) == ["call", "changed", "elapsedMs", "appliedMs", "peerNotified"])
        #expect(hold.json["elapsedMs"]?.double == 12.346)
        #expect(ActionResult(json: plain.json) == plain)
    }

    @Test("A failed action has code, message, reason and where it was the peer, its SIP status")
    func failure() {
        let error = ControlError(CallError(.refused, "the peer refused", sipStatus: 488))
        #expect(
            error.json.text
                == "{\"code\":-32000,\"message\":\"the peer refused\",\"data\":{\"reason\":\"refused\",\"sipStatus\":488}}"
        )
        #expect(ControlError(json: error.json) == error)
        #expect(names(ControlError.parse("x").json) == ["code", "message"])
    }

    @Test("The entries of a transaction say which failed and why")
    func transaction() throws {
        let call = try call
        let fulfilled = ActionReport(
            request: .hold(call.id), result: .success(ActionResult(call: call, changed: true, elapsedMs: 2)),
            elapsedMs: 2)
        let failed = ActionReport(
            request: .answer(call.id), result: .failure(CallError(.invalidState, "it is answered")), elapsedMs: 3)
        #expect(names(TransactionEntry(fulfilled).json) == ["method", "fulfilled", "call", "elapsedMs"])
        let entry = TransactionEntry(failed)
        #expect(entry.json["method"] == "call.answer")
        #expect(entry.json["reason"] == "invalidState")
        #expect(TransactionEntry(json: entry.json) == entry)
    }

    @Test("Status, figures, devices and reports are read back as they were written")
    func results() {
        var status = DaemonStatus(version: "1", instance: "i")
        status.accounts = [
            AccountInfo(name: "office", state: "failed", reachable: false, lastError: "403 Forbidden"),
            AccountInfo(
                name: "home", state: "registered", reachable: true,
                expiresAt: Date(timeIntervalSince1970: 1_700_000_000)),
        ]
        status.audio.scheduling = "SCHED_FIFO 50"
        status.audio.profile = ProfileState(current: .speakerphone, configured: .handset)
        status.strangers = [StrangerInfo(address: "192.0.2.1", count: 3, advice: "accept_from = [\"192.0.2.1\"]")]
        status.droppedRequests = 3
        status.configuration = "/tmp/other.toml"
        status.uptimeSeconds = 12.5
        #expect(DaemonStatus(json: status.json) == status)
        #expect(
            names(status.json["audio"]) == [
                "state", "capture", "playback", "scheduling", "profile", "configuredProfile",
            ])
        #expect(
            names(status.json["accounts"]?.array?.first) == ["name", "state", "reachable", "expiresAt", "lastError"])

        var figures = CallFigures(id: CallID())
        figures.sent.levelDbfs = -20.5
        figures.gate.muted = true
        (figures.playout.played, figures.playout.recovered, figures.playout.duplicates) = (900, 12, 3)
        (figures.playout.discarded, figures.playout.anchorings, figures.playout.merges) = (4, 1, 7)
        (figures.playout.reordered, figures.playout.strays) = (8, 9)
        (figures.sent.packets, figures.sent.octets, figures.sent.redundant) = (100, 6_000, 3)
        (figures.sent.dropped, figures.sent.failed) = (1, 2)
        (figures.received.packets, figures.received.octets, figures.received.lost) = (90, 5_400, 10)
        (figures.received.late, figures.received.invalid, figures.received.recovered) = (4, 5, 6)
        (figures.received.foreign, figures.received.outOfWindow, figures.received.dropped) = (7, 8, 9)
        (figures.received.concealedMs, figures.received.levelDbfs) = (12.5, -30)
        (figures.playout.flushed, figures.playout.lossConcealedMilliseconds) = (5, 60.5)
        (figures.playout.heardMilliseconds, figures.playout.pausedMilliseconds) = (18_000.25, 400)
        figures.playout.silentMilliseconds = 12.5
        (figures.playout.acceleratedMilliseconds, figures.playout.expandedMilliseconds) = (20, 12.5)
        (figures.playout.targetMilliseconds, figures.playout.spreadMilliseconds) = (21.25, 18)
        figures.playout.senderDriftPartsPerMillion = -42.5
        (figures.delayMs.capture, figures.delayMs.packet, figures.delayMs.codec) = (5.25, 15, 6.5)
        (figures.delayMs.network, figures.delayMs.buffer, figures.delayMs.playback) = (0.25, 2.5, 3)
        var loop = LoopFigures()
        let xrun = XrunReport(
            cause: .lateWakeUp, age: 60, lateMilliseconds: 12.5, aheadMilliseconds: 5, isPlayback: true)
        loop.lastXrun = LoopFigures.LastXrun(xrun, now: Date(timeIntervalSince1970: 1_700_000_060))
        let report = StatisticsReport(calls: [figures], loop: loop)
        #expect(report.json["calls"]?.array?.first?["delayMs"]?["total"]?.double == 32.5)
        #expect(
            names(report.json["loop"]?["lastXrun"]) == ["time", "cause", "device", "lateMs", "aheadMs"])
        #expect(report.json["loop"]?["lastXrun"]?["time"] == "2023-11-14T22:13:20.000Z")
        #expect(LoopFigures.LastXrun(json: ["time": "2023-11-14T22:13:20.000Z", "cause": "mice"]) == nil)
        #expect(StatisticsReport(json: report.json) == report)
        let both = StatisticsReport(calls: [], loop: LoopFigures(), serviceLoop: loop)
        #expect(StatisticsReport(json: both.json) == both)
        #expect(
            names(report.json["calls"]?.array?.first?["playout"]) == [
                "played", "recovered", "duplicates", "reordered", "discarded", "strays", "flushed", "anchorings",
                "merges", "heardMs", "pausedMs", "silentMs", "lossConcealedMs", "acceleratedMs", "expandedMs",
                "targetMs", "spreadMs", "senderDriftPpm",
            ])
        #expect(
            names(report.json["calls"]?.array?.first?["sent"]) == [
                "packets", "octets", "redundant", "dropped", "failed", "levelDbfs",
            ])
        #expect(
            names(report.json["calls"]?.array?.first?["received"]) == [
                "packets", "octets", "lost", "late", "invalid", "foreign", "outOfWindow", "dropped", "recovered",
                "concealedMs", "levelDbfs",
            ])
        #expect(
            names(report.json["loop"]) == [
                "turns", "xruns", "periodMs", "playbackFillMs", "lastXrun", "turnMicrosP50", "turnMicrosP99",
                "turnMicrosP999", "turnMicrosMax",
                "wakeMicrosP50", "wakeMicrosP99", "wakeMicrosP999", "wakeMicrosMax", "missedDeadlines",
                "playbackDriftPpm", "echo",
            ])
        #expect(
            names(report.json["loop"]?["echo"]) == ["erleDb", "cancelledDb", "delayMs", "converged", "alignments"])
        #expect(report.json["loop"]?["echo"]?["erleDb"] == .null)
        (loop.echo.erleDb, loop.echo.cancelledDb, loop.echo.delayMs) = (41.5, 27.25, 34)
        (loop.echo.converged, loop.echo.alignments) = (true, 2)
        #expect(LoopFigures(json: loop.json) == loop)
        let state = ProfileState(current: .speakerphone, configured: .handset)
        #expect(ProfileState(json: state.json) == state)
        #expect(names(state.json) == ["profile", "configured"])

        let device = DeviceInfo(name: "alsa:default", description: "d", capture: true, playback: false, open: true)
        #expect(DeviceInfo(json: device.json) == device)
        let reload = ReloadReport(applied: ["account"], needRestart: ["sip.listen"], problems: ["/a: line 1"])
        #expect(ReloadReport(json: reload.json) == reload)
        #expect(VolumeInfo(json: VolumeInfo(capture: 50, playback: nil).json) == VolumeInfo(capture: 50, playback: nil))
        for saved in [nil, false, true] as [Bool?] {
            let volume = VolumeInfo(capture: 50, playback: 60, saved: saved)
            #expect(VolumeInfo(json: volume.json) == volume)
            let ringer = RingerInfo(silent: true, saved: saved)
            #expect(RingerInfo(json: ringer.json) == ringer)
        }
    }

    @Test("Events are read back as they were written, with their number, time and type")
    func events() throws {
        let call = try call
        let account = AccountInfo(name: "office", state: "registered", reachable: true)
        let events: [ControlEvent] = [
            .callStarted(call), .callIncoming(call), .callUpdated(call, changed: ["muted"]), .callEnded(call),
            .callDTMF(call, digit: "#", durationMs: 120), .callQuality(call, mos: 2.875, poor: true), .audioActivated,
            .audioDeactivated,
            .audioInterrupted(message: "unplugged"), .audioResumed, .deviceFailed(message: "busy"),
            .accountRegistered(account),
            .accountUnregistered(account), .accountFailed(account),
            .requestDropped(StrangerInfo(address: "192.0.2.1", count: 1, advice: "a")), .daemonStopping,
            .historyChanged(missedCalls: 2), .ringerChanged(RingerInfo(silent: true)),
            .profileChanged(ProfileState(current: .handset, configured: .line)),
            .dndChanged(DoNotDisturbInfo(on: true, scheduled: false)),
        ]
        for event in events {
            let line = ControlReply.event(event.params(seq: 4, time: Date(timeIntervalSince1970: 0))).line
            guard case .event(let params)? = ControlReply(parsing: line) else {
                Issue.record("\(event.type) is not an event")
                continue
            }
            #expect(Array(names(.object(params)).prefix(3)) == ["seq", "time", "type"])
            #expect(params["seq"]?.integer == 4)
            #expect(params["time"] == "1970-01-01T00:00:00.000Z")
            #expect(params["type"]?.string == event.type)
            #expect(ControlEvent(params: params) == event)
        }
    }

    @Test("Answers are told from events, and from what is neither")
    func replies() {
        let result = ControlReply.result(id: .integer(3), ["calls": .array([])])
        #expect(ControlReply(parsing: result.line) == result)
        #expect(
            ControlReply(parsing: ControlReply.line(id: .integer(3), result: Array("{\"calls\":[]}".utf8))) == result)
        let failure = ControlReply.failure(id: .null, .parse("x"))
        #expect(ControlReply(parsing: failure.line) == failure)
        #expect(ControlReply(parsing: Array("[]".utf8)) == nil)
        #expect(ControlReply(parsing: Array("{\"id\":1}".utf8)) == nil)
    }
}
