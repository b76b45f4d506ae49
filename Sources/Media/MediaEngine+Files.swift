internal import AudioLoop
public import CallModel
public import CallSystem
internal import CallRecording
internal import EventLoop
internal import Glibc
internal import SoundDevices

/// Recordings of calls, and files that are played into them. Files are opened and read on a thread of their own.
extension MediaEngine {
    // MARK: Recording

    public func startRecording(
        _ call: CallID, _ wish: RecordingWish, done: @escaping @DaemonActor (Result<String, CallError>) -> Void
    ) {
        func fail(_ message: String) {
            Task { @DaemonActor in done(.failure(CallError(.fileUnusable, message))) }
        }
        guard let known = calls[call] else { return fail("call \(call) has no media") }
        guard !known.isRecording else { return fail("call \(call): an earlier recording has not ended yet; try again") }
        let place: RecordingPlace
        do throws(RecordingError) {
            place = try RecordingPlace(
                wish, folder: configuration.recordings, format: configuration.recordingFormat)
        } catch { return fail("\(error)") }
        let number = known.beginRecording()
        let tap = SoundTap(beeps: configuration.recordingBeeps)
        recordings.run({ () -> Result<CallRecorder, RecordingError> in
            do throws(RecordingError) {
                return .success(
                    try place.begin(tap) { end in
                        Task { @DaemonActor [weak self] in self?.recorderEnded(end, of: call) }
                    })
            } catch { return .failure(error) }
        }) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let recorder):
                recorders[recorder.path] = recorder
                guard calls[call] === known, known.recordingNumber == number else {
                    recorder.discard()
                    let message = "Before \(recorder.path) was there, call \(call) was no longer to be recorded."
                    return done(.failure(CallError(.superseded, message)))
                }
                known.recorder = recorder
                known.audio?.setTap(recorder.tap)
                done(.success(recorder.path))
            case .failure(let error):
                if known.recordingNumber == number { known.endRecording() }
                done(.failure(CallError(.fileUnusable, "\(error)")))
            }
        }
    }

    public func stopRecording(_ call: CallID) { calls[call]?.endRecording() }

    private func recorderEnded(_ end: CallRecorder.End, of call: CallID) {
        let recorder = recorders.removeValue(forKey: end.path)
        if let known = calls[call], known.recorder?.path == end.path { known.endRecording() }
        guard recorder?.isDiscarded != true else { return }
        var told = RecordingEnd(
            call: call, file: end.path, seconds: end.seconds, droppedMilliseconds: end.droppedMilliseconds,
            failure: end.failure?.description)
        told.isRemoved = end.isRemoved
        observer?.handle(.recordingEnded(told))
    }

    /// Ends all recordings, and waits a second for the disk.
    func finishRecordings() {
        for recorder in recorders.values { recorder.stop() }
        let deadline = MonotonicInstant.now + .seconds(1)
        for recorder in recorders.values {
            _ = recorder.join(timeoutMilliseconds: max(0, Int(deadline.milliseconds(since: .now))))
        }
        recorders = [:]
    }

    // MARK: Playing

    public func play(
        _ call: CallID, file: String, loops: Bool, done: @escaping @DaemonActor (CallError?) -> Void
    ) {
        files.run({ () -> Result<SoundClip, SoundDeviceError> in
            do throws(SoundDeviceError) {
                return .success(try SoundClip(path: file, limit: SoundClip.longestHoldMusic))
            } catch { return .failure(error) }
        }) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let clip):
                guard let known = calls[call], let audio = known.audio else {
                    return done(CallError(.mediaFailed, "call \(call) has no sound"))
                }
                lastSound = lastSound == .max ? 1 : lastSound + 1
                let replaced = known.played
                known.played = (lastSound, file)
                audio.play(PlayedSound(clip, loops: loops, number: lastSound))
                done(nil)
                if let replaced { observer?.handle(.played(call, file: replaced.file, completed: false)) }
            case .failure(let error): done(CallError(.fileUnusable, "\(file): \(error.message)"))
            }
        }
    }

    public func stopPlaying(_ call: CallID) {
        guard let known = calls[call], let played = known.played else { return }
        known.played = nil
        known.audio?.play(nil)
        Task { @DaemonActor [weak self] in
            self?.observer?.handle(.played(call, file: played.file, completed: false))
        }
    }

    // MARK: Measuring

    public func exchange(
        _ call: CallID, sending samples: [Int16], collecting count: Int,
        done: @escaping @DaemonActor (_ sent: [Int16], _ heard: [Int16]) -> Void
    ) {
        guard let known = calls[call], !samples.isEmpty else { return }
        lastSound = lastSound == .max ? 1 : lastSound + 1
        known.exchange = SoundExchange(PlayedSound(SoundClip(samples), loops: false, number: lastSound), count: count) {
            [weak known] sent, heard in
            known?.exchange = nil
            known?.audio?.play(nil)
            done(sent, heard)
        }
        known.exchange?.begin { [weak known] sound in known?.audio?.play(sound) }
    }

    public func endExchange(_ call: CallID) -> Bool {
        guard let exchange = calls[call]?.exchange else { return false }
        exchange.end()
        return true
    }

    /// The loop has come to the end of a sound.
    func soundEnded(_ number: UInt32, of call: MediaCall) {
        guard let played = call.played, played.number == number else { return }
        call.played = nil
        call.audio?.play(nil)
        observer?.handle(.played(call.id, file: played.file, completed: true))
    }
}

/// Where a recording goes.
private struct RecordingPlace: Sendable {
    /// Without an ending where the name was made.
    private let path: String
    private let format: RecordingFormat
    private let isMade: Bool
    /// The folder that is made where it is not there.
    private let folder: String?

    init(_ wish: RecordingWish, folder: String, format: RecordingFormat) throws(RecordingError) {
        let folder = Self.absolute(folder)
        if let file = wish.file {
            guard let named = RecordingFormat(ofFile: file) else {
                throw RecordingError(path: file, reason: "the name says no format: it must end in .opus, .ogg or .wav")
            }
            guard file.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw RecordingError(path: file, reason: "the name has control characters")
            }
            guard file.hasPrefix("/") || !file.contains("/") else {
                throw RecordingError(
                    path: file, reason: "say a name in the folder of recordings, or a path that begins with /")
            }
            self.format = named
            isMade = false
            path = file.hasPrefix("/") ? file : "\(folder)/\(file)"
            self.folder = file.hasPrefix("/") ? nil : folder
        } else {
            self.format = format
            isMade = true
            path = "\(folder)/\(RecordingName.name(at: wish.seconds, with: wish.handle))"
            self.folder = folder
        }
        if self.folder?.isEmpty == true {
            throw RecordingError(
                path: path,
                reason:
                    "there is no folder for recordings, as the state directory cannot be used; set recording.directory")
        }
    }

    /// What clients are told means the same whatever their own folder is.
    private static func absolute(_ folder: String) -> String {
        guard !folder.isEmpty, !folder.hasPrefix("/"), let current = getcwd(nil, 0) else { return folder }
        defer { free(current) }
        return "\(String(cString: current))/\(folder)"
    }

    /// Two calls with one party in the same second have different files.
    func begin(
        _ tap: SoundTap, _ onEnd: @escaping @Sendable (CallRecorder.End) -> Void
    ) throws(RecordingError) -> CallRecorder {
        if let folder { mkdir(folder, 0o750) }
        guard isMade else { return try CallRecorder(tap, path: path, format: format, onEnd: onEnd) }
        var name = "\(path).\(format.rawValue)"
        for number in 2..<100 where access(name, F_OK) == 0 { name = "\(path)-\(number).\(format.rawValue)" }
        return try CallRecorder(tap, path: name, format: format, onEnd: onEnd)
    }
}
