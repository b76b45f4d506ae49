internal import CallModel
internal import ControlProtocol
internal import FoundationEssentials

/// What the monitor shows: from what is known to the lines of the screen.
struct MonitorView {
    let state: MonitorState
    let now: Date
    let size: ScreenPainter.Size
    let look: Look

    /// Columns of a level meter, at most.
    private static let meterWidth = 24
    /// Columns that stand beside it at most before what may be cut off: the level, and all that gates can be.
    private static let besideMeter = 66

    /// Lines of the screen from the top, as many as it has rows.
    var lines: [ScreenLine] {
        guard size.rows > 0, size.columns > 0 else { return [] }
        let bottom = footer.suffix(size.rows)
        let room = size.rows - bottom.count
        var top = state.showsHelp ? MonitorLegend.help(look) : header
        if !state.showsHelp { top += body(max(0, room - top.count)) }
        // Where the screen is low the keys stay: they are what cannot be guessed.
        top = Array(top.prefix(room))
        let gap = Array(repeating: ScreenLine(look), count: room - top.count)
        return top + gap + bottom
    }

    // MARK: The top

    private var header: [ScreenLine] {
        var line = ScreenLine(look)
        guard let status = state.status else {
            line.add(state.disconnection ?? "handsetd", state.disconnection == nil ? .bold : .bad)
            return [line, rule]
        }
        line.add("handsetd \(status.version)", .bold)
        if let time = state.statusTime {
            let start = time.addingTimeInterval(-min(max(0, status.uptimeSeconds), 1e10))
            line.add("\(look.separator)since \(LocalTime.clock(start))")
        }
        line.add("\(look.separator)audio ")
        line.add(status.audio.state, status.audio.state == "interrupted" ? .bad : .plain)
        if status.doNotDisturb.active {
            line.add("\(look.separator)do not disturb", .warning)
            if !status.doNotDisturb.on { line.add(", by the hour") }
        }
        if status.ringer.silent { line.add("\(look.separator)ringer silent", .warning) }
        if status.missedCalls > 0 { line.add("\(look.separator)\(status.missedCalls) missed", .warning) }
        if status.droppedRequests > 0 { line.add("\(look.separator)\(status.droppedRequests) dropped", .dim) }
        var lines = [line, accounts(status.accounts)]
        if state.disconnection != nil {
            lines.append(ScreenLine("the daemon has gone; waiting for it to come back", .bad, look))
        }
        return lines + [rule]
    }

    private func accounts(_ accounts: [AccountInfo]) -> ScreenLine {
        var line = ScreenLine(look)
        if accounts.isEmpty { line.add("no accounts: calls are direct", .dim) }
        for (index, account) in accounts.enumerated() {
            if index > 0 { line.add(look.separator) }
            let style: Style =
                switch account.state {
                case "registered": account.reachable ? .good : .bad
                case "failed": .bad
                default: .plain
                }
            line.add("\(account.name) ")
            line.add(account.reachable || account.state != "registered" ? account.state : "unreachable", style)
            if let error = account.lastError, style == .bad { line.add(" (\(error))", .bad) }
        }
        return line
    }

    private var rule: ScreenLine { ScreenLine(String(repeating: look.rule, count: size.columns), .dim, look) }

    // MARK: Calls and events

    private func body(_ room: Int) -> [ScreenLine] {
        guard !state.calls.isEmpty else {
            return [ScreenLine("no calls", .dim, look)] + history(room - 1)
        }
        let names = Reports.shortNames(state.calls)
        // Meters of all calls where there is room for them, else of the selected one, else of none.
        let all = 3 * state.calls.count <= room
        let one = !all && state.calls.count + 2 <= room
        var lines: [ScreenLine] = []
        var selection = 0
        for (call, name) in zip(state.calls, names) {
            let isSelected = call.id == state.selectedCall?.id
            if isSelected { selection = lines.count }
            lines.append(title(call, name, isSelected))
            if all || (one && isSelected) { lines += meters(call) }
        }
        // Of more calls than rows, those about the selected one.
        if lines.count > room { lines = Array(lines.dropFirst(max(0, min(selection - room / 2, lines.count - room)))) }
        return lines + history(room - lines.count)
    }

    private func title(_ call: CallSnapshot, _ name: String, _ isSelected: Bool) -> ScreenLine {
        var line = ScreenLine(look)
        line.add(isSelected ? look.selection : "  ", .bold)
        line.add(name, isSelected ? .reverse : .plain)
        line.add("  ")
        let state = Reports.state(call)
        line.add(state, call.state == .incoming ? .warning : call.held ? .dim : .good)
        line.pad(to: 24)
        if let since = call.connectedAt ?? call.startedConnectingAt {
            line.add(Reports.duration(max(0, now.timeIntervalSince(since))))
        }
        line.pad(to: 33)
        line.add(Reports.party(call), .bold)
        let switches = Reports.marks(call) + (call.group == nil ? [] : ["group"])
        if !switches.isEmpty { line.add("  " + switches.joined(separator: ", "), .warning) }
        if let account = call.account { line.add("  via \(account)", .dim) }
        return line
    }

    private func meters(_ call: CallSnapshot) -> [ScreenLine] {
        let figures = state.figures[call.id]
        // What was measured before a hold says nothing of now.
        let isKnown = figures != nil && !call.held
        var sent = meter("sent", figures?.sent.levelDbfs, isKnown: isKnown)
        var received = meter("received", figures?.received.levelDbfs, isKnown: isKnown)
        // Whether one is heard comes first: the name of a cipher is longer than what a narrow screen has left.
        if let gate = figures?.gate {
            sent.add("  gates ")
            sent.add(Reports.gates(gate), gate.held || gate.muted || gate.earmuffed ? .warning : .good)
        }
        sent.add("  " + [call.codec, call.security].compactMap { $0 }.joined(separator: " "), .dim)
        guard let figures else { return [sent, received] }
        let loss = Reports.lostPercent(received: figures.received.packets, lost: figures.received.lost)
        received.add("  lost ")
        received.add("\(figures.received.lost) (\(Reports.tenths(loss)) %)", loss >= 1 ? .bad : .plain)
        received.add("  buffer \(Reports.milliseconds(figures.bufferMs)) ms")
        received.add("  jitter \(Reports.milliseconds(figures.jitterMs)) ms")
        if let roundTrip = figures.roundTripMs { received.add("  round trip \(Reports.milliseconds(roundTrip)) ms") }
        return [sent, received]
    }

    private func meter(_ name: String, _ level: Double?, isKnown: Bool) -> ScreenLine {
        var line = ScreenLine("    \(name)", .plain, look)
        line.pad(to: 13)
        line.addMeter(
            isKnown ? level : nil, columns: min(Self.meterWidth, max(4, size.columns - Self.besideMeter)))
        let text = isKnown ? Reports.level(level) : "-"
        line.add(String(repeating: " ", count: max(1, 12 - text.count)) + text)
        return line
    }

    private func history(_ room: Int) -> [ScreenLine] {
        guard room > 1, !state.events.isEmpty else { return [] }
        return [rule] + state.events.suffix(room - 1).map { ScreenLine($0, .dim, look) }
    }

    // MARK: The bottom

    private var footer: [ScreenLine] {
        var line = ScreenLine(look)
        if let prompt = state.prompt {
            let question =
                switch prompt.purpose {
                case .dial: "call whom? "
                case .keys: "keys: "
                case .transfer: "transfer to whom? "
                }
            line.add(question, .bold)
            // The end of what is typed is what one looks at.
            let room = max(1, size.columns - line.columns - 1)
            line.add(String(prompt.text.suffix(room)))
            line.add(look.cursor)
        } else if let message = state.message {
            line.add(message.text, message.isError ? .bad : .plain)
        }
        // All keys stand above, then.
        if state.showsHelp, state.prompt == nil { return state.message == nil ? [] : [line] }
        return [line] + MonitorLegend.lines(state, columns: size.columns, look)
    }
}
