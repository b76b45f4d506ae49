internal import CallModel

/// The keys, as the monitor shows them.
enum MonitorLegend {
    /// The keys that mean something now, on two lines at most.
    static func lines(_ state: MonitorState, columns: Int, _ look: Look) -> [ScreenLine] {
        if state.prompt != nil { return [ScreenLine("Enter sends, Esc does not", .dim, look)] }
        var entries = MonitorKey.all.compactMap { key in word(key, state).map { (key.name, $0) } }
        var lines = laidOut(entries, columns: columns, look)
        // The last two, help and quit, lead to all others: they stay.
        while lines.count > 2, entries.count > 2 {
            entries.remove(at: entries.count - 3)
            lines = laidOut(entries, columns: columns, look)
        }
        return Array(lines.prefix(2))
    }

    private static func laidOut(_ entries: [(name: String, word: String)], columns: Int, _ look: Look) -> [ScreenLine] {
        var lines = [ScreenLine(look)]
        for (name, word) in entries {
            let width = TextWidth.columns(name) + TextWidth.columns(word) + 3
            let used = lines[lines.count - 1].columns
            if used > 0, used + width > columns {
                lines.append(ScreenLine(look))
            } else if used > 0 {
                lines[lines.count - 1].add("  ")
            }
            lines[lines.count - 1].add(name, .bold)
            lines[lines.count - 1].add(" \(word)")
        }
        return lines
    }

    /// All keys, one a line.
    static func help(_ look: Look) -> [ScreenLine] {
        MonitorKey.all.map { key in
            var line = ScreenLine("  ", .plain, look)
            line.add(key.name, .bold)
            line.pad(to: 12)
            line.add(key.help)
            return line
        }
    }

    /// What the key does now; nil for nothing.
    private static func word(_ key: MonitorKey, _ state: MonitorState) -> String? {
        let call = state.selectedCall
        let isConnected = call?.state == .connected
        let isUp = state.disconnection == nil
        let hasPair =
            state.calls.contains { $0.state == .connected && $0.held }
            && state.calls.contains { $0.state == .connected && !$0.held }
        switch key.command {
        case .up, .down: return state.calls.count > 1 && key.command == .up ? key.word : nil
        case .answer, .reject, .busy: return isUp && state.calls.contains { $0.state == .incoming } ? key.word : nil
        case .endAndAnswer:
            let isBusy = state.calls.contains { $0.state != .incoming && !$0.held }
            return isUp && isBusy && state.calls.contains { $0.state == .incoming } ? key.word : nil
        case .hangUp: return isUp && call != nil ? key.word : nil
        case .hold: return isUp && isConnected ? call?.held == true ? "resume" : key.word : nil
        case .mute: return isUp && isConnected ? call?.muted == true ? "unmute" : key.word : nil
        case .earmuff: return isUp && isConnected ? call?.earmuffed == true ? "unearmuff" : key.word : nil
        case .keys, .transfer: return isUp && isConnected ? key.word : nil
        case .swap, .connect: return isUp && hasPair ? key.word : nil
        case .merge: return isUp && state.calls.filter { $0.state == .connected }.count > 1 ? key.word : nil
        case .split: return isUp && call?.group != nil ? key.word : nil
        case .dial, .redial, .quieter, .louder: return isUp ? key.word : nil
        case .doNotDisturb: return isUp ? state.isQuiet ? "let ring" : key.word : nil
        case .redraw: return nil
        case .help, .quit: return key.word
        }
    }
}
