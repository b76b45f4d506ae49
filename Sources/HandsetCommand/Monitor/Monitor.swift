internal import CallModel
internal import ControlProtocol
internal import HandsetKit

/// `handset monitor`: what happens, as it happens.
struct Monitor {
    let handset: Handset
    let terminal: Terminal
    let json: Bool

    /// Runs until the user ends it: a daemon that goes is waited for.
    func run() async throws(Failure) {
        if !json, terminal.isInteractive {
            // A terminal that is gone says so itself, by SIGHUP.
            let live = LiveTerminal { [terminal] text in
                do throws(Failure) { try terminal.write(text) } catch {}
            }
            return try await LiveMonitor(handset, live, Look(environment: Terminal.variable)).run()
        }
        let events: EventStream
        var strangers: [StrangerInfo] = []
        do throws(HandsetError) {
            events = try await handset.events()
            // Who was dropped before is what one who starts to look wants to know first.
            if !json { strangers = try await handset.status().strangers }
        } catch {
            throw Failure(error)
        }
        if !strangers.isEmpty {
            for line in Reports.strangers(strangers).split(separator: "\n") { try terminal.write("# \(line)\n") }
        }
        for await notice in events { try show(notice) }
    }

    private func show(_ notice: EventNotice) throws(Failure) {
        switch notice {
        case .event(let event):
            try terminal.write((json ? JSONValue.object(event.params).text : EventLine.text(event.params)) + "\n")
        case .gap, .disconnected, .reconnected:
            // Not among the events, whose reader may be a program.
            guard let line = EventLine.text(notice) else { return }
            terminal.writeError("handset: \(line)\n")
        }
    }
}
