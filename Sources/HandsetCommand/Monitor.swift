internal import CallModel
internal import ControlProtocol

/// `handset monitor`: what happens, as it happens.
struct Monitor {
    let daemon: any Answering
    let terminal: Terminal
    let json: Bool
    /// Events that stay on the screen.
    private static let shownEvents = 12

    init(daemon: any Answering, terminal: Terminal, json: Bool) {
        self.daemon = daemon
        self.terminal = terminal
        self.json = json
    }

    /// Runs until the daemon ends, which it throws.
    func run() throws(Failure) {
        let subscription = try daemon.ask(.eventsSubscribe(since: nil))
        if !json, terminal.isInteractive {
            try live()
        } else if !json {
            try strangersSoFar()
        }
        _ = subscription
        while true {
            guard let params = try daemon.nextEvent(within: -1) else { continue }
            terminal.write((json ? JSONValue.object(params).text : EventLine.text(params)) + "\n")
        }
    }

    /// Who was dropped before is what one who starts to look wants to know first.
    private func strangersSoFar() throws(Failure) {
        guard let status = DaemonStatus(json: try daemon.ask(.daemonStatus)), !status.strangers.isEmpty else { return }
        for line in Reports.strangers(status.strangers).split(separator: "\n") { terminal.write("# \(line)\n") }
    }

    private func live() throws(Failure) {
        var events: [String] = []
        while true {
            terminal.write("\u{1B}[H\u{1B}[2J" + (try screen(events)))
            // A burst of events is drawn once.
            var wait: Int32 = 1_000
            while let params = try daemon.nextEvent(within: wait) {
                events.append(EventLine.text(params))
                if events.count > Self.shownEvents { events.removeFirst() }
                wait = 50
            }
        }
    }

    private func screen(_ events: [String]) throws(Failure) -> String {
        let calls = try daemon.ask(.callList)["calls"]?.array?.compactMap(CallSnapshot.init(json:)) ?? []
        let figures = StatisticsReport(json: try daemon.ask(.statsGet(nil)))
        let status = DaemonStatus(json: try daemon.ask(.daemonStatus))
        return Self.screen(calls: calls, figures: figures, status: status, events: events)
    }

    static func screen(
        calls: [CallSnapshot], figures: StatisticsReport?, status: DaemonStatus?, events: [String]
    ) -> String {
        var blocks: [String] = []
        if let status {
            let registered = status.accounts.filter { $0.state == "registered" }.count
            blocks.append(
                "handsetd \(Table.printable(status.version))  up \(Reports.duration(status.uptimeSeconds))  "
                    + "audio \(Table.printable(status.audio.state))  "
                    + "accounts \(registered)/\(status.accounts.count) registered  "
                    + "dropped \(status.droppedRequests)")
        }
        blocks.append(Reports.calls(calls))
        if let figures, !figures.calls.isEmpty {
            var table = Table(["CALL", "SENT", "RECEIVED", "LOST", "JITTER", "BUFFER", "ROUND TRIP", "GATES"])
            for call in figures.calls {
                table.add([
                    String(call.id.description.prefix(8)), Reports.level(call.sent.levelDbfs),
                    Reports.level(call.received.levelDbfs), "\(call.received.lost)",
                    Reports.milliseconds(call.jitterMs) + " ms", Reports.milliseconds(call.bufferMs) + " ms",
                    call.roundTripMs.map { Reports.milliseconds($0) + " ms" } ?? "-", Reports.gates(call.gate),
                ])
            }
            blocks.append(table.text)
        }
        if let strangers = status?.strangers, !strangers.isEmpty { blocks.append(Reports.strangers(strangers)) }
        if !events.isEmpty { blocks.append(events.joined(separator: "\n")) }
        return blocks.joined(separator: "\n\n") + "\n"
    }
}
