internal import AudioLoop
internal import CLinux
internal import CallModel
internal import CallRecording
internal import CallSystem
internal import EventLoop
internal import MediaDescription
internal import Quality

/// What the media engine knows of one call.
@DaemonActor final class MediaCall {
    let id: CallID
    /// Its number on the network thread.
    let number: Int
    let link: StreamLink
    /// Its place in the audio loop; nil before offer and answer are done.
    var audio: CallAudio? {
        didSet {
            audio?.setGroup(group?.number ?? 0)
            audio?.setTap(exchange?.tap ?? recorder?.tap)
            audio?.setEchoes(service == .echo)
        }
    }
    /// What it is for where it is nobody's conversation.
    var service: CallService? {
        didSet { audio?.setEchoes(service == .echo) }
    }
    /// It is recorded, or will be as soon as the file is there.
    var isRecording: Bool { recordingNumber != nil }
    /// Which of its recordings that is, counted from 1.
    private(set) var recordingNumber: Int?
    private var recordings = 0
    var recorder: CallRecorder?
    /// What is collected of its sound.
    var exchange: SoundExchange? {
        didSet { audio?.setTap(exchange?.tap ?? recorder?.tap) }
    }
    /// The file that its peer hears in place of the microphone, and what the loop knows it by.
    var played: (number: UInt32, file: String)?
    /// Its group, and the number of that in the audio loop, which is not 0.
    var group: (id: GroupID, number: UInt32)? {
        didSet { audio?.setGroup(group?.number ?? 0) }
    }
    var parameters: StreamParameters? {
        didSet { updateExpectedSound() }
    }
    /// How it sounds; nil before the first measurement.
    var quality: QualityMeter?
    var gates = Gates() {
        didSet { updateExpectedSound() }
    }
    /// Whether sound of its peer is to come.
    private(set) var expectedSound = ExpectedSound()
    /// Whether its sound may flow.
    var isActivated = false
    /// Requests of gates that the loop has not acknowledged, by the word it will do it with.
    private var pending: [(word: UInt32, applied: @DaemonActor () -> Void)] = []

    init(id: CallID, number: Int, link: StreamLink) {
        self.id = id
        self.number = number
        self.link = link
    }

    var isSettled: Bool { pending.isEmpty }

    /// A recording is wanted. Returns its number.
    func beginRecording() -> Int {
        recordings += 1
        recordingNumber = recordings
        return recordings
    }

    func endRecording() {
        recordingNumber = nil
        audio?.setTap(exchange?.tap)
        recorder?.stop()
        recorder = nil
    }

    private func updateExpectedSound() {
        expectedSound.update(parameters?.direction, isHeld: gates.held, at: clinux_monotonic_ns())
    }

    func request(_ gates: Gates, applied: @escaping @DaemonActor () -> Void) {
        self.gates = gates
        guard let audio else { return later(applied) }
        let request = audio.requestGates(held: gates.held, muted: gates.muted, earmuffed: gates.earmuffed)
        guard request.isSettled else { return pending.append((request.word, applied)) }
        settleAll()
        later(applied)
    }

    /// The loop's acknowledgement of a word, which settles those before it as well.
    func settle(word: UInt32) {
        guard let index = pending.firstIndex(where: { $0.word == word }) else { return }
        let settled = pending[...index]
        pending.removeSubrange(...index)
        for request in settled { request.applied() }
    }

    /// No loop has the call: all that was asked for is so.
    func settleAll() {
        let settled = pending
        pending = []
        for request in settled { later(request.applied) }
    }

    private func later(_ applied: @escaping @DaemonActor () -> Void) {
        Task { @DaemonActor in applied() }
    }
}
