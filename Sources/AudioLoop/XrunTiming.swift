internal import Glibc

/// What the loop remembers of its turns, so that an xrun can be explained.
struct XrunTiming {
    private let period: UInt64
    /// When the last turn was due, began and ended, in nanoseconds of CLOCK_MONOTONIC; 0 before the first.
    private var due: UInt64 = 0
    private var begun: UInt64 = 0
    private var ended: UInt64 = 0
    /// A turn has begun and not ended.
    private var isInTurn = false
    private var suspended: UInt64
    /// The cards' failure in this turn, or before it, has been noted.
    var isNoted = false

    /// - Parameter period: samples of a turn at 48 kHz.
    init(period: Int) {
        self.period = UInt64(period) * 1_000_000_000 / 48_000
        suspended = Self.suspendedNow()
    }

    /// A turn begins that was due `lateness` nanoseconds ago.
    @_noLocks @_noAllocation
    mutating func begin(at now: UInt64, lateness: UInt64) {
        due = now &- min(lateness, now)
        begun = now
        isInTurn = true
    }

    @_noLocks @_noAllocation
    mutating func end(at now: UInt64) {
        ended = now
        isInTurn = false
        isNoted = false
    }

    /// How late the sound of the turn that is under way, or of the next one, is now.
    @_noLocks @_noAllocation
    func delay(at now: UInt64) -> UInt64 {
        let due = dueNow
        return due == 0 || now < due ? 0 : now - due
    }

    private var dueNow: UInt64 {
        @_noLocks @_noAllocation get { isInTurn || due == 0 ? due : due &+ period }
    }

    /// Why the cards ran dry, or over, by now.
    @_noLocks @_noAllocation
    mutating func cause(at now: UInt64) -> XrunCause {
        let asleep = Self.suspendedNow()
        defer { suspended = asleep }
        return cause(at: now, asleep: asleep &- min(suspended, asleep))
    }

    /// How long the machine has been suspended since it started, in nanoseconds.
    @_noLocks @_noAllocation
    private static func suspendedNow() -> UInt64 {
        // Reads two clocks.
        _unsafePerformance {
            var (with, without) = (timespec(), timespec())
            clock_gettime(CLOCK_BOOTTIME, &with)
            clock_gettime(CLOCK_MONOTONIC, &without)
            let seconds = with.tv_sec - without.tv_sec
            return UInt64(max(0, seconds * 1_000_000_000 + with.tv_nsec - without.tv_nsec))
        }
    }

    /// - Parameter asleep: for how long the machine was suspended since the last xrun, in nanoseconds.
    @_noLocks @_noAllocation
    func cause(at now: UInt64, asleep: UInt64) -> XrunCause {
        if asleep > 100_000_000 { return .suspended }
        let delay = delay(at: now)
        if delay < 500_000 { return .card }
        // The work of this turn, or what that of the one before has taken of this one's time.
        let work = isInTurn ? now &- begun : 0
        let former = ended > dueNow ? ended - dueNow : 0
        return work &+ former > delay / 2 ? .longTurn : .lateWakeUp
    }
}
