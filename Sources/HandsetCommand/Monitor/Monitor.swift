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
            let live = LiveTerminal(write: terminal.write)
            return try await LiveMonitor(handset, live, Look(environment: Terminal.variable)).run()
        }
        do throws(HandsetError) {
            let events = try await handset.events()
            if !json { try await strangersSoFar() }
            for await notice in events { show(notice) }
        } catch {
            throw Failure(error)
        }
    }

    /// Who was dropped before is what one who starts to look wants to know first.
    private func strangersSoFar() async throws(HandsetError) {
        let status = try await handset.status()
        guard !status.strangers.isEmpty else { return }
        for line in Reports.strangers(status.strangers).split(separator: "\n") { terminal.write("# \(line)\n") }
    }

    private func show(_ notice: EventNotice) {
        switch notice {
        case .event(let event):
            terminal.write((json ? JSONValue.object(event.params).text : EventLine.text(event.params)) + "\n")
        case .gap, .disconnected, .reconnected:
            // Not among the events, whose reader may be a program.
            guard let line = EventLine.text(notice) else { return }
            terminal.writeError("handset: \(line)\n")
        }
    }
}
