// Looks into the module: where that cannot be, in a release build that is none for fuzzing, there is nothing here.
#if DEBUG || FUZZING
    import CallModel
    import ControlProtocol
    import FoundationEssentials

    @testable import HandsetCommand
    @testable import HandsetKit

    /// What `handset` reads: the words of a command line, keys of a terminal, and what a daemon answers and tells, in which
    /// the names of strangers are. Whatever it is, nothing of it may steer the terminal.
    @_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        let bytes = Array(UnsafeBufferPointer(start: start, count: count))
        let words = bytes.split(separator: 0, omittingEmptySubsequences: false)
        _ = try? Invocation(parsing: words.map { String(decoding: $0, as: UTF8.self) })

        var monitor = MonitorState()
        for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(64) {
            switch ControlReply(parsing: Array(line)) {
            case .result(_, let result)?: read(result, &monitor)
            case .event(let params)?:
                check(EventLine.text(params))
                guard let event = DaemonEvent(params, instance: "i") else { continue }
                _ = monitor.handle(.notice(.event(event)), now: now)
            case .failure(_, let error)?: _ = monitor.handle(.failed(error.message), now: now)
            case nil: continue
            }
        }
        draw(monitor)
        for key in keys(bytes) { _ = monitor.handle(.key(key), now: now) }
        draw(monitor)
        return 0
    }

    /// Where a read from the terminal ends must not matter.
    private func keys(_ bytes: [UInt8]) -> [Key] {
        var (whole, pieces) = (KeyDecoder(), KeyDecoder())
        let keys = whole.take(bytes)
        let third = bytes.count / 3
        let again = pieces.take(bytes[..<third]) + pieces.take(bytes[third...])
        precondition(keys == again, "keys that depend on how they came")
        precondition(whole.flush() == pieces.flush() && !whole.isWaiting, "something waits for ever")
        return keys
    }

    /// The answer to any request, shown as the answer to each.
    private func read(_ result: JSONValue, _ monitor: inout MonitorState) {
        if let status = DaemonStatus(json: result) {
            check(Reports.status(status))
            _ = monitor.handle(.status(status), now: now)
        }
        let calls = result["calls"]?.array?.compactMap(CallSnapshot.init(json:)) ?? []
        check(Reports.calls(calls, now: now))
        _ = monitor.handle(.calls(calls, asOf: 0), now: now)
        if let report = StatisticsReport(json: result) {
            check(Reports.statistics(report))
            _ = monitor.handle(.statistics(report), now: now)
        }
        check(Reports.history(result["entries"]?.array?.compactMap(HistoryEntry.init(json:)) ?? []))
        check(Reports.transaction(result["actions"]?.array?.compactMap(TransactionEntry.init(json:)) ?? []))
        check(Reports.devices(result["devices"]?.array?.compactMap(DeviceInfo.init(json:)) ?? []))
        if let action = ActionResult(json: result) { check(Reports.action(action)) }
        check(Reports.blocked(BlockReport(json: result)))
        check(Reports.contacts(ContactsReport(json: result)))
        check(Reports.volume(VolumeInfo(json: result)))
        if let probe = ProbeReport(json: result) { check(Reports.probe(probe)) }
    }

    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func draw(_ monitor: MonitorState) {
        for (columns, rows, isUTF8) in [(80, 24, true), (17, 5, false)] {
            let size = ScreenPainter.Size(columns: columns, rows: rows)
            let look = Look(isUTF8: isUTF8, hasColour: true)
            let lines = MonitorView(state: monitor, now: now, size: size, look: look).lines
            precondition(lines.count == rows, "more lines than the screen has, or fewer")
            for line in lines {
                let fitted = line.fitted(to: columns)
                precondition(fitted.columns <= columns, "a line that is wider than the screen")
                check(fitted.text)
            }
        }
    }

    private func check(_ text: String) {
        for scalar in text.unicodeScalars where scalar != "\n" {
            let isControl = scalar.properties.generalCategory == .control
            let turnsWriting = 0x202A...0x202E ~= scalar.value || 0x2066...0x2069 ~= scalar.value
            precondition(!isControl && !turnsWriting, "a text that steers the terminal")
        }
    }
#endif
