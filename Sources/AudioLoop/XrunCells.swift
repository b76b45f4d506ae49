internal import Realtime

/// Why a sound card has run dry, or over.
public enum XrunCause: Int, Sendable, Hashable, CaseIterable {
    /// The loop's thread was not woken in time, or had no processor.
    case lateWakeUp = 1
    /// The work of a turn took too long.
    case longTurn = 2
    /// The machine was asleep.
    case suspended = 3
    /// The card stopped by itself: the loop was in time.
    case card = 4
}

/// The last time that a sound card ran dry, or over.
public struct Xrun: Sendable, Hashable {
    public var cause: XrunCause
    /// CLOCK_MONOTONIC in nanoseconds.
    public var time: UInt64
    /// How long after it was due the sound was ready, in milliseconds; of a suspended machine, how long it slept.
    public var lateMilliseconds: Double
    /// How much lay ahead of the loudspeaker, in milliseconds: as late the sound might have been.
    public var aheadMilliseconds: Double
    /// Whether the loudspeaker ran dry; else sound of the microphone was lost.
    public var isPlayback: Bool

    public init(
        cause: XrunCause, time: UInt64, lateMilliseconds: Double, aheadMilliseconds: Double, isPlayback: Bool
    ) {
        self.cause = cause
        self.time = time
        self.lateMilliseconds = lateMilliseconds
        self.aheadMilliseconds = aheadMilliseconds
        self.isPlayback = isPlayback
    }
}

/// The last xrun, written by the loop and read by anybody.
struct XrunCells: ~Copyable, Sendable {
    private let cause = StatisticCell()
    private let time = StatisticCell()
    /// In microseconds.
    private let late = StatisticCell()
    private let ahead = StatisticCell()
    private let isPlayback = StatisticCell()

    @_noLocks @_noAllocation
    func store(_ cause: XrunCause, at now: UInt64, late: UInt64, ahead: Int, isPlayback: Bool) {
        time.store(Int(truncatingIfNeeded: now))
        self.late.store(Int(truncatingIfNeeded: min(late / 1_000, 1 << 50)))
        self.ahead.store(ahead &* 1_000 / 48)
        self.isPlayback.store(isPlayback ? 1 : 0)
        self.cause.store(cause.rawValue)
    }

    /// nil before the first. Its members may be of two that followed each other closely.
    var last: Xrun? {
        guard let cause = XrunCause(rawValue: cause.value) else { return nil }
        return Xrun(
            cause: cause, time: UInt64(truncatingIfNeeded: time.value), lateMilliseconds: Double(late.value) / 1_000,
            aheadMilliseconds: Double(ahead.value) / 1_000, isPlayback: isPlayback.value != 0)
    }
}
