internal import CALSA
internal import CLinux
internal import Glibc
internal import Realtime
internal import Resampling

/// An open ALSA PCM that gives or takes 48 kHz mono Int16, whatever the card speaks. Closed when its owner goes.
///
/// `@unchecked`: made on one thread, then used by the one it is moved to.
struct PCM: ~Copyable, @unchecked Sendable {
    let handle: OpaquePointer
    /// What was opened: as asked for, or what stands in for it.
    let name: String
    /// Why it is not what was asked for; nil where it is.
    let passedOver: String?
    let direction: SoundDirection
    let isCapture: Bool
    let parameters: PCMParameters
    /// Frames of 48 kHz that the loop moves at a time.
    let periodFrames: Int
    let resampler: Resampler?

    private let place: InPlace
    // Memory of the loop; the pointers reach into `memory`.
    private let memory: LockedBuffer
    let state: UnsafeMutablePointer<State>
    /// Frames as the card has them; `chunkFrames` of them.
    let raw: UnsafeMutableRawPointer
    /// Mono at the card's rate; as many.
    let mono: UnsafeMutablePointer<Int16>
    /// Mono at 48 kHz: captured and not yet read, or on its way to the card; `queueFrames` of them.
    let queue: UnsafeMutablePointer<Int16>
    let descriptors: UnsafeMutablePointer<pollfd>
    let descriptorCount: Int
    let chunkFrames: Int
    let queueFrames: Int

    /// What changes as the loop turns.
    struct State: BitwiseCopyable {
        var queued = 0
        var xruns = 0
        /// Frames of the card that were there beyond what the turn waited for.
        var overdue = 0
        /// Failures since sound last flowed.
        var failures = 0
        /// Playback: frames of 48 kHz that lie ahead before each write.
        var nominalFill = 0
        /// Playback: the next write sets it going.
        var isToStart = false
        /// When the next period may be taken from something that has no clock.
        var earliest: UInt64 = 0
    }

    /// Opens `wanted`, or what stands in for it (`DefaultDevice`), non-blocking: a busy card is an answer, not a wait.
    ///
    /// - Parameters:
    ///   - turn: frames of 48 kHz that the loop is to move at a time.
    ///   - paces: it turns the loop, which then moves what this card's periods are.
    init(
        _ wanted: String, _ direction: SoundDirection, turn: Int, paces: Bool
    ) throws(SoundDeviceError) {
        Self.keepMessages()
        let (opened, name, reason) = try Self.open(wanted, direction)
        var parameters = PCMParameters()
        let agreed = parameters.negotiate(opened, turn: turn)
        let count = agreed < 0 ? 0 : Int(snd_pcm_poll_descriptors_count(opened))
        guard agreed >= 0, count > 0, count <= 32 else {
            let error = SoundDeviceError.alsa(.configure, name, direction, code: min(agreed, -1))
            snd_pcm_close(opened)
            throw error
        }
        var converter: Resampler?
        if parameters.rate != 48_000 {
            do throws(ResamplerError) {
                converter =
                    direction == .capture
                    ? try Resampler(from: parameters.rate, to: 48_000)
                    : try Resampler(from: 48_000, to: parameters.rate)
            } catch {
                snd_pcm_close(opened)
                throw SoundDeviceError(
                    .configure, "alsa:\(name)", direction, code: EINVAL, message: error.description)
            }
        }
        handle = opened
        self.name = name
        passedOver = reason
        self.direction = direction
        isCapture = direction == .capture
        self.parameters = parameters
        let turn = paces ? parameters.turn(wanted: turn) : turn
        periodFrames = turn
        resampler = consume converter
        chunkFrames = parameters.cardFrames(turn) + 64
        queueFrames = 4 * turn + 512
        descriptorCount = count

        let rawBytes = (chunkFrames * parameters.channels * parameters.format.bytes + 63) / 64 * 64
        let monoBytes = (chunkFrames * 2 + 63) / 64 * 64
        let queueBytes = (queueFrames * 2 + 63) / 64 * 64
        place = InPlace()
        memory = LockedBuffer(byteCount: 512 + rawBytes + monoBytes + queueBytes + 64)
        let base = memory.base
        state = base.bindMemory(to: State.self, capacity: 1)
        state.initialize(to: State())
        descriptors = (base + 128).bindMemory(to: pollfd.self, capacity: 32)
        raw = base + 512
        mono = (raw + rawBytes).bindMemory(to: Int16.self, capacity: chunkFrames)
        queue = (raw + rawBytes + monoBytes).bindMemory(to: Int16.self, capacity: queueFrames)
    }

    /// Opens `wanted`, or where that is `default` and leads nowhere, what stands in for it, with the reason.
    private static func open(
        _ wanted: String, _ direction: SoundDirection
    ) throws(SoundDeviceError) -> (OpaquePointer, name: String, passedOver: String?) {
        let stream = direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK
        var opened: OpaquePointer?
        let code = snd_pcm_open(&opened, wanted, stream, Int32(SND_PCM_NONBLOCK))
        if code >= 0, let opened { return (opened, wanted, nil) }
        let failure = SoundDeviceError.alsa(.open, wanted, direction, code: code)
        for substitute in DefaultDevice.substitutes(for: wanted, code: -code, cards: SoundCards().list())
        where snd_pcm_open(&opened, substitute, stream, Int32(SND_PCM_NONBLOCK)) >= 0 {
            if let opened { return (opened, substitute, "\(failure); alsa:\(substitute) is used instead") }
        }
        throw failure
    }

    deinit {
        // Drop, never drain: that could wait for ever on a card that is gone.
        snd_pcm_drop(handle)
        snd_pcm_close(handle)
    }

    /// Sets thresholds and readies the card; the capture side starts. `nominalFill` is what playback keeps ahead before
    /// each write, in frames of 48 kHz; a pacing playback wakes the loop when no more than that is left.
    func start(nominalFill: Int, paces: Bool) throws(SoundDeviceError) {
        let period = parameters.cardFrames(periodFrames)
        let ahead = parameters.cardFrames(nominalFill)
        state.pointee = State(nominalFill: nominalFill)
        var code: Int32
        let wake = direction == .playback && paces ? parameters.bufferFrames - ahead : period
        // It starts when it is told to: what lies ahead then may be less than now.
        code = parameters.applySoftware(handle, startThreshold: 1 << 30, wakeAt: wake)
        guard code >= 0 else { throw .alsa(.configure, name, direction, code: code) }
        // Of no use before the parameters are set, and the same from then on.
        let count = snd_pcm_poll_descriptors(handle, descriptors, UInt32(descriptorCount))
        guard count == descriptorCount else { throw .alsa(.configure, name, direction, code: -EINVAL) }
        code = restart()
        guard code >= 0 else { throw .alsa(.start, name, direction, code: code) }
    }

    /// Stops at once; what lies ahead is not played.
    func stop() { _ = snd_pcm_drop(handle) }

    /// For logs: what was agreed on, and the card that the name has led to.
    var summary: String {
        "alsa:\(name)\(SoundCards().remark(card: Self.card(of: handle), name: name)) \(parameters.format) \(parameters.channels) ch \(parameters.rate) Hz, "
            + "period \(parameters.periodFrames), buffer \(parameters.bufferFrames)"
    }

    /// The index of the card that sound goes to or comes from; negative where it is a sound server's, or none.
    private static func card(of handle: OpaquePointer) -> Int {
        var made: OpaquePointer?
        guard snd_pcm_info_malloc(&made) == 0, let info = made else { return -1 }
        defer { snd_pcm_info_free(info) }
        return snd_pcm_info(handle, info) == 0 ? Int(snd_pcm_info_get_card(info)) : -1
    }

    /// Frames of 48 kHz that wait in its converter.
    var convertingFrames: Int {
        switch resampler {
        case .none: 0
        case .some(let resampler): isCapture ? resampler.outputLatency : resampler.inputLatency
        }
    }

    /// Why sound waits longer than turns of `wanted` frames of 48 kHz would make it; nil where it does not.
    func remark(wanted: Int) -> String? {
        let period = parameters.frames48(parameters.periodFrames)
        guard period > wanted + wanted / 50 || periodFrames != wanted else { return nil }
        let what =
            "alsa:\(name) has \(isCapture ? "capture" : "playback") periods of \(Self.milliseconds(period)) ms where "
            + "\(Self.milliseconds(wanted)) were asked for (audio.period_ms)"
        guard periodFrames == wanted else {
            return "\(what); the audio loop turns every \(Self.milliseconds(periodFrames)) ms"
        }
        return "\(what); sound waits up to \(Self.milliseconds(period - wanted)) ms longer for it"
    }

    private static func milliseconds(_ frames: Int) -> String {
        let hundredths = (frames * 100 + 24) / 48
        if hundredths % 100 == 0 { return "\(hundredths / 100)" }
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }

    /// Keeps alsa-lib from writing to stderr.
    static func keepMessages() { _ = messagesKept }

    private static let messagesKept: Void = { _ = calsa_keep_messages() }()
}
