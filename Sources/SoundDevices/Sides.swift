internal import Glibc
internal import Realtime

/// What the two sides of a device have in common: each is a sound card, or something that has none of a card's properties.
protocol DeviceSide: ~Copyable {
    /// What `body` says of the card; `otherwise` where this side is none.
    func ofCard<Answer>(otherwise: Answer, _ body: (borrowing PCM) -> Answer) -> Answer
}

extension DeviceSide where Self: ~Copyable {
    var isCard: Bool { ofCard(otherwise: false) { _ in true } }

    /// Frames of 48 kHz between a card's interrupts; 0 where there is none.
    var interruptFrames: Int { ofCard(otherwise: 0) { $0.parameters.frames48($0.parameters.periodFrames) } }

    /// Of a card: what was to be opened and was not.
    var passedOver: String? { ofCard(otherwise: nil) { $0.passedOver } }

    /// The loop's turn in frames of 48 kHz, where this side paces it.
    func turn(wanted: Int) -> Int { ofCard(otherwise: wanted) { $0.periodFrames } }

    /// Frames of 48 kHz that wait in a card's converter.
    var convertingFrames: Int { ofCard(otherwise: 0) { $0.convertingFrames } }

    func remark(wanted: Int) -> String? { ofCard(otherwise: nil) { $0.remark(wanted: wanted) } }
}

/// Where the loop's microphone sound comes from.
enum CaptureSide: ~Copyable, Sendable, DeviceSide {
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

    func ofCard<Answer>(otherwise: Answer, _ body: (borrowing PCM) -> Answer) -> Answer {
        switch self {
        case .card(let pcm): body(pcm)
        default: otherwise
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
enum PlaybackSide: ~Copyable, Sendable, DeviceSide {
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

    func ofCard<Answer>(otherwise: Answer, _ body: (borrowing PCM) -> Answer) -> Answer {
        switch self {
        case .card(let pcm): body(pcm)
        default: otherwise
        }
    }

    /// The least that may lie ahead of a card that tells to the sample where it plays, in frames of 48 kHz: 5 ms, and what it
    /// fetches beforehand. nil where that is not known, and what is needed is to be kept.
    var leastFill: Int? {
        ofCard(otherwise: nil) { pcm in
            pcm.parameters.isServer || pcm.parameters.hasCoarsePointer
                ? nil : 240 + pcm.parameters.frames48(pcm.parameters.fetchedFrames)
        }
    }

    /// Frames of 48 kHz that must lie ahead before each write: what passes between two interrupts, or, with a sound
    /// server, what makes its buffer all but full.
    var neededFrames: Int {
        let interrupts = interruptFrames
        return ofCard(otherwise: 0) { pcm in
            pcm.parameters.isServer
                ? pcm.parameters.frames48(pcm.parameters.bufferFrames) - pcm.periodFrames * 3 / 2 : interrupts
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
