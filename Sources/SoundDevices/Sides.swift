internal import Glibc
internal import Realtime

/// Where the loop's microphone sound comes from.
enum CaptureSide: ~Copyable, Sendable {
    case card(PCM)
    case file(LoopedSound)
    case silence
    case memory(MemorySound.LoopEnd)

    /// - Parameter turn: frames of the loop's turn, as it is wished for.
    init(_ name: DeviceName?, turn: Int) throws(SoundDeviceError) {
        switch name {
        case .alsa(let pcm)?: self = .card(try PCM(pcm, .capture, turn: turn, paces: true))
        case .file(let input?, _)?:
            do throws(SoundFileError) { self = .file(try LoopedSound(path: input)) } catch {
                throw SoundDeviceError(
                    .open, "file:\(input),", .capture, code: error.code, message: error.description)
            }
        default: self = .silence
        }
    }

    var isCard: Bool {
        switch self {
        case .card: true
        default: false
        }
    }

    /// Frames of 48 kHz between a card's interrupts; 0 where there is none.
    var interruptFrames: Int {
        switch self {
        case .card(let pcm): pcm.parameters.frames48(pcm.parameters.periodFrames)
        default: 0
        }
    }

    /// Of a card: what was to be opened and was not.
    var passedOver: String? {
        switch self {
        case .card(let pcm): pcm.passedOver
        default: nil
        }
    }

    /// The loop's turn in frames of 48 kHz, where this side paces it.
    func turn(wanted: Int) -> Int {
        switch self {
        case .card(let pcm): pcm.periodFrames
        default: wanted
        }
    }

    /// Frames of 48 kHz that wait in a card's converter.
    var convertingFrames: Int {
        switch self {
        case .card(let pcm): pcm.convertingFrames
        default: 0
        }
    }

    func remark(wanted: Int) -> String? {
        switch self {
        case .card(let pcm): pcm.remark(wanted: wanted)
        default: nil
        }
    }

    var summary: String {
        switch self {
        case .card(let pcm): pcm.summary
        case .file(let sound): "file:\(sound.path),"
        case .silence: "silence"
        case .memory: "memory"
        }
    }
}

/// Where the loop's loudspeaker sound goes.
enum PlaybackSide: ~Copyable, Sendable {
    case card(PCM)
    case file(Recording)
    case discard
    case memory(MemorySound.LoopEnd)

    /// - Parameters:
    ///   - turn: frames of the loop's turn.
    ///   - paces: there is no capture card, and the turn is only wished for.
    init(_ name: DeviceName?, turn: Int, paces: Bool) throws(SoundDeviceError) {
        switch name {
        case .alsa(let pcm)?: self = .card(try PCM(pcm, .playback, turn: turn, paces: paces))
        case .file(_, let output?)?: self = .file(try Recording(path: output))
        default: self = .discard
        }
    }

    var isCard: Bool {
        switch self {
        case .card: true
        default: false
        }
    }

    var interruptFrames: Int {
        switch self {
        case .card(let pcm): pcm.parameters.frames48(pcm.parameters.periodFrames)
        default: 0
        }
    }

    /// The least that may lie ahead of a card that tells to the sample where it plays, in frames of 48 kHz: 5 ms, and what it
    /// fetches beforehand. nil where that is not known, and what is needed is to be kept.
    var leastFill: Int? {
        switch self {
        case .card(let pcm):
            pcm.parameters.isServer || pcm.parameters.hasCoarsePointer
                ? nil : 240 + pcm.parameters.frames48(pcm.parameters.fetchedFrames)
        default: nil
        }
    }

    /// Frames of 48 kHz that must lie ahead before each write: what passes between two interrupts, or, with a sound
    /// server, what makes its buffer all but full.
    var neededFrames: Int {
        switch self {
        case .card(let pcm):
            pcm.parameters.isServer
                ? pcm.parameters.frames48(pcm.parameters.bufferFrames) - pcm.periodFrames * 3 / 2 : interruptFrames
        default: 0
        }
    }

    /// Of a card: what was to be opened and was not.
    var passedOver: String? {
        switch self {
        case .card(let pcm): pcm.passedOver
        default: nil
        }
    }

    /// The loop's turn in frames of 48 kHz, where this side paces it.
    func turn(wanted: Int) -> Int {
        switch self {
        case .card(let pcm): pcm.periodFrames
        default: wanted
        }
    }

    /// Frames of 48 kHz that wait in a card's converter.
    var convertingFrames: Int {
        switch self {
        case .card(let pcm): pcm.convertingFrames
        default: 0
        }
    }

    func remark(wanted: Int) -> String? {
        switch self {
        case .card(let pcm): pcm.remark(wanted: wanted)
        default: nil
        }
    }

    var summary: String {
        switch self {
        case .card(let pcm): pcm.summary
        case .file(let recording): "file:,\(recording.path)"
        case .discard: "discarded"
        case .memory: "memory"
        }
    }
}
