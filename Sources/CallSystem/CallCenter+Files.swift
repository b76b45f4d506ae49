public import CallModel
public import EventLoop
internal import FoundationEssentials

/// Recordings of calls, and files that are played into them.
extension CallCenter {
    public typealias Done = @DaemonActor (Result<ActionResult, CallError>) -> Void

    /// Records a connected call from now on; `done` is called once, when the file is there.
    ///
    /// - Parameter file: as `RecordingWish.file`.
    public func startRecording(
        _ call: CallID, file: String? = nil, readAt: MonotonicInstant, _ done: @escaping Done
    ) {
        guard let index = connected(call, done) else { return }
        if records[index].isRecording {
            guard file == nil || file == records[index].recording else {
                let current = records[index].recording ?? "another file"
                let message = "Call \(call) is being recorded to \(current); stop that first."
                return tell(done, .failure(CallError(.invalidState, message)))
            }
            return fulfil(call, changed: false, readAt: readAt, done)
        }
        records[index].isRecording = true
        records[index].recordingAttempts += 1
        let attempt = records[index].recordingAttempts
        let wish = RecordingWish(
            file: file, handle: records[index].handle.value, seconds: Int(clock.date.timeIntervalSince1970))
        media.startRecording(call, wish) { [weak self] result in
            self?.recordingBegan(call, attempt, result, readAt: readAt, done)
        }
    }

    private func recordingBegan(
        _ call: CallID, _ attempt: Int, _ result: Result<String, CallError>, readAt: MonotonicInstant,
        _ done: @escaping Done
    ) {
        guard let index = records.firstIndex(where: { $0.id == call }) else {
            return tell(done, .failure(Self.unknown(call)))
        }
        switch result {
        case .success(let path):
            records[index].recording = path
            settle()
            fulfil(call, changed: true, readAt: readAt, done)
        case .failure(let error):
            // Stopped before its file was there, it may have given way to another one.
            if records[index].recordingAttempts == attempt { records[index].isRecording = false }
            settle()
            tell(done, .failure(error))
        }
    }

    /// Ends the recording of a call.
    public func stopRecording(_ call: CallID, readAt: MonotonicInstant, _ done: @escaping Done) {
        guard let index = records.firstIndex(where: { $0.id == call }) else {
            return tell(done, .failure(Self.unknown(call)))
        }
        let wasRecording = records[index].isRecording
        records[index].isRecording = false
        if wasRecording { media.stopRecording(call) }
        settle()
        fulfil(call, changed: wasRecording, readAt: readAt, done)
    }

    /// A call has been connected that may have to be recorded.
    func recordIfWanted(_ call: CallID) {
        guard let record = record(of: call), record.service == nil else { return }
        let own = record.account.flatMap { policy.recordsCallsByAccount[$0] }
        guard own ?? policy.recordsCalls else { return }
        startRecording(call, readAt: clock.now) { [weak self] result in
            guard let self, case .failure(let error) = result, error.reason == .fileUnusable else { return }
            emit(.recordingEnded(RecordingEnd(call: call, file: "", seconds: 0, failure: error.message)))
        }
    }

    func recordingEnded(_ end: RecordingEnd) {
        if let index = records.firstIndex(where: { $0.id == end.call }), records[index].recording == end.file {
            if end.failure != nil { records[index].isRecording = false }
            if end.isRemoved { records[index].recording = nil }
            settle()
        }
        emit(.recordingEnded(end))
    }

    // MARK: Playing

    /// Has a connected call's remote party hear the sound of a file in place of the microphone; `done` is called once, when
    /// it begins. Held, it waits; muted, it goes on unheard.
    public func play(
        _ file: String, loops: Bool, to call: CallID, readAt: MonotonicInstant, _ done: @escaping Done
    ) {
        guard let index = connected(call, done) else { return }
        records[index].playsPending += 1
        let calledOff = records[index].playsCalledOff
        media.play(call, file: file, loops: loops) { [weak self] error in
            guard let self else { return }
            let index = records.firstIndex(where: { $0.id == call })
            if let index { records[index].playsPending -= 1 }
            if let error { return tell(done, .failure(error)) }
            guard let index else { return tell(done, .failure(Self.unknown(call))) }
            guard records[index].playsCalledOff == calledOff else {
                media.stopPlaying(call)
                let message = "Before \(file) was read, call \(call) was to hear the microphone again."
                return tell(done, .failure(CallError(.superseded, message)))
            }
            records[index].playing = file
            settle()
            fulfil(call, changed: true, readAt: readAt, done)
        }
    }

    /// Has it hear the microphone again.
    public func stopPlaying(to call: CallID, readAt: MonotonicInstant, _ done: @escaping Done) {
        guard let index = records.firstIndex(where: { $0.id == call }) else {
            return tell(done, .failure(Self.unknown(call)))
        }
        let wasPlaying = records[index].playing != nil || records[index].playsPending > 0
        if records[index].playsPending > 0 { records[index].playsCalledOff += 1 }
        media.stopPlaying(call)
        records[index].playing = nil
        settle()
        fulfil(call, changed: wasPlaying, readAt: readAt, done)
    }

    func played(_ call: CallID, file: String, completed: Bool) {
        guard let index = records.firstIndex(where: { $0.id == call }) else { return }
        // Another one may have taken its place.
        if completed { records[index].playing = nil }
        settle()
        if let snapshot = snapshot(of: call) { emit(.played(snapshot, file: file, completed: completed)) }
    }

    // MARK: Parts

    /// The place in the list of a call that has sound; where there is none, `done` is told.
    private func connected(_ call: CallID, _ done: @escaping Done) -> Int? {
        guard let index = records.firstIndex(where: { $0.id == call }) else {
            tell(done, .failure(Self.unknown(call)))
            return nil
        }
        guard records[index].machine.state == .connected else {
            let message = "Call \(call) is not connected, and has no sound yet."
            tell(done, .failure(CallError(.invalidState, message)))
            return nil
        }
        return index
    }

    private func fulfil(_ call: CallID, changed: Bool, readAt: MonotonicInstant, _ done: @escaping Done) {
        guard let snapshot = snapshot(of: call) else { return tell(done, .failure(Self.unknown(call))) }
        let elapsed = clock.now.milliseconds(since: readAt)
        tell(done, .success(ActionResult(call: snapshot, changed: changed, elapsedMs: elapsed)))
    }
}
