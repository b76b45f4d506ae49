internal import CallModel
internal import ControlProtocol
internal import FoundationEssentials
internal import MediaDescription

/// Results as people read them. No text ends with a line feed.
enum Reports {
    static func status(_ status: DaemonStatus) -> String {
        var daemon = Table()
        daemon.add(["handsetd", "\(status.version), up \(duration(status.uptimeSeconds))"])
        let audio = status.audio
        daemon.add(["audio", audio.state])
        daemon.add(["capture", audio.capture.isEmpty ? "none" : audio.capture])
        daemon.add(["playback", audio.playback.isEmpty ? "none" : audio.playback])
        daemon.add(["profile", profile(audio.profile)])
        daemon.add(["scheduling", audio.scheduling.isEmpty ? "not known before the first call" : audio.scheduling])
        daemon.add(["missed calls", "\(status.missedCalls)"])
        daemon.add(["do not disturb", doNotDisturb(status.doNotDisturb)])
        daemon.add(["ringer", ringer(status.ringer)])
        daemon.add(["records", records(status.records)])
        daemon.add(["dropped requests", "\(status.droppedRequests)"])
        var text = daemon.text + "\n\n" + accounts(status.accounts)
        if !status.problems.isEmpty { text += "\n\n" + problems(status.problems) }
        if !status.strangers.isEmpty { text += "\n\n" + strangers(status.strangers) }
        return text
    }

    static func accounts(_ accounts: [AccountInfo]) -> String {
        guard !accounts.isEmpty else { return "no accounts: calls are direct" }
        var table = Table(["ACCOUNT", "STATE", "REACHABLE", "EXPIRES", "LAST ERROR"])
        for account in accounts {
            table.add([
                account.name, account.state, account.reachable ? "yes" : "no", clock(account.expiresAt),
                account.lastError ?? "-",
            ])
        }
        return table.text
    }

    static func problems(_ problems: [ProblemInfo]) -> String {
        var table = Table(["PASSED OVER", "WHY"])
        for problem in problems { table.add([problem.setting, problem.message]) }
        return table.text
    }

    static func strangers(_ strangers: [StrangerInfo]) -> String {
        var table = Table(["DROPPED FROM", "REQUESTS", "TO LET IT IN"])
        for stranger in strangers { table.add([stranger.address, "\(stranger.count)", stranger.advice]) }
        return table.text
    }

    static func calls(_ calls: [CallSnapshot], now: Date = Date(), in room: Table.Room? = nil) -> String {
        guard !calls.isEmpty else { return "no calls" }
        var table = Table(["CALL", "STATE", "WITH", "ACCOUNT", "SWITCHES", "CODEC", "SECURITY", "TIME"])
        let names = shortNames(calls)
        for (call, name) in zip(calls, names) {
            let since = call.connectedAt ?? call.startedConnectingAt
            table.add([
                name, state(call), party(call), call.account ?? "-", switches(call), call.codec ?? "-",
                call.security ?? "-", since.map { duration(max(0, now.timeIntervalSince($0))) } ?? "-",
            ])
        }
        return table.text(in: room)
    }

    /// The beginnings of the calls' names that tell them apart, eight characters at least.
    static func shortNames(_ calls: [CallSnapshot]) -> [String] {
        let names = calls.map(\.id.description)
        let length = (8...36).first { length in Set(names.map { $0.prefix(length) }).count == names.count } ?? 36
        return names.map { String($0.prefix(length)) }
    }

    static func state(_ call: CallSnapshot) -> String {
        call.state == .connected && call.held ? "held" : call.state.rawValue
    }

    static func party(_ call: CallSnapshot) -> String {
        guard let name = call.displayName, !name.isEmpty else { return call.handle.value }
        return "\(name) <\(call.handle.value)>"
    }

    static func switches(_ call: CallSnapshot) -> String {
        let group = call.group.map { ["group \($0.description.prefix(4))"] } ?? []
        let set = (call.held ? ["held"] : []) + marks(call) + group
        return set.isEmpty ? "-" : set.joined(separator: ", ")
    }

    /// What is switched or goes on in a call, beside its state and its group.
    static func marks(_ call: CallSnapshot) -> [String] {
        [
            (call.remoteHeld, "remote hold"), (call.muted, "muted"), (call.earmuffed, "earmuffed"),
            (call.recording != nil, "recorded"), (call.playing != nil, "playing"),
            (call.service != nil, call.service?.rawValue ?? ""),
        ].filter(\.0).map(\.1)
    }

    static func action(_ result: ActionResult) -> String {
        var text = "\(result.call.id)  \(state(result.call))  \(Table.printable(party(result.call)))"
        text += "  \(milliseconds(result.elapsedMs)) ms"
        if let applied = result.appliedMs { text += ", gates after \(milliseconds(applied)) ms" }
        if !result.changed { text += ", was so already" }
        if result.peerNotified == false { text += ", the remote party did not agree" }
        return text
    }

    /// Of a recording that was begun, or that goes on.
    static func recording(_ result: ActionResult) -> String {
        action(result) + "\nrecorded to \(Table.printable(result.call.recording ?? "-"))"
    }

    static func transaction(_ entries: [TransactionEntry]) -> String {
        var table = Table(["ACTION", "CALL", "RESULT", "MS"])
        for entry in entries {
            let result =
                entry.fulfilled
                ? "done" : [entry.reason, entry.message].compactMap { $0 }.joined(separator: ": ")
            table.add([
                entry.method.rawValue, entry.call.map { String($0.id.description.prefix(8)) } ?? "-", result,
                milliseconds(entry.elapsedMs),
            ])
        }
        return table.text
    }

    static func devices(_ devices: [DeviceInfo]) -> String {
        guard !devices.isEmpty else { return "no sound devices" }
        var table = Table(["DEVICE", "CAPTURE", "PLAYBACK", "OPEN", "DESCRIPTION"])
        for device in devices {
            table.add([
                device.name, device.capture ? "yes" : "-", device.playback ? "yes" : "-", device.open ? "yes" : "-",
                device.description,
            ])
        }
        return table.text
    }

    static func volume(_ volume: VolumeInfo) -> String {
        var table = Table()
        table.add(["capture", volume.capture.map { "\($0)" } ?? "no control"])
        table.add(["playback", volume.playback.map { "\($0)" } ?? "no control"])
        return volume.saved == false ? "\(table.text)\n\(notKept)" : table.text
    }

    static func reload(_ report: ReloadReport) -> String {
        var lines: [String] = []
        if !report.applied.isEmpty { lines.append("applied: " + report.applied.joined(separator: ", ")) }
        if !report.needRestart.isEmpty {
            lines.append("in force after a restart: " + report.needRestart.joined(separator: ", "))
        }
        if lines.isEmpty { lines = ["nothing has changed"] }
        return (lines + report.problems.map { "list: \($0)" }).joined(separator: "\n")
    }

    static func statistics(_ report: StatisticsReport) -> String {
        var blocks = report.calls.map(figures)
        if blocks.isEmpty { blocks = ["no calls with sound"] }
        blocks.append(figures(report.loop))
        if let loop = report.serviceLoop { blocks.append(figures(ofServices: loop)) }
        return blocks.joined(separator: "\n\n")
    }

    private static func figures(_ loop: LoopFigures) -> String {
        var table = Table()
        add(turnsOf: loop, named: "audio loop", to: &table)
        if loop.playbackFillMs > 0 {
            table.add(["ahead of loudspeaker", "\(milliseconds(loop.playbackFillMs)) ms when a turn is due"])
        }
        add(timesOf: loop, to: &table)
        table.add(["loudspeaker's clock", "\(tenths(-loop.playbackDriftPpm)) ppm against the loop's"])
        if let echo = echo(loop.echo) { table.add(["echo", echo]) }
        return table.text
    }

    /// A loop without sound devices has no more.
    private static func figures(ofServices loop: LoopFigures) -> String {
        var table = Table()
        add(turnsOf: loop, named: "loop of services", to: &table)
        add(timesOf: loop, to: &table)
        return table.text
    }

    private static func add(turnsOf loop: LoopFigures, named name: String, to table: inout Table) {
        table.add([name, "\(loop.turns) turns of \(milliseconds(loop.periodMs)) ms, \(loop.xruns) xruns"])
        if let xrun = loop.lastXrun { table.add(["", lastXrun(xrun)]) }
    }

    private static func add(timesOf loop: LoopFigures, to table: inout Table) {
        table.add(["work in a turn", times(loop.turn)])
        table.add(["begun late by", times(loop.wake)])
        table.add(["missed deadlines", "\(loop.missedDeadlines)"])
    }

    /// nil where none is cancelled.
    private static func echo(_ echo: LoopFigures.Echo) -> String? {
        guard let reduction = echo.erleDb else { return nil }
        var parts = ["\(tenths(reduction)) dB quieter"]
        if let cancelled = echo.cancelledDb { parts.append("\(tenths(cancelled)) dB of it by the filter") }
        if let delay = echo.delayMs { parts.append("\(milliseconds(delay)) ms late") }
        return parts.joined(separator: ", ") + (echo.converged ? "" : " (still being learned)")
    }

    static func profile(_ state: ProfileState) -> String {
        let chosen = state.current == state.configured ? "" : " (configured: \(state.configured.rawValue))"
        return state.current.rawValue + chosen
    }

    private static func times(_ times: TurnTimes) -> String {
        "\(tenths(times.median)) µs (median), \(tenths(times.p99)) (p99), \(tenths(times.p999)) (p99.9), "
            + "\(tenths(times.longest)) at most"
    }

    private static func figures(_ call: CallFigures) -> String {
        var table = Table()
        table.add(["call", call.id.description])
        table.add(["codec", call.codec ?? "-"])
        table.add(["security", call.security ?? "-"])
        table.add([
            "sent", "\(call.sent.packets) packets, \(call.sent.octets) octets, \(level(call.sent.levelDbfs))",
        ])
        if call.sent.redundant > 0 { table.add(["", "\(call.sent.redundant) with earlier sound once more"]) }
        if call.sent.dropped > 0 || call.sent.failed > 0 {
            table.add(["", "not sent: \(call.sent.dropped) dropped, \(call.sent.failed) refused"])
        }
        let received = call.received
        table.add([
            "received", "\(received.packets) packets, \(received.octets) octets, \(level(received.levelDbfs))",
        ])
        table.add([
            "",
            "\(received.lost) lost, \(received.recovered) recovered, \(received.late) late, \(received.invalid) invalid, "
                + "\(milliseconds(received.concealedMs)) ms concealed",
        ])
        if received.foreign > 0 || received.outOfWindow > 0 || received.dropped > 0 {
            table.add([
                "", "\(received.foreign) foreign, \(received.outOfWindow) out of window, \(received.dropped) dropped",
            ])
        }
        table.add(["jitter", "\(milliseconds(call.jitterMs)) ms"])
        table.add(["round trip", call.roundTripMs.map { "\(milliseconds($0)) ms" } ?? "not known yet"])
        for (name, value) in delay(call.delayMs) { table.add([name, value]) }
        table.add(["buffer", buffer(call)])
        for line in decisions(call.playout) { table.add(["", line]) }
        table.add(["quality", quality(call)])
        table.add(["at the peer", remote(call.remote)])
        table.add(["gates", gates(call.gate)])
        return table.text
    }

    static func lastXrun(_ xrun: LoopFigures.LastXrun) -> String {
        let late = "\(milliseconds(xrun.lateMs)) ms late"
        let why =
            switch xrun.cause {
            case .lateWakeUp: "the loop was woken \(late)"
            case .longTurn: "a turn took long, sound was \(late)"
            case .suspended: "the machine was suspended"
            case .stolenTime: "other virtual machines had the processor, sound was \(late)"
            case .card: "the card stopped by itself"
            }
        return "last xrun (\(xrun.isPlayback ? "playback" : "capture")) at \(clock(xrun.time)): \(why)"
    }

    private static func delay(_ delay: DelayParts) -> [(String, String)] {
        let parts = [
            (delay.capture, "capture"), (delay.packet, "packet"), (delay.codec, "codec"), (delay.network, "network"),
            (delay.buffer, "buffer"), (delay.playback, "playback"),
        ]
        let sum = parts.map { "\($0.1) \(milliseconds($0.0))" }.joined(separator: " + ")
        return [("delay", "\(milliseconds(delay.total)) ms from mouth to ear, if the peer is as we are"), ("", sum)]
    }

    private static func quality(_ call: CallFigures) -> String {
        guard let recent = call.mos else { return "not known yet" }
        let (mean, lowest) = (call.meanMos ?? recent, call.lowestMos ?? recent)
        return "MOS \(tenths(recent)) of late, \(tenths(mean)) on average, \(tenths(lowest)) at worst"
    }

    private static func remote(_ remote: CallFigures.Remote) -> String {
        var parts = ["\(tenths(remote.lostPercent)) % lost"]
        if let late = remote.latePercent { parts.append("\(tenths(late)) % late") }
        if let mos = remote.mos { parts.append("MOS \(tenths(mos))") }
        return parts.joined(separator: ", ")
    }

    private static func buffer(_ call: CallFigures) -> String {
        let playout = call.playout
        let drift = playout.senderDriftPartsPerMillion
        return "\(milliseconds(call.bufferMs)) ms; packets may be \(milliseconds(playout.targetMilliseconds)) ms late, "
            + "lately they were \(milliseconds(playout.spreadMilliseconds)) ms"
            + (drift == 0 ? "" : "; the sender's clock is \(tenths(drift)) ppm fast")
    }

    private static func decisions(_ playout: PlayoutDecisions) -> [String] {
        [
            "\(playout.played) packets played, \(playout.recovered) recovered, \(playout.duplicates) duplicate, "
                + "\(playout.reordered) reordered",
            "\(playout.discarded) discarded, \(playout.strays) strays, \(playout.flushed) flushed",
            "\(milliseconds(playout.heardMilliseconds)) ms heard, \(milliseconds(playout.pausedMilliseconds)) ms paused, "
                + "\(milliseconds(playout.silentMilliseconds)) ms silent",
            "\(milliseconds(playout.lossConcealedMilliseconds)) ms concealed as lost, \(playout.merges) merges, "
                + "begun \(playout.anchorings) times",
            "\(milliseconds(playout.acceleratedMilliseconds)) ms left out, \(milliseconds(playout.expandedMilliseconds)) ms put in",
        ]
    }

    static func gates(_ gate: CallFigures.Gate) -> String {
        let closed = [(gate.held, "held"), (gate.muted, "muted"), (gate.earmuffed, "earmuffed")].filter(\.0).map(\.1)
        return (closed.isEmpty ? "open" : closed.joined(separator: ", ")) + (gate.applied ? "" : " (pending)")
    }

    // MARK: Values

    static func level(_ level: Double?) -> String { level.map { "\(tenths($0)) dBFS" } ?? "silent" }

    static func milliseconds(_ value: Double) -> String { tenths(value) }

    static func tenths(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "-" }
        let tenths = Int((abs(value) * 10).rounded())
        return (value < 0 && tenths > 0 ? "-" : "") + "\(tenths / 10).\(tenths % 10)"
    }

    /// `m:ss`, `h:mm:ss`, or days and hours.
    static func duration(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds < 1e12 else { return "-" }
        let whole = Int(max(0, seconds))
        let (days, hours, minutes) = (whole / 86_400, whole / 3_600 % 24, whole / 60 % 60)
        if days > 0 { return "\(days) d \(hours) h" }
        let rest = two(whole % 60)
        return hours > 0 ? "\(hours):\(two(minutes)):\(rest)" : "\(minutes):\(rest)"
    }

    static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

    static func clock(_ date: Date?) -> String { date.map { LocalTime.clock($0) } ?? "-" }
}
