internal import Glibc
internal import Realtime

/// Where the loop's microphone sound comes from.
enum CaptureSide: ~Copyable, Sendable {
    case card(PCM)
    case file(LoopedSound)
    case silence
    case memory(MemorySound.LoopEnd)

    init(_ name: DeviceName?, periodMilliseconds: Int) throws(SoundDeviceError) {
        switch name {
        case .alsa(let pcm)?: self = .card(try PCM(pcm, .capture, periodMilliseconds: periodMilliseconds))
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

    init(_ name: DeviceName?, periodMilliseconds: Int) throws(SoundDeviceError) {
        switch name {
        case .alsa(let pcm)?: self = .card(try PCM(pcm, .playback, periodMilliseconds: periodMilliseconds))
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

    var summary: String {
        switch self {
        case .card(let pcm): pcm.summary
        case .file(let recording): "file:,\(recording.path)"
        case .discard: "discarded"
        case .memory: "memory"
        }
    }
}
