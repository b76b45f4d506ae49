internal import Realtime
internal import Synchronization

/// What the loop and the control side share of an audio session.
struct LoopCells: ~Copyable, Sendable {
    /// The loop is to end after its turn.
    let isStopping = Atomic<Bool>(false)
    /// A `LoopEnd`.
    let end = Atomic<UInt32>(0)
    /// The device's code that ended the loop.
    let endCode = Atomic<Int32>(0)
    /// Commands carried out.
    let commandsDone = Atomic<Int>(0)
    /// The raw value of a `Tone`, 0 for none.
    let tone = Atomic<UInt32>(0)
    let rings = Atomic<Bool>(false)
    /// The address of a `SoundClip.Samples`, 0 for the built-in tone.
    let ringTone = Atomic<UInt>(0)
    /// In percent.
    let ringVolume = Atomic<Int>(100)
    /// In percent.
    let captureVolume = Atomic<Int>(100)
    let playbackVolume = Atomic<Int>(100)
    /// The number of a `HandsFreeProfile`.
    let profile = Atomic<UInt32>(0)
    /// The address of a `HandsFreeWorks`; 0 while none is needed.
    let handsFree = Atomic<UInt>(0)
    /// The echo's energy against what is left of it, in hundredths: by all that is done, and by the canceller alone.
    let echoReduction = StatisticCell()
    let echoCancelled = StatisticCell()
    /// 1 where the canceller has found the echo.
    let echoIsConverged = StatisticCell()
    /// Samples from what is played to its echo.
    let echoDelay = StatisticCell()
    /// Times that what is played was laid out anew for the canceller.
    let echoAlignments = StatisticCell()
    /// Work of the turns.
    let turns = TurnStatistics()
    /// How late the turns began.
    let wakes = TurnStatistics()
    /// Turns that were not done when the next one was due.
    let missedDeadlines = StatisticCell()
    let xruns = StatisticCell()
    let lastXrun = XrunCells()
    /// Turns that were not woken by the device in time.
    let stalls = StatisticCell()
    /// Turns given up at once because far too much lay ahead of the loudspeaker.
    let corrections = StatisticCell()
    /// How old the oldest sound of the microphone is that a turn gets, smoothed, in microseconds.
    let captureWait = StatisticCell()
    /// How long after a turn began its first sound is heard, smoothed, in microseconds.
    let playbackWait = StatisticCell()
    /// What is to lie ahead of the loudspeaker when a turn is due, in samples.
    let playbackFill = StatisticCell()
    /// How much faster the loop turns than the loudspeaker plays, in thousandths of a part per million.
    let playbackDrift = StatisticCell()

    init() {}
}

/// Why a loop has ended.
enum LoopEnd: UInt32 {
    case running = 0
    /// It was told to.
    case stopped = 1
    /// The device is gone.
    case lost = 2
}

/// A message to the loop. `@unchecked`: the slot belongs to the loop from `enter` until the command `leave` is done.
struct LoopCommand: BitwiseCopyable, @unchecked Sendable {
    enum Kind: UInt8, BitwiseCopyable { case enter, leave }
    var kind: Kind
    var slot: UnsafeMutablePointer<CallSlot>
}
