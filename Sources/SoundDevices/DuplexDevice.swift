internal import CLinux
internal import Glibc
internal import Realtime

/// What a wait for the sound card has brought.
public enum WaitResult: BitwiseCopyable, Hashable, Sendable {
    /// One period can be read, and one written.
    case ready
    case timedOut
    /// A negative errno value, for `recover`.
    case failed(Int)
}

/// Whether a device that failed is of use.
public enum Recovery: BitwiseCopyable, Hashable, Sendable {
    /// The loop goes on with its next turn.
    case again
    /// Unplugged, or beyond help: the device must be closed and opened anew.
    case lost
}

/// A microphone and a loudspeaker that turn the audio loop: 48 kHz, mono, Int16, whatever is behind them.
///
/// Made and let go on an ordinary thread, moved to the loop's in between. The loop's turn is `wait`, `read`, `write` of
/// one period each. What paces it is the capture card; without one, the playback card; without any, a timer.
public struct DuplexDevice: ~Copyable, Sendable {
    let capture: CaptureSide
    let playback: PlaybackSide
    let pace: Pace
    let clock: LoopClock

    /// Frames of one period: what the loop reads and writes in a turn.
    public let periodFrames: Int

    /// Frames that lie ahead of the loudspeaker before each turn's write when all is well: what `playbackFill` is kept at.
    public let nominalFill: Int

    /// The least that may be kept there instead, where a loop that knows how late it wakes may choose; nil where not: the
    /// pointer of the loudspeaker's card is too coarse for it, or no capture card paces the loop.
    public let leastFill: Int?

    /// Where sound waits longer than it would with periods as they were asked for, and why; for logs.
    public let remarks: [String]

    /// Frames that wait in the converters of cards at other rates.
    public let captureConverting: Int
    public let playbackConverting: Int

    enum Pace: BitwiseCopyable { case capture, playback, timer, memory }

    /// Opens the devices; nil is silence, or discards. Periods are 5...20 ms.
    ///
    /// The error says which side failed, why, and what to do.
    public init(
        capture captureName: DeviceName?, playback playbackName: DeviceName?, periodMilliseconds: Int = 10
    ) throws(SoundDeviceError) {
        let wanted = 48 * min(max(periodMilliseconds, 5), 20)
        let capture = try CaptureSide(captureName, turn: wanted)
        let captureTurn = capture.turn(wanted: wanted)
        let playback = try PlaybackSide(playbackName, turn: captureTurn, paces: !capture.isCard)
        let period = capture.isCard ? captureTurn : playback.turn(wanted: wanted)
        periodFrames = period
        pace = capture.isCard ? .capture : playback.isCard ? .playback : .timer
        // A card that interrupts less often than we turn needs as much more ahead as it makes us wait.
        nominalFill = max(period, capture.interruptFrames, playback.neededFrames)
        leastFill = capture.isCard && capture.interruptFrames <= period ? playback.leastFill : nil
        remarks = [capture.remark(wanted: wanted), playback.remark(wanted: captureTurn)].compactMap { $0 }
        captureConverting = capture.convertingFrames
        playbackConverting = playback.convertingFrames
        clock = LoopClock(periodFrames: period)
        self.capture = consume capture
        self.playback = consume playback
    }

    /// A device in memory that is always ready: for tests that turn the loop by hand.
    public init(memory: MemorySound, periodMilliseconds: Int = 10) {
        periodFrames = 48 * min(max(periodMilliseconds, 5), 20)
        nominalFill = periodFrames
        leastFill = nil
        remarks = []
        (captureConverting, playbackConverting) = (0, 0)
        pace = .memory
        clock = LoopClock(periodFrames: periodFrames)
        capture = .memory(memory.loopEnd)
        playback = .memory(memory.loopEnd)
    }

    /// Sets both sides going. Call right before the first turn.
    ///
    /// - Parameter ahead: frames of silence that lie ahead of the loudspeaker then; nil: `nominalFill`.
    public borrowing func start(ahead: Int? = nil) throws(SoundDeviceError) {
        // Playback first: it waits for the first write, while capture at once fills its buffer.
        switch playback {
        case .card(let pcm): try pcm.start(nominalFill: ahead ?? nominalFill, paces: pace == .playback)
        default: break
        }
        switch capture {
        case .card(let pcm): try pcm.start(nominalFill: 0, paces: true)
        case .file(let sound): sound.rewind()
        default: break
        }
        clock.start(isTimer: pace == .timer)
    }

    /// Stops both sides at once; what lies ahead of a card is not played. `start` may follow.
    public borrowing func stop() {
        switch capture {
        case .card(let pcm): pcm.stop()
        default: break
        }
        switch playback {
        case .card(let pcm): pcm.stop()
        default: break
        }
    }

    /// Whether what is played lies ahead of a card, and does not go where it was written at once.
    public var playsOnCard: Bool {
        @_noLocks @_noAllocation borrowing get {
            switch playback {
            case .card: true
            default: false
            }
        }
    }

    /// For logs: what the sides are, and for cards, what was agreed on.
    public var captureSummary: String { capture.summary }
    public var playbackSummary: String { playback.summary }

    /// Devices that were to be used and were not, each with the reason and what is used instead.
    public var passedOver: [String] { [capture.passedOver, playback.passedOver].compactMap { $0 } }
}
