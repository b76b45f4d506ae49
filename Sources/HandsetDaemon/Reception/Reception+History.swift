internal import CallModel
internal import CallSystem
internal import ControlProtocol
internal import EventLoop
internal import Records

/// What happens to calls, for the history.
extension Reception {
    func note(_ event: CallCenterEvent) {
        switch event {
        // A service's calls are nobody's.
        case .started(let call), .incoming(let call), .updated(let call, _), .ended(let call):
            if call.service == nil { noteCall(event) }
        default: break
        }
    }

    private func noteCall(_ event: CallCenterEvent) {
        switch event {
        case .started(let call), .incoming(let call):
            shown.insert(call.id)
            store?.note(call)
        case .updated(let call, let changed):
            guard call.state == .connected,
                changed.contains("state") || call.recording != nil && changed.contains("recording")
            else { return }
            store?.note(call)
            connected.insert(call.id)
        case .ended(let call):
            connected.remove(call.id)
            ended(call, rang: shown.remove(call.id) != nil)
        default: break
        }
    }

    private func ended(_ call: CallSnapshot, rang: Bool) {
        // Counted at once; the file knows better as soon as it is asked.
        if call.isMissed(rang: rang) { missedCalls += 1 }
        guard let store else { return tellHistoryChanged() }
        unwritten += 1
        store.finish(call, rang: rang, at: clock.date) { [weak self] missed in
            guard let self else { return }
            unwritten -= 1
            if let missed, unwritten == 0 { missedCalls = missed }
            tellHistoryChanged()
        }
    }

    private func tellHistoryChanged() { onEvent?(.historyChanged(missedCalls: missedCalls)) }

    func history(
        _ query: HistoryQuery, seen: Bool,
        _ done: @escaping @DaemonActor (Result<[HistoryEntry], CallError>) -> Void
    ) {
        guard let store else { return done(.failure(Self.noRecords)) }
        store.history(query, seen: seen) { [weak self] entries, missed in
            if let self, let missed, unwritten == 0, missed != missedCalls {
                missedCalls = missed
                tellHistoryChanged()
            }
            done(entries)
        }
    }

    func clearHistory(_ done: @escaping @DaemonActor (Result<ListChange, CallError>) -> Void) {
        guard let store else { return done(.failure(Self.noRecords)) }
        store.clearHistory { [weak self] saved in
            if let self {
                missedCalls = 0
                tellHistoryChanged()
            }
            done(.success(ListChange(changed: true, saved: saved)))
        }
    }

    // MARK: What is too old

    /// How often it is looked for, besides at each call's end: on a telephone that nobody calls, too, history ends in time.
    private static let pruneInterval = Duration.seconds(3_600)

    func prune() {
        store?.prune(at: clock.date) { [weak self] missed in
            guard let self, let missed, unwritten == 0, missed != missedCalls else { return }
            missedCalls = missed
            tellHistoryChanged()
        }
        pruneLater()
    }

    func pruneLater() {
        cancelPruning?()
        cancelPruning = store == nil ? nil : clock.schedule(after: Self.pruneInterval) { [weak self] in self?.prune() }
    }

    static var noRecords: CallError {
        CallError(.invalidState, "The daemon could open no database, not even in memory; its log says why.")
    }
}
